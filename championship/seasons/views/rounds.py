"""Pages about rounds: which ones a driver nominates, who shared a car, points of classes and games; and templates."""

from __future__ import annotations

from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Role
from championship.clubs.selectors import club_for_member
from championship.clubs.services import require_role, require_role_to_read
from championship.platform.refusals import Refused, Stale
from championship.rallies.desk.forms import put_refusal
from championship.rallies.models import Entry
from championship.seasons import selectors
from championship.seasons.models import Championship, SharedDrive
from championship.seasons.round_forms import NominationForm, SharedCarsForm, TablesForm, TemplateForm
from championship.seasons.services import change_championship, nominating, templates
from championship.seasons.views.editing import (
    FORM_METHODS,
    editing,
    form_data,
    organised,
    page,
    saved,
    version_in,
)
from championship.seasons.views.public import crumbs


def _form_page(
    request: HttpRequest,
    shown: Championship,
    form: forms.Form,
    title: str,
    submit: str,
    status: int = HTTPStatus.OK,
    **more: object,
) -> HttpResponse:
    context = {
        "title": title,
        "club": shown.club,
        "championship": shown,
        "submit": submit,
        "form": form,
        "crumbs": crumbs(shown.club, (shown.name, shown.get_absolute_url()), (title, None)),
        **more,
    }
    wrong = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "seasons/form.html", context, status=max(status, wrong))


@login_required
@require_http_methods(FORM_METHODS)
def nominate(request: SignedInRequest, key: str, pk: int) -> HttpResponse:
    """The rounds that a driver nominates: for the driver, and for organisers. Others get 404."""
    shown = selectors.championship_by_key(key, request.user)
    roles = require_role_to_read(request.user, shown.club)
    found = shown.registrations.filter(left_at=None).select_related("driver", "championship__club")
    registration = get_object_or_404(found, pk=pk)
    own, organises = registration.driver_id == request.user.pk, Role.ORGANISER in roles
    if not shown.nominates or not (own or organises):
        raise Http404
    form = NominationForm(
        form_data(request),
        rounds=list(shown.rounds.select_related("rally").order_by("number")),
        nominated=list(registration.nominations.values_list("round_id", flat=True)),
        most=shown.nominates,
        all_rounds=organises,
    )
    if form.is_bound and form.is_valid():
        try:
            nominating.nominate(by=request.user, registration=registration, rounds=form.chosen())
        except Refused as refusal:
            put_refusal(form, refusal)
        else:
            messages.success(request, _("The nominated rounds are saved."))
            return redirect("seasons:registrations", key)
    title = _("Nominated rounds: %(name)s") % {"name": registration.driver}
    kept = ", ".join(map(str, form.kept_rounds))
    note = _("Started and nominated: %(rounds)s.") % {"rounds": kept} if kept else ""
    return _form_page(request, shown, form, title, _("Save"), note=note)


@login_required
@require_http_methods(FORM_METHODS)
def shared_cars(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Who shared the car of each entry of a round."""
    by, shown = organised(request, key)
    if not shown.shares_cars:
        raise Http404
    each = get_object_or_404(shown.rounds.select_related("rally", "championship__club"), number=number)
    form = _shared_form(shown, each.rally_id, form_data(request))
    status = HTTPStatus.OK
    if form.is_bound and form.is_valid():
        try:
            nominating.share_cars(by=by, round=each, shares=form.shares(), version=version_in(request))
        except Refused as refusal:
            put_refusal(form, refusal)
        except Stale as stale:
            messages.error(request, str(stale.message))
            form, status = _shared_form(shown, each.rally_id, None), HTTPStatus.CONFLICT
            shown.refresh_from_db(fields=["version"])
        else:
            messages.success(request, _("The shared cars are saved."))
            return redirect("seasons:edit_points", key)
    title = _("Shared cars: %(round)s") % {"round": each}
    return _form_page(request, shown, form, title, _("Save"), status)


def _shared_form(shown: Championship, rally_id: int, posted: object) -> SharedCarsForm:
    entries = list(Entry.objects.filter(rally=rally_id, status=Entry.Status.CONFIRMED).order_by("start_number"))
    shared = dict(SharedDrive.objects.filter(entry__in=entries).values_list("entry_id", "driver_id"))
    in_club = User.objects.filter(
        memberships__club=shown.club_id, memberships__roles__contains=[Role.DRIVER]
    ) | User.objects.filter(pk__in=shared.values())
    drivers = list(in_club.distinct().order_by("name", "pk"))
    return SharedCarsForm(posted, entries=entries, drivers=drivers, shared=shared)


@editing
def tables(request: HttpRequest, by: User, shown: Championship) -> HttpResponse:
    """Points of their own for classes, and for rounds of a game."""
    form = TablesForm(form_data(request), championship=shown)
    if form.is_bound and form.is_valid():

        def write() -> object:
            return change_championship(
                by=by,
                championship=shown,
                name=shown.name,
                points=shown.points,
                version=version_in(request),
                further=form.further(),
            )

        if saved(request, form, write):
            return redirect(shown)
    return page(request, shown, "edit_tables", form, {})


@login_required
@require_http_methods(FORM_METHODS)
def save_template(request: HttpRequest, key: str) -> HttpResponse:
    """Keep the season as a template of the club."""
    by, shown = organised(request, key)
    form = TemplateForm(form_data(request), initial={"name": shown.name})
    if form.is_bound and form.is_valid():
        try:
            templates.save_template(by=by, championship=shown, name=form.cleaned_data["name"])
        except Refused as refusal:
            put_refusal(form, refusal)
        else:
            messages.success(request, _("The template is saved. A new season can begin with it."))
            return redirect(shown)
    return _form_page(request, shown, form, _("Save as a template"), _("Save the template"))


@login_required
@require_POST
def delete_template(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Delete a template of the club. Does nothing when it is gone already."""
    club = club_for_member(user=request.user, slug=slug)
    require_role(request.user, club, Role.ORGANISER)
    templates.delete_template(by=request.user, club=club, pk=pk)
    messages.success(request, _("The template is deleted."))
    return redirect("seasons:create", slug)
