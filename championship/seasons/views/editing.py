"""A championship that stands, changed: its scheme, classes, calendar, and what its new rallies begin with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from championship.accounts.models import User
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.rallies.forms import put_refusal
from championship.refusals import Refused, Stale
from championship.seasons import registering, scheduling, selectors, services
from championship.seasons.forms import ClassesForm, NamedSchemeForm, RoundsForm, TeamsForm
from championship.seasons.models import Championship
from championship.seasons.views.public import crumbs
from championship.seasons.wizard_forms import InheritedForm, moved

FORM_METHODS = ["GET", "HEAD", "POST"]
PAGES = ("edit", "edit_classes", "edit_teams", "edit_calendar", "edit_rallies")


def organised(request: HttpRequest, key: str) -> tuple[User, Championship]:
    """The championship for an organiser of its club; Forbidden or Http404 for everybody else."""
    assert isinstance(request.user, User)
    shown = selectors.championship_by_key(key)
    require_role(request.user, shown.club, Role.ORGANISER)
    return request.user, shown


def version_in(request: HttpRequest) -> int | None:
    """The version that the form was made from; None where the form says none."""
    said = request.POST.get("version", "")
    return int(said) if said.isdecimal() and len(said) < 9 else None


Page = Callable[[HttpRequest, User, Championship], HttpResponse]


def editing(view: Page) -> Callable[..., HttpResponse]:
    """A page for organisers; where the championship has changed meanwhile, the fresh page with 409."""

    @login_required
    @require_http_methods(FORM_METHODS)
    def answered(request: HttpRequest, key: str) -> HttpResponse:
        by, shown = organised(request, key)
        try:
            return view(request, by, shown)
        except Stale as stale:
            messages.error(request, str(stale.message))
            request.method = "GET"
            response = view(request, by, selectors.championship_by_key(key))
            response.status_code = stale.status
            return response

    return answered


def _page(
    request: HttpRequest, shown: Championship, here: str, form: forms.Form, context: Mapping[str, Any]
) -> HttpResponse:
    labels = {
        "edit": _("Name and points"),
        "edit_classes": _("Classes"),
        "edit_teams": _("Teams"),
        "edit_calendar": _("Calendar"),
        "edit_rallies": _("Rallies"),
    }
    shown_as = {
        "championship": shown,
        "club": shown.club,
        "form": form,
        "here": here,
        "title": labels[here],
        "pages": [(name, labels[name], reverse(f"seasons:{name}", args=[shown.key])) for name in PAGES],
        "begun": registering.has_begun(shown),
        "crumbs": crumbs(shown.club, (shown.name, shown.get_absolute_url()), (labels[here], None)),
        **context,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, f"seasons/edit/{here}.html", shown_as, status=status)


def _done(request: HttpRequest, form: forms.Form, write: Callable[[], object]) -> bool:
    """Whether it was written; what was refused stands in the form."""
    try:
        write()
    except Stale:
        raise
    except Refused as refusal:
        put_refusal(form, refusal)
        return False
    messages.success(request, _("The championship is saved."))
    return True


@editing
def edit(request: HttpRequest, by: User, shown: Championship) -> HttpResponse:
    """Name and scheme."""
    posted = request.POST if request.method == "POST" else None
    rows = request.GET.get("places", "")
    form = NamedSchemeForm(
        posted,
        scheme=shown.scheme,
        rows=int(rows) if rows.isdecimal() and len(rows) < 4 else 0,
        initial={"name": shown.name},
    )
    if posted is not None and form.is_valid():
        how, _colon, what = posted.get("action", "").partition(":")
        scheme = form.cleaned_data["scheme"]
        scheme = replace(scheme, tie_breaks=moved(scheme.tie_breaks, how, what))
        if _done(
            request,
            form,
            lambda: services.change_championship(
                by=by,
                championship=shown,
                version=version_in(request),
                name=form.cleaned_data["name"],
                **asdict(scheme),
            ),
        ):
            here = reverse("seasons:edit", args=[shown.key])
            if how == "more":
                return redirect(f"{here}?places={form.rows + 10}")
            return redirect(f"{here}?moved={what}" if how else shown.get_absolute_url())
    return _page(request, shown, "edit", form, {"moved": request.GET.get("moved", "")})


@editing
def classes(request: HttpRequest, by: User, shown: Championship) -> HttpResponse:
    """Car classes."""
    posted = request.POST if request.method == "POST" else None
    form = ClassesForm(posted, initial={"classes": "\n".join(shown.classes)})
    if (
        posted is not None
        and form.is_valid()
        and _done(
            request,
            form,
            lambda: services.change_championship(
                by=by,
                championship=shown,
                version=version_in(request),
                name=shown.name,
                points=shown.points,
                classes=form.names(),
            ),
        )
    ):
        return redirect(shown)
    return _page(request, shown, "edit_classes", form, {})


@editing
def teams(request: HttpRequest, by: User, shown: Championship) -> HttpResponse:
    """Teams renamed, added, taken out."""
    posted = request.POST if request.method == "POST" else None
    form = TeamsForm(posted, teams=list(shown.teams.all()))
    if (
        posted is not None
        and form.is_valid()
        and _done(
            request,
            form,
            lambda: registering.change_teams(by=by, championship=shown, names=form.names(), more=form.more()),
        )
    ):
        return redirect("seasons:team_table", shown.key)
    return _page(request, shown, "edit_teams", form, {})


@editing
def calendar(request: HttpRequest, by: User, shown: Championship) -> HttpResponse:
    """Days and power stages of the rounds."""
    posted = request.POST if request.method == "POST" else None
    form = RoundsForm(posted, rounds=list(shown.rounds.select_related("rally").order_by("number")))
    if (
        posted is not None
        and form.is_valid()
        and _done(
            request,
            form,
            lambda: scheduling.change_calendar(
                by=by, championship=shown, version=version_in(request), planned=form.planned()
            ),
        )
    ):
        return redirect(shown)
    return _page(request, shown, "edit_calendar", form, {})


@editing
def rallies(request: HttpRequest, by: User, shown: Championship) -> HttpResponse:
    """What new rallies of the season begin with."""
    posted = request.POST if request.method == "POST" else None
    form = InheritedForm(posted, kept=shown.rally_settings)
    if (
        posted is not None
        and form.is_valid()
        and _done(
            request,
            form,
            lambda: services.change_championship(
                by=by,
                championship=shown,
                version=version_in(request),
                name=shown.name,
                points=shown.points,
                rally_settings=form.settings(),
            ),
        )
    ):
        return redirect(shown)
    return _page(request, shown, "edit_rallies", form, {})
