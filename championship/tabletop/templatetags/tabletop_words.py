"""What was entered on pads, in words, and the way from a rally to its evening."""

from __future__ import annotations

from collections.abc import Iterable

from django import template
from django.template import Context

from championship.rallies.models import Rally, SpecialStage
from championship.tabletop.models import Evening, Score
from championship.tabletop.selectors import in_words
from championship.tabletop.starters import meets_at_table

register = template.Library()


@register.filter
def score_in_words(score: Score, rally: Rally) -> str:
    """What a score says of the car: "3:25", "retired"."""
    return in_words(score, rally)


@register.simple_tag
def is_at_table(rally: Rally, stages: Iterable[SpecialStage]) -> bool:
    """Whether a rally with these stages may be driven at the table, wholly or in part. No query."""
    if rally.on_paper or rally.practice or rally.for_everybody:
        return False
    return rally.at_table or meets_at_table(rally, stages)


@register.simple_tag(takes_context=True)
def was_at_table(context: Context, rally: Rally) -> bool:
    """Whether people have come together for a rally at the table. One query, none where the page has it beside it."""
    beside = getattr(context.get("page"), "beside", {})
    if rally.on_paper:
        return False
    return bool(beside["at the table"]) if "at the table" in beside else Evening.objects.filter(rally=rally).exists()
