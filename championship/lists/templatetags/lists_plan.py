"""The lines of a plan for its tables."""

from __future__ import annotations

from django import template

from championship.lists.plans import Plan, PlannedLine

register = template.Library()


@register.filter
def cells(line: PlannedLine, plan: Plan) -> list[tuple[str, str]]:
    """Each fact of a line with the head of its column; none for a line without facts."""
    return list(zip(plan.heads, line.facts, strict=False))
