"""Pages on which organisers and stewards give and withdraw penalties and bonuses."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs.services import require_role_to_read
from championship.platform.refusals import Forbidden, Refusal, Stale
from championship.rallies import selectors, services
from championship.rallies.desk.forms import PenaltyForm, ReasonForm, put_refusal
from championship.rallies.entries.impartiality import PENALISERS, Officials, officials_for
from championship.rallies.models import Penalty, Rally
from championship.rallies.public_views import crumbs, page_context

METHODS = ["GET", "HEAD", "POST"]


@login_required
@require_http_methods(METHODS)
def penalty(request: SignedInRequest, key: str) -> HttpResponse:
    """Give an entry a penalty or a bonus, with the reason; the page also shows those given so far."""
    rally = selectors.rally_by_key(key, request.user)
    roles = require_role_to_read(request.user, rally.club, *PENALISERS)
    given = list(selectors.penalties_of(rally))
    seen = max((each.pk for each in given), default=0)
    form = PenaltyForm(request.POST if request.method == "POST" else None, rally=rally, initial={"seen": seen})
    status = int(HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK)
    if form.is_bound and form.is_valid():
        try:
            services.give_penalty(by=request.user, **form.cleaned_data)
        except Refusal as refusal:
            given, status = list(selectors.penalties_of(rally)), refusal.status
            form = _with_refusal(request, form, rally, refusal, max((each.pk for each in given), default=0))
        else:
            messages.success(request, _("It counts; the driver is notified."))
            return redirect("rallies:penalty", key)
    page = selectors.rally_page(rally, request.user, roles=roles)
    context = {
        **page_context(page, "penalty"),
        **impartiality_context(officials_for(rally, PENALISERS), request.user),
        "crumbs": crumbs(page, _("Penalty")),
        "form": form,
        "typed": form["reason"].value(),
        "given": given,
        "own": selectors.cars_of(rally, request.user),
    }
    return render(request, "rallies/penalty.html", context, status=status)


def _with_refusal(request: HttpRequest, form: PenaltyForm, rally: Rally, refusal: Refusal, seen: int) -> PenaltyForm:
    """The typed form with the refusal. After a Stale refusal the page shows the other official's penalty, so `seen` is
    updated and the official may send the form again.
    """
    if isinstance(refusal, Stale):
        data = request.POST.copy()
        data["seen"] = str(seen)
        form = PenaltyForm(data, rally=rally)
        form.is_valid()
    put_refusal(form, refusal)
    return form


@login_required
@require_http_methods(METHODS)
def withdraw(request: SignedInRequest, key: str, penalty_id: int) -> HttpResponse:
    """Withdraw a penalty or a bonus, with a reason."""
    rally = selectors.rally_by_key(key, request.user)
    roles = require_role_to_read(request.user, rally.club, *PENALISERS)
    shown = get_object_or_404(selectors.penalties_of(rally), pk=penalty_id)
    form = ReasonForm(request.POST if request.method == "POST" else None, rally=rally)
    status = int(HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK)
    refused = ""
    if form.is_bound and form.is_valid():
        try:
            services.withdraw_penalty(by=request.user, penalty=shown, reason=form.cleaned_data["reason"])
        except Refusal as refusal:
            put_refusal(form, refusal)
            status, shown = refusal.status, selectors.penalties_of(rally).get(pk=penalty_id)
            refused = str(refusal) if isinstance(refusal, Forbidden) else ""
        else:
            messages.success(request, _("It no longer counts; the driver is notified."))
            return redirect("rallies:penalty", key)
    return _withdrawal_page(request, rally, roles, shown, form, refused, status)


def _withdrawal_page(
    request: HttpRequest,
    rally: Rally,
    roles: frozenset[str],
    shown: Penalty,
    form: forms.Form,
    refused: str,
    status: int,
) -> HttpResponse:
    assert isinstance(request.user, User)
    page = selectors.rally_page(rally, request.user, roles=roles)
    impartial = impartiality_context(officials_for(rally, PENALISERS), request.user)
    if shown.entry_id in selectors.cars_of(rally, request.user):
        impartial["why_not"] = impartial["why_not"] or _("Nobody may judge their own case.")
    decision = getattr(shown, "decision", None)
    if decision is not None:
        impartial["why_not"] = services.only_by_decision(decision.number)
    way = crumbs(page, _("Withdraw"))
    way.insert(-1, (_("Penalty"), reverse("rallies:penalty", args=[rally.key])))
    context = {
        **page_context(page, "penalty"),
        **impartial,
        "crumbs": way,
        "penalty": shown,
        "withdrawal": getattr(shown, "withdrawal", None),
        "form": form,
        "typed": form["reason"].value(),
    }
    context["why_not"] = context["why_not"] or refused
    return render(request, "rallies/withdraw_penalty.html", context, status=status)


def impartiality_context(officials: Officials, person: User) -> dict[str, Any]:
    """Template context for an official's act: the reason why they may not act, and whether they drive in the rally."""
    return {"why_not": officials.why_not(person.pk), "drives": officials.drives(person.pk)}
