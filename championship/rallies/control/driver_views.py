"""Pages of a driver outside stages: entering, withdrawing, handing the car over, the time-control card."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Role
from championship.clubs.selectors import is_member
from championship.clubs.services import require_role
from championship.platform.refusals import Refused, Stale
from championship.platform.web import polling
from championship.rallies import page_versions, selectors, services
from championship.rallies.control import envelopes
from championship.rallies.desk.forms import TimeControlForm, put_refusal
from championship.rallies.entries.entry_forms import EntryForm
from championship.rallies.entries.registered_drivers import registered_in
from championship.rallies.models import Entry, Rally
from championship.rallies.public_views import crumbs, page_context
from championship.rallies.selectors import RallyPage


def _entry(rally: Rally, entry_id: int) -> Entry:
    return get_object_or_404(rally.entries.select_related("driver"), pk=entry_id)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: SignedInRequest, key: str) -> HttpResponse:
    """Request an entry, for a driver of the club. Others are redirected to the page where they can join the club."""
    rally = selectors.rally_by_key(key, request.user)
    if not is_member(request.user, rally.club):
        if request.method == "POST":
            raise Http404
        return redirect(f"{reverse('clubs:ask', args=[rally.club.key])}?{urlencode({'next': request.path}, safe='/')}")
    roles = require_role(request.user, rally.club, Role.DRIVER)
    page = selectors.rally_page(rally, request.user, roles=roles)
    data = request.POST if request.method == "POST" else None
    registered = registered_in(rally, [request.user.pk]).get(request.user.pk)
    crew = {"crew": request.user.name}
    form = EntryForm(data, rally=rally, capacity=page.capacity, registered=registered, initial=crew)
    status: int = HTTPStatus.OK
    if request.method == "POST" and form.is_valid():
        try:
            entry = services.enter_rally(by=request.user, rally=rally, **form.cleaned_data)
        except (Refused, Stale) as refusal:
            put_refusal(form, refusal)
            status = refusal.status
        else:
            if entry.status == Entry.Status.WAITING:
                messages.success(request, _("You are on the waiting list. You are notified when there is a place."))
            else:
                messages.success(request, _("Your entry is in. The organisers will confirm it."))
            return redirect("rallies:rally", key)
    elif form.errors:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    if form.errors:
        page = selectors.rally_page(selectors.rally_by_key(key, request.user), request.user, roles=roles)
    context = {**page_context(page, "enter"), "crumbs": crumbs(page, _("Enter")), "form": form}
    return render(request, "rallies/enter.html", context, status=status)


@polling.polled(page_versions.of_rally)
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def time_control(request: SignedInRequest, key: str, number: int) -> HttpResponse:
    """The driver's sealed card with the game's decisions after this stage."""
    page = _control(request, key, number)
    data = request.POST if request.method == "POST" else None
    car = selectors.car_at_control(page)
    decisions = selectors.decisions_about(page, car)
    form = TimeControlForm(data, decisions=decisions, prices=envelopes.all_prices(decisions, page.rally.measure))
    status: int = HTTPStatus.OK
    if request.method == "POST" and form.is_valid():
        try:
            services.submit_time_control(by=request.user, special_stage=page.stage, decision=form.cleaned_data)
        except (Refused, Stale) as refusal:
            put_refusal(form, refusal)
            status = refusal.status
            page = _control(request, key, number)
        else:
            messages.success(request, _("Your card is in. It is opened together with all the others."))
            return redirect("rallies:time_control", key, number)
    elif form.errors:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    card = envelopes.own_card(page)
    context = {
        **page_context(page, f"stage {number}"),
        "crumbs": crumbs(page, _("Time control")),
        "stage": page.stage,
        "form": form,
        "car": envelopes.car_facts(page, car if card is None else card.car_after),
        "envelopes": envelopes.envelopes_of(page),
        "card": card,
    }
    return render(request, "rallies/time_control.html", context, status=status)


def _control(request: HttpRequest, key: str, number: int) -> RallyPage:
    """The stage as its driver sees it.

    Raises: Http404 for somebody who does not drive it.
    """
    page = selectors.rally_page(selectors.rally_by_key(key, request.user), request.user, number=number)
    if not page.starts:
        raise Http404
    return page


@login_required
@require_POST
def result_seen(request: SignedInRequest, key: str) -> HttpResponse:
    """Mark the driver's result as seen and redirect: to the podium, to the results of an open stage, or back to the
    driver's turns.
    """
    rally = selectors.rally_by_key(key, request.user)
    if not services.mark_result_seen(by=request.user, rally=rally):
        raise Http404
    if request.POST.get("to") != "podium":
        return redirect("runs:mine")
    return redirect(rally) if rally.for_everybody else redirect("rallies:podium", key)


@login_required
@require_POST
def withdraw(request: SignedInRequest, key: str, entry_id: int) -> HttpResponse:
    """Withdraw an entry, for its driver or an organiser."""
    entry = _entry(selectors.rally_by_key(key, request.user), entry_id)
    services.withdraw_entry(by=request.user, entry=entry)
    messages.success(request, _("The entry of %(crew)s is withdrawn.") % {"crew": entry.crew})
    return redirect("rallies:rally" if entry.driver_id == request.user.pk else "rallies:desk", key)


@login_required
@require_POST
def driven_by(request: SignedInRequest, key: str, entry_id: int) -> HttpResponse:
    """Hand the car to the codriver, or back to its driver; or choose the stand-in of a driver who drives."""
    entry = _entry(selectors.rally_by_key(key, request.user), entry_id)
    who = request.POST.get("driven_by", "")
    manner, reason = request.POST.get("manner", ""), request.POST.get("reason", "")
    stand_in = "stand_in" in request.POST
    services.set_driven_by(by=request.user, entry=entry, driven_by=who, manner=manner, reason=reason, stand_in=stand_in)
    if stand_in:
        says = _("The stand-in of %(crew)s is chosen.")
    else:
        says = _("The codriver drives for %(crew)s.") if who == Entry.DrivenBy.CODRIVER else _("%(crew)s drives again.")
    messages.success(request, says % {"crew": entry.crew})
    return redirect("rallies:desk" if request.POST.get("from") == "desk" else "rallies:rally", key)
