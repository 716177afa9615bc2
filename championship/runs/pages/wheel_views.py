"""Views for handing the wheel to the codriver, for one turn, for the rest of a stage or for good: the driver's own, and
those of the organiser's desk. Views for missed deadlines: the list, and taking the wheel back.
"""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Role
from championship.clubs.services import require_role_to_read
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refusal
from championship.rallies import selectors as rallies
from championship.rallies.desk.views import desk_page, organised_rally
from championship.rallies.models import Entry
from championship.rallies.public_views import crumbs, page_context
from championship.runs import play as services
from championship.runs.models import Run, Seat
from championship.runs.pages.stage_page import refused_page
from championship.runs.watch import selectors, wheels

MISSES_ON_A_PAGE = 50


@login_required
@require_POST
def hand_over(request: SignedInRequest, key: str, entry_id: int) -> HttpResponse:
    """Let the codriver drive the reader's own car for as long as they chose."""
    rally = rallies.rally_by_key(key, request.user)
    entry = get_object_or_404(rally.entries.filter(driver=request.user), pk=entry_id)
    how_long = request.POST.get("how_long", "")
    made = whole_number(request.POST.get("turns_made", ""), digits=9)
    run = services.hand_car_over(
        by=request.user,
        entry=entry,
        how_long=how_long,
        turns_made=-1 if made is None else made,
        manner=request.POST.get("manner", ""),
    )
    said: dict[str, str] = {
        Seat.HandedOver.TURN: _("The codriver drives one turn for %(crew)s. After it the wheel is yours again."),
        Seat.HandedOver.STAGE: _("The codriver drives for %(crew)s until this is over: %(stage)s."),
        services.FOR_GOOD: _(
            "The codriver drives for %(crew)s until you take the wheel back. The cards of time control stay yours."
        ),
    }
    messages.success(request, said[how_long] % _named(entry, run))
    if run is not None and request.POST.get("from") == "run":
        return redirect(f"{run.get_absolute_url()}#panel")
    return redirect("rallies:rally", key)


def _named(entry: Entry, run: Run | None) -> dict[str, str]:
    return {"crew": entry.crew, "stage": "" if run is None else run.special_stage.called}


@login_required
@require_POST
def hand_over_from_desk(request: SignedInRequest, key: str, entry_id: int) -> HttpResponse:
    """Let the codriver drive a car for as long as an organiser chose. A refusal is shown at the entry, with what was
    typed.
    """
    rally, roles = organised_rally(request, key)
    entry = get_object_or_404(rally.entries.filter(status=Entry.Status.CONFIRMED), pk=entry_id)
    asked = {name: request.POST.get(name, "") for name in ("how_long", "manner", "reason")}
    made = wheels.turns_made_as_seen(entry, request.POST.get("seen", ""))
    try:
        run = services.hand_car_over(by=request.user, entry=entry, turns_made=made, **asked)
    except Refusal as refusal:
        refused = {"entry": entry.pk, "refusal": refusal, **asked}
        return desk_page(request, rallies.rally_by_key(key, request.user), roles, refusal, wheel=refused)
    said: dict[str, str] = {
        Seat.HandedOver.TURN: _("The codriver drives one turn for %(crew)s. After it the driver has the wheel again."),
        Seat.HandedOver.STAGE: _("The codriver drives for %(crew)s until this is over: %(stage)s."),
        services.FOR_GOOD: _("The codriver drives for %(crew)s."),
    }
    messages.success(request, said[asked["how_long"]] % _named(entry, run))
    return redirect("rallies:desk", key)


@login_required
@require_POST
def take_back_from_desk(request: SignedInRequest, key: str, entry_id: int) -> HttpResponse:
    """Give a car back to its driver, for an organiser."""
    rally, roles = organised_rally(request, key)
    entry = get_object_or_404(rally.entries.filter(status=Entry.Status.CONFIRMED), pk=entry_id)
    try:
        services.take_car_back(by=request.user, entry=entry)
    except Refusal as refusal:
        return desk_page(request, rallies.rally_by_key(key, request.user), roles, refusal)
    messages.success(request, _("%(crew)s drives again.") % {"crew": entry.crew})
    return redirect("rallies:desk", key)


@login_required
@require_safe
def misses(request: SignedInRequest, key: str) -> HttpResponse:
    """List who missed a deadline of a rally, when, and what the clock did; for its organisers and stewards."""
    rally = rallies.rally_by_key(key, request.user)
    roles = require_role_to_read(request.user, rally.club, Role.ORGANISER, Role.STEWARD)
    page = rallies.rally_page(rally, request.user, roles=roles)
    context = {
        **page_context(page, "misses"),
        "crumbs": crumbs(page, _("Missed deadlines")),
        "page_obj": Paginator(selectors.misses_of(rally), MISSES_ON_A_PAGE).get_page(request.GET.get("page")),
        "counted": selectors.misses_by_entry(rally),
    }
    return render(request, "runs/misses.html", context)


@login_required
@require_POST
def take_wheel(request: SignedInRequest, key: str) -> HttpResponse:
    """Give the wheel back to the driver."""
    found = selectors.run_by_key(key, request.user)
    try:
        services.take_wheel(by=request.user, run=found)
    except Refusal as refusal:
        return refused_page(request, found, refusal)
    messages.success(request, _("You have the wheel again."))
    return redirect(f"{found.get_absolute_url()}#panel")
