"""Template tags about deadlines: the reasons for a deadline, and what was done in a driver's name."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template
from django.template import Context
from django.utils.translation import gettext as _

from championship.deadlines.counted_time import HOLIDAY, OUTAGE, PAUSE, QUIET, WEEKEND
from championship.deadlines.terms import BRISK, CLOSING, EXTENDED, STAND_IN, TAKE_BACK
from championship.runs.models import Seat, Turn
from championship.runs.watch import selectors
from championship.runs.watch.selectors import RunPage

register = template.Library()


def _words(reason: str) -> str:
    """Return the name of time that was not counted, for a list."""
    return {
        QUIET: _("quiet hours"),
        WEEKEND: _("weekends"),
        HOLIDAY: _("holidays"),
        PAUSE: _("the pause of the rally"),
        OUTAGE: _("the time this site was away"),
    }.get(reason, reason)


@register.filter
def why(turn: Turn | None) -> str:
    """Return the reasons for a deadline: "Not counted: quiet hours, holidays". Empty when there are none."""
    reasons = [] if turn is None or not isinstance(turn, Turn) else turn.reasons
    said = []
    if CLOSING in reasons:
        said.append(_("It closes for everybody then."))
    if STAND_IN in reasons:
        said.append(_("The codriver drives from then on, because the holiday begins."))
    if TAKE_BACK in reasons:
        said.append(_("Until then the driver can take the wheel back from the codriver."))
    if EXTENDED in reasons:
        brisk = BRISK in turn.terms if isinstance(turn, Turn) else False
        said.append(_("More time was given.") if brisk else _("The organisers have given more time."))
    left_out = [_words(reason) for reason in reasons if reason not in (CLOSING, EXTENDED, STAND_IN, TAKE_BACK)]
    if left_out:
        said.append(_("Not counted: %(what)s.") % {"what": ", ".join(left_out)})
    return " ".join(said)


@register.filter
def left_at(deadline: datetime, now: datetime) -> tuple[bool, int]:
    """Return all that a page shows of the time left: whether the deadline has passed, and the whole
    minutes until it.
    """
    late = deadline <= now
    return late, 0 if late else int((deadline - now).total_seconds() // 60)


@register.simple_tag(takes_context=True)
def turn_of(context: Context) -> Turn | None:
    """Return the turn to which a deadline belongs: `turn` in the context or, on the stage page, the reader's own. None
    when there is none.
    """
    turn = context.get("turn")
    if isinstance(turn, Turn):
        return turn
    page = context.get("page")
    return page.my_turn if isinstance(page, RunPage) else None


@register.simple_tag(takes_context=True)
def paused_since(context: Context) -> datetime | None:
    """Return since when the rally in the context is paused; None when it is not."""
    found: datetime | None = getattr(_rally_in(context), "paused_at", None)
    return found


@register.simple_tag(takes_context=True)
def in_seconds(context: Context) -> bool:
    """Return whether the rally in the context is driven in seconds, so that a page counts its deadlines down."""
    return bool(getattr(_rally_in(context), "keeps_seconds", False))


def _rally_in(context: Context) -> Any:
    """Return the rally of the context, or that of its stage; None when there is neither."""
    return context.get("rally") or getattr(context.get("stage"), "rally", None)


@register.inclusion_tag("runs/parts/missed.html", takes_context=True)
def done_for_me(context: Context, page: RunPage, now: datetime) -> dict[str, Any]:
    """On the stage page: what the clock did for the reader since they last drove, and the form for taking the wheel
    back.
    """
    return {
        "run": page.run,
        "done": selectors.turns_by_clock(page),
        "until": take_back_deadline(page.mine, now),
        "csrf_token": context.get("csrf_token"),
    }


@register.filter
def take_back_deadline(seat: Seat | None, now: datetime) -> datetime | None:
    """Return until when the driver may take the wheel back; None when they cannot, or have it."""
    until = None if seat is None else seat.take_back_until
    return until if until is not None and until > now else None
