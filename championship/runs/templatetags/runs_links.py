"""What other pages say about runs: links to those of a stage, and how many turns wait for the reader."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context

from championship.rallies.models import SpecialStage
from championship.runs import selectors

register = template.Library()


@register.inclusion_tag("runs/parts/stage_runs.html")
def stage_runs(special_stage: SpecialStage) -> dict[str, Any]:
    """The runs of a stage with the start numbers in each; nothing before it opens."""
    opened = special_stage.status != SpecialStage.Status.PLANNED
    return {"runs": selectors.runs_of_stage(special_stage) if opened else [], "stage": special_stage}


@register.inclusion_tag("parts/waiting.html", takes_context=True)
def waiting_badge(context: Context) -> dict[str, Any]:
    """How many turns wait for the reader; one query, none where the page has counted already."""
    if "waiting_turns" in context:
        return {"waiting_turns": context["waiting_turns"]}
    request = context.get("request")
    if request is None or not request.user.is_authenticated:
        return {"waiting_turns": 0}
    return {"waiting_turns": selectors.turns_waiting_for(request.user).count()}
