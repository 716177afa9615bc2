"""Template tags about a stage on the road, for pages of its rally and its club."""

from __future__ import annotations

from django import template

from championship.rallies.models import SpecialStage
from championship.runs.watch import live
from championship.runs.watch.live import Live

register = template.Library()


@register.simple_tag
def live_stage(stage: SpecialStage) -> Live | None:
    """Return what spectators see of a stage on the road; None for any other stage. Fourteen queries at most, for any
    number of cars. Use it in a part that is rendered once for each version of the page.
    """
    return live.of_stage(stage) if stage.status == SpecialStage.Status.RUNNING else None
