"""A short card about this week's open stage, for pages that link to it."""

from typing import Any

from django import template
from django.template import Context

from championship.openstage.opening_times import next_opening
from championship.openstage.selectors import current_week
from championship.platform import clock

register = template.Library()


@register.inclusion_tag("openstage/teaser.html", takes_context=True)
def open_stage_teaser(context: Context, *, with_map: bool = False) -> dict[str, Any]:
    """A card that links to the stage. Where none is open, it says when the next one opens; it is empty where none will
    open.

    Two queries at most with the map or where none is open, one otherwise; one fewer on the page of my turns.
    """
    now, beside = clock.now(), getattr(context.get("mine"), "beside", {})
    week = next(iter(beside["open stage"]), None) if "open stage" in beside else current_week(now=now)
    stage = week.rally.stages.get(number=1) if week is not None and with_map else None
    return {"week": week, "stage": stage, "opening": next_opening(now=now) if week is None else None}
