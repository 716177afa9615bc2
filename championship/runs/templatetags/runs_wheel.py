"""Template tags for handing the wheel to the codriver and for taking it back."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context

from championship.rallies.models import Entry, Rally
from championship.runs import watching
from championship.runs.models import Run
from championship.runs.selectors import RunPage
from championship.runs.wheels import seat_on_the_road

register = template.Library()


@register.inclusion_tag("runs/parts/hand_over.html", takes_context=True)
def hand_over_on_rally_page(context: Context, rally: Rally, entry: Entry) -> dict[str, Any]:
    """On the page of a rally: the form with which the driver of an entry hands the car over, or takes it back. One
    query, none before the rally starts.
    """
    seat = seat_on_the_road(entry) if rally.status == Rally.Status.RUNNING else None
    found = {"made": seat.turns_made, "my_turn": seat.is_its_turn} if seat else {}  # type: ignore[attr-defined]
    token = context.get("csrf_token")
    return {"rally": rally, "entry": entry, "seat": seat, "at": "rally", "csrf_token": token, **found}


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
        "made": watching.turns_made(run, seat.driver),
        "my_turn": page.my_turn is not None,
        "at": "run",
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
