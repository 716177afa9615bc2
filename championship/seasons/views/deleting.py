"""Pages for deleting a rally or a championship that was created by mistake; its name must be typed to confirm."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from championship.accounts.models import User
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.platform.refusals import Refused, Stale
from championship.rallies.desk.forms import put_refusal
from championship.rallies.selectors import rally_by_key
from championship.seasons.forms import DeleteChampionshipForm, DeleteForm
from championship.seasons.services import deleting
from championship.seasons.views.editing import FORM_METHODS, organised
from championship.seasons.views.public import crumbs


@login_required
@require_http_methods(FORM_METHODS)
def rally(request: HttpRequest, key: str) -> HttpResponse:
    """Delete a rally that nobody has driven."""
    assert isinstance(request.user, User)
    by, found = request.user, rally_by_key(key, request.user)
    require_role(by, found.club, Role.ORGANISER)
    form = DeleteForm(request.POST if request.method == "POST" else None, name=found.name)
    return _confirm_and_delete(
        request,
        found.club,
        form,
        title=_("Delete %s") % found.name,
        why_not=deleting.why_not(found, by),
        back=found.get_absolute_url(),
        act=lambda: deleting.delete_rally(by=by, rally=found, typed=form.cleaned_data["name"]),
    )


@login_required
@require_http_methods(FORM_METHODS)
def championship(request: HttpRequest, key: str) -> HttpResponse:
    """Delete a championship in which nothing was driven."""
    by, shown = organised(request, key)
    form = DeleteChampionshipForm(request.POST if request.method == "POST" else None, name=shown.name)
    return _confirm_and_delete(
        request,
        shown.club,
        form,
        title=_("Delete %s") % shown.name,
        why_not=deleting.why_not_season([each.rally for each in shown.rounds.select_related("rally")]),
        back=shown.get_absolute_url(),
        act=lambda: deleting.delete_championship(
            by=by,
            championship=shown,
            typed=form.cleaned_data["name"],
            rallies_too=form.cleaned_data["rallies_too"],
        ),
    )


def _confirm_and_delete(
    request: HttpRequest,
    club: Club,
    form: forms.Form,
    *,
    title: str,
    why_not: str,
    back: str,
    act: Callable[[], None],
) -> HttpResponse:
    """Render the page, or delete and redirect to the page of the club."""
    status = HTTPStatus.OK
    if request.method == "POST" and form.is_valid():
        try:
            act()
        except (Refused, Stale) as refusal:
            put_refusal(form, refusal)
            status = HTTPStatus(refusal.status)
        else:
            messages.success(request, _("It is deleted. The log keeps a record of it."))
            return redirect("clubs:club", club.slug)
    elif form.errors:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    context = {
        "title": title,
        "club": club,
        "form": form,
        "why_not": why_not,
        "back": back,
        "crumbs": crumbs(club, (title, None)),
    }
    return render(request, "seasons/delete.html", context, status=status)
