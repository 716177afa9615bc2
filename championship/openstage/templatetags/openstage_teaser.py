"""This week's open stage in a few words, for pages that lead to it."""

from typing import Any

from django import template

from championship import clock
from championship.openstage.selectors import current_week

register = template.Library()


@register.inclusion_tag("openstage/teaser.html")
def open_stage_teaser(*, with_map: bool = False) -> dict[str, Any]:
    """A card that leads to the stage; nothing where none is open. Two queries with the map, one without."""
    week = current_week(now=clock.now())
    stage = week.rally.stages.get(number=1) if week is not None and with_map else None
    return {"week": week, "stage": stage}
