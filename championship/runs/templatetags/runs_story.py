"""The template tag for the story of a stage."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context

from championship.platform.refusals import NotYet
from championship.rallies.models import SpecialStage
from championship.runs.models import Run
from championship.runs.watch import story

register = template.Library()


@register.inclusion_tag("runs/parts/story.html", takes_context=True)
def stage_story(context: Context, stage: SpecialStage, run: Run | None = None) -> dict[str, Any]:
    """The story of a stage that is over, or of one run of it, with a link from each sentence to the replay. Nothing
    where the viewer may not watch, or nothing is worth telling. Four queries at most, and the cache.
    """
    viewer = context["user"]
    try:
        told = story.of_stage(stage, viewer) if run is None else story.of_run(run, viewer)
    except NotYet:
        told = []
    return {"told": story.main_points(told)}
