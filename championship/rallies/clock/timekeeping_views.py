"""The page on which organisers change a rally's timekeeping, at any time before its end, and pause it."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Role
from championship.clubs.services import require_role_to_read
from championship.platform.refusals import Refused, Stale
from championship.rallies import selectors, services
from championship.rallies.clock.timekeeping_forms import PauseForm, TimekeepingForm, timekeeping_of
from championship.rallies.desk.forms import put_refusal
from championship.rallies.models import Rally
from championship.rallies.public_views import crumbs, page_context


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def timekeeping(request: SignedInRequest, key: str) -> HttpResponse:
    """Change pace and deadlines of a rally, also while it is under way."""
    rally = selectors.rally_by_key(key, request.user)
    data = request.POST if request.method == "POST" else None
    form = TimekeepingForm(data, measure=rally.measure, words=rally.words, initial=timekeeping_of(rally))
    if request.method == "POST" and form.is_valid():
        assert isinstance(request.user, User)
        try:
            services.change_timekeeping(
                by=request.user,
                rally=rally,
                turn_hours=form.cleaned_data["turn_hours"],
                reminder_hours=form.cleaned_data["reminder_hours"],
                settings=form.timekeeping(),
            )
        except (Refused, Stale) as refusal:
            put_refusal(form, refusal)
            return _page(request, selectors.rally_by_key(key, request.user), form, PauseForm(), refusal.status)
        messages.success(request, _("These rules apply from now on, also to open deadlines."))
        return redirect("rallies:timekeeping", key)
    return _page(request, rally, form, PauseForm(), HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK)


@login_required
@require_POST
def pause(request: SignedInRequest, key: str) -> HttpResponse:
    """Pause the rally, with the reason in the form."""
    rally = selectors.rally_by_key(key, request.user)
    form = PauseForm(request.POST)
    require_role_to_read(request.user, rally.club, Role.ORGANISER)
    status: int = HTTPStatus.UNPROCESSABLE_ENTITY
    if form.is_valid():
        try:
            services.pause_rally(by=request.user, rally=rally, reason=form.cleaned_data["reason"])
        except (Refused, Stale) as refusal:
            put_refusal(form, refusal)
            status = refusal.status
        else:
            messages.success(request, _("No time counts until it continues. The entrants are notified."))
            return redirect("rallies:desk", key)
    rally = selectors.rally_by_key(key, request.user)
    return _page(
        request,
        rally,
        TimekeepingForm(measure=rally.measure, words=rally.words, initial=timekeeping_of(rally)),
        form,
        status,
    )


def _page(
    request: HttpRequest, rally: Rally, form: TimekeepingForm, pause_form: PauseForm, status: int
) -> HttpResponse:
    assert isinstance(request.user, User)
    roles = require_role_to_read(request.user, rally.club, Role.ORGANISER)
    page = selectors.rally_page(rally, request.user, roles=roles)
    context = {
        **page_context(page, "desk"),
        "crumbs": crumbs(page, _("Pace and deadlines")),
        "form": form,
        "pause_form": pause_form,
    }
    return render(request, "rallies/timekeeping.html", context, status=status)
