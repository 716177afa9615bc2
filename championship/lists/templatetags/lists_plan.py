"""The lines of a plan for its tables."""

from __future__ import annotations

from collections.abc import Sequence

from django import template

from championship.lists.plans import Plan, PlannedLine

register = template.Library()
Columns = Sequence[tuple[int, str]]


@register.simple_tag
def used_columns(lines: Sequence[PlannedLine], plan: Plan) -> Columns:
    """The columns of a plan, each with its index, in which any of these lines has something; all where none has."""
    every = list(enumerate(plan.heads))
    return [(at, head) for at, head in every if any(line.facts[at : at + 1] > ("",) for line in lines)] or every


@register.filter
def cells(line: PlannedLine, columns: Columns) -> list[tuple[str, str]]:
    """Each fact of a line with the head of its column; none for a line without facts."""
    return [(head, line.facts[at]) for at, head in columns if at < len(line.facts)]
