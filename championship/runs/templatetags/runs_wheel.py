"""Template tags for handing the wheel to the codriver and for taking it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.template import Context

from championship.rallies.models import Entry, Rally
from championship.runs.models import Run
from championship.runs.play.changing_hands import FOR_GOOD
from championship.runs.watch import watching, wheels
from championship.runs.watch.selectors import RunPage
from championship.runs.watch.wheels import DeskSeat

register = template.Library()

SMALLEST = "turn"
"""What a form chooses at first for a car on the road."""


@register.inclusion_tag("runs/parts/hand_over.html", takes_context=True)
def hand_over_on_rally_page(context: Context, rally: Rally, entry: Entry) -> dict[str, Any]:
    """On the page of a rally: the form with which the driver of an entry hands the car over, or takes it back. One
    query, none before the rally starts or where the page has it beside it.
    """
    car, beside = None, getattr(context.get("page"), "beside", {})
    if rally.status == Rally.Status.RUNNING:
        read = "wheel" in beside
        car = wheels.seat_among(beside["wheel"], entry) if read else wheels.seat_on_the_road(entry)
    seat, found = None, {}
    if car is not None:
        seat, found = car.seat, {"made": car.turns_made, "my_turn": car.is_its_turn}
    token, chosen = context.get("csrf_token"), SMALLEST if seat else FOR_GOOD
    shown = {"rally": rally, "entry": entry, "seat": seat, "at": "rally", "chosen": chosen, "csrf_token": token}
    return shown | found


@register.inclusion_tag("runs/parts/hand_over.html", takes_context=True)
def hand_over_on_run_page(context: Context, page: RunPage) -> dict[str, Any]:
    """The same on the page of a run, for its drivers. No query."""
    run, seat = page.run, page.mine
    if seat is None or not _has_wheel(page):
        return {}
    return {
        "rally": run.special_stage.rally,
        "entry": seat.entry,
        "seat": seat,
        "made": watching.turns_made(run, seat.name),
        "my_turn": page.my_turn is not None,
        "at": "run",
        "chosen": SMALLEST,
        "csrf_token": context.get("csrf_token"),
    }


@register.simple_tag(takes_context=True)
def seats_for_desk(context: Context, rally: Rally) -> Mapping[int, DeskSeat]:
    """The seats of the rally's cars on the road, by entry, for the organiser's desk. One query, none where the rally is
    not under way.
    """
    return wheels.seats_for_desk(rally, context["request"].user) if rally.status == Rally.Status.RUNNING else {}


@register.inclusion_tag("runs/parts/wheel_badge.html")
def wheel_badge(seats: Mapping[int, DeskSeat], entry: Entry) -> dict[str, Any]:
    """On the desk: that a car is handed over for a turn or a stage. No query."""
    on_road = seats.get(entry.pk)
    return {} if on_road is None else {"handed_over": on_road.handed_over, "stage": on_road.seat.run.special_stage}


@register.inclusion_tag("runs/parts/desk_hand_over.html", takes_context=True)
def wheel_on_desk(context: Context, rally: Rally, entry: Entry, seats: Mapping[int, DeskSeat]) -> dict[str, Any]:
    """On the desk: the form with which an organiser hands a car over, or gives it back. No query."""
    on_road = seats.get(entry.pk)
    offered = on_road if on_road is not None and on_road.may_be_handed_over else None
    typed = context.get("wheel") or {}
    typed = typed if typed.get("entry") == entry.pk else {}
    return {
        "rally": rally,
        "entry": entry,
        "seat": offered and offered.seat,
        "seen": offered and offered.seen,
        "my_turn": offered and offered.my_turn,
        "handed_over": offered and offered.handed_over,
        "chosen": typed.get("how_long") or (SMALLEST if offered else FOR_GOOD),
        "out_of_reach": on_road is not None and on_road.out_of_reach,
        "typed": typed,
        "csrf_token": context.get("csrf_token"),
    }


@register.simple_tag
def may_hand_over(page: RunPage) -> bool:
    """Whether the page of a run shows its reader the form with which they hand their car over. No query."""
    seat = page.mine
    if seat is None or not _has_wheel(page):
        return False
    return seat.entry.driven_by == Entry.DrivenBy.PERSON and not seat.codriver_since


def _has_wheel(page: RunPage) -> bool:
    """Whether the reader drives in a run in which a car may be handed over. No query."""
    run, rally = page.run, page.run.special_stage.rally
    handed_over = run.status == Run.Status.RUNNING and not (rally.practice or rally.for_everybody)
    return page.mine is not None and handed_over
