"""Results, gaps and penalties as a rally writes them, in its unit: 3:52 for a stage, +0:12 for a gap."""

from typing import Any

from django import template

from championship.rallies import measures

register = template.Library()


def _number(value: Any) -> int | None:
    return None if value in (None, "") else int(value)


@register.filter
def stage_time(seconds: int | None) -> str:
    """Seconds as a stage time: 232 is 3:52, 3725 is 1:02:05, a bonus has a minus; nothing is a dash."""
    return measures.total(_number(seconds), measures.SECONDS)


@register.filter
def result(value: int | None, rally: Any = None) -> str:
    """The result of one stage in the unit of a rally: "3:52", "38 points", "place 3"; nothing is a dash."""
    return measures.result(_number(value), measures.measure_of(rally))


@register.filter
def total(value: int | None, rally: Any = None) -> str:
    """What several stages come to, in the unit of a rally: "12:34", "38 points", "7 places"; nothing is a dash."""
    return measures.total(_number(value), measures.measure_of(rally))


@register.filter
def gap(value: int | None, rally: Any = None) -> str:
    """How far behind somebody, or what a penalty does, in the unit of a rally: 12 is "+0:12"; none is empty."""
    return measures.gap(_number(value), measures.measure_of(rally))


@register.filter
def bonus(value: int, rally: Any = None) -> str:
    """What makes a result better, with the sign of what it does to it: 12 is "−0:12", none "0:00"."""
    measure = measures.measure_of(rally)
    return measures.gap(-value, measure) if value else measures.total(0, measure)


@register.filter
def best_word(rally: Any) -> str:
    """What the best of several is called: the fastest by a clock."""
    return measures.best_word(measures.measure_of(rally))


@register.filter
def amount(value: int, rally: Any = None) -> str:
    """An amount in the unit of a rally: "40 seconds", "5 points"."""
    return measures.amount(int(value), measures.measure_of(rally))


@register.filter
def result_head(rally: Any) -> str:
    """What heads a column of the rally's results: "Time", "Points"."""
    return measures.result_head(measures.measure_of(rally))


@register.simple_tag(takes_context=True)
def given(context: dict[str, Any]) -> str:
    """The penalty or bonus that a letter tells of. Letters that were written in seconds say so by their name."""
    return gap(context.get("amount", context.get("seconds")), context.get("measure"))


@register.simple_tag(takes_context=True)
def cost(context: dict[str, Any]) -> str:
    """What something costs, in a letter: "40 seconds"."""
    return amount(context.get("amount", context.get("seconds", 0)), context.get("measure"))
