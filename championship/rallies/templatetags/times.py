"""Results, gaps and penalties in a rally's unit: 3:52 for a stage, +0:12 for a gap."""

from typing import Any

from django import template

from championship.rallies.results import measures

register = template.Library()


def _number(value: Any) -> int | None:
    return None if value in (None, "") else int(value)


@register.filter
def stage_time(seconds: int | None) -> str:
    """Seconds as a stage time: 232 is 3:52, 3725 is 1:02:05, a bonus has a minus, None is a dash."""
    return measures.total(_number(seconds), measures.SECONDS)


@register.filter
def result(value: int | None, rally: Any = None) -> str:
    """The result of one stage in the unit of a rally: "3:52", "38 points", "place 3"; None is a dash."""
    return measures.result(_number(value), measures.measure_of(rally))


@register.filter
def total(value: int | None, rally: Any = None) -> str:
    """The total of several stages in the unit of a rally: "12:34", "38 points", "7 places"; None is a dash."""
    return measures.total(_number(value), measures.measure_of(rally))


@register.filter
def gap(value: int | None, rally: Any = None) -> str:
    """A gap or a penalty in the unit of a rally: 12 is "+0:12"; None is empty."""
    return measures.gap(_number(value), measures.measure_of(rally))


@register.filter
def distance(value: int, rally: Any = None) -> str:
    """The size of a gap in the unit of a rally, without a sign: "0:12", "12 points"."""
    return measures.distance(value, measures.measure_of(rally))


@register.filter
def bonus(value: int, rally: Any = None) -> str:
    """An amount that improves a result, with the sign of its effect: 12 is "−0:12", 0 is "0:00"."""
    measure = measures.measure_of(rally)
    return measures.gap(-value, measure) if value else measures.total(0, measure)


@register.filter
def best_word(rally: Any) -> str:
    """The word for the best of several results: "fastest" for times, else "best"."""
    return measures.best_word(measures.measure_of(rally))


@register.filter
def amount(value: int, rally: Any = None) -> str:
    """An amount in the unit of a rally: "40 seconds", "5 points"."""
    return measures.amount(int(value), measures.measure_of(rally))


@register.filter
def result_head(rally: Any) -> str:
    """The head of a column of the rally's results: "Time", "Points"."""
    return measures.result_head(measures.measure_of(rally))


@register.simple_tag(takes_context=True)
def given(context: dict[str, Any]) -> str:
    """The penalty or bonus in a notice. Notices of older versions have the key `seconds` instead of `amount`."""
    return gap(context.get("amount", context.get("seconds")), context.get("measure"))


@register.simple_tag(takes_context=True)
def cost(context: dict[str, Any]) -> str:
    """A cost in a notice: "40 seconds"."""
    return amount(context.get("amount", context.get("seconds", 0)), context.get("measure"))
