"""The measure by which a stage is won, and results in words: 3:52, 38 points, place 3, or 21 turns where the game has a
unit of its own. Gaps and penalties are in the same unit.

Penalties are amounts that worsen a result; bonuses are negative. Code that adds them to a result uses `worse`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from django.utils.formats import get_format, localize
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from championship import catalogue
from engine import registry
from engine.contract import Measure as Measure

SECONDS = Measure("seconds", "fewest")
POINTS = Measure("points", "most")
PLACES = Measure("places", "fewest")
NOTHING = "–"
"""Shown when there is no result."""
MOST_GIVEN = 3600
"""The greatest penalty or bonus, in any unit."""
MOST_ON_A_STAGE = 100_000
"""The greatest result of a stage, in any unit but parts of a second: there it is the same time."""
PARTS = {"seconds": 1, "tenths": 10, "hundredths": 100, "thousandths": 1000}
"""The units of time, by how many make a second. Games time in seconds. A rally that was driven elsewhere has the
coarsest unit in which all its times are whole numbers, so that they are shown as they came.
"""
POINT_PARTS = {"points": 1, "half_points": 2, "hundredth_points": 100}
"""The units of points, by how many make a point. Games count whole points; lists from elsewhere have halves."""


def is_points(measure: Measure) -> bool:
    """Return whether results are points, whole or not."""
    return measure.unit in POINT_PARTS


def points_unit(hundredths: Iterable[int]) -> Measure:
    """Return the coarsest measure of points in which all these hundredths of a point are whole numbers."""
    given = list(hundredths)
    unit = next(unit for unit, parts in POINT_PARTS.items() if all(each * parts % 100 == 0 for each in given))
    return Measure(unit, "most")


def parts_of(measure: Measure) -> int:
    """Return how many of this unit make a second or a point; 1 for any other unit."""
    return PARTS.get(measure.unit) or POINT_PARTS.get(measure.unit, 1)


def same_kind(first: Measure, second: Measure) -> bool:
    """Whether results in one of these units can be given in the other: both are times, or both are points."""
    both = is_time(first) and is_time(second), is_points(first) and is_points(second)
    return any(both) or first.unit == second.unit


def is_time(measure: Measure) -> bool:
    """Return whether results are times."""
    return measure.unit in PARTS


def time_unit(times: Iterable[int]) -> Measure:
    """Return the coarsest measure of time in which all these thousandths of a second are whole numbers."""
    given = list(times)
    unit = next(unit for unit, parts in PARTS.items() if all(each * parts % 1000 == 0 for each in given))
    return Measure(unit, "fewest")


def worse(measure: Measure) -> int:
    """The change of a result by a penalty of one: 1 when the fewest win, -1 when the most win."""
    return 1 if measure.better == "fewest" else -1


def with_added(result: int, added: int, measure: Measure) -> int:
    """Return a result with penalties added; a negative `added` is a bonus."""
    return result + worse(measure) * added


def worst(first: int, second: int, measure: Measure) -> int:
    """Return the worse of two results."""
    return max(first, second) if measure.better == "fewest" else min(first, second)


def key_of(total: int, rank: tuple[int, ...], measure: Measure) -> tuple[int, tuple[int, ...]]:
    """Return the sort key of a result, the best first. Equal keys share a place."""
    return worse(measure) * total, rank


def fits_a_stage(result: int, measure: Measure) -> bool:
    """Whether a stage can have this result: no time is below zero, no place is below the first."""
    if is_time(measure):
        return 0 <= result <= MOST_ON_A_STAGE * PARTS[measure.unit]
    most = MOST_ON_A_STAGE * parts_of(measure)
    return (1 if measure.unit == "places" else -most) <= result <= most


def may_be_given(result: int, measure: Measure) -> bool:
    """Whether people may give a stage this result by hand or in a list. A time of 0 is none: lists hold it for cars
    that have no time, and it would win.
    """
    return fits_a_stage(result, measure) and not (is_time(measure) and result == 0)


def measure_of_game(name: str) -> Measure:
    """Return the measure of the game of that name."""
    return registry.get(name).measure


def measure_of(about: Any) -> Measure:
    """Return the measure of a rally, of a mapping that `plain` returned, or of a measure itself; seconds for anything
    else.
    """
    if isinstance(about, Measure):
        return about
    if isinstance(about, Mapping):
        return Measure(about["unit"], about["better"])
    found = getattr(about, "measure", None)
    return found if isinstance(found, Measure) else SECONDS


def plain(measure: Measure) -> dict[str, str]:
    """Return a measure as a JSON value."""
    return {"unit": measure.unit, "better": measure.better}


def in_seconds(value: int | None, measure: Measure) -> int | Decimal | None:
    """Return an amount for a table of numbers: parts of a second or a point with decimals, all else as it is."""
    parts = parts_of(measure)
    return value if value is None or parts == 1 else Decimal(value) / parts


# In words ------------------------------------------------------------------------------------------


def clock_time(seconds: int) -> str:
    """Return seconds as a time: 232 is 3:52, 3725 is 1:02:05; a negative time has a minus."""
    hours, rest = divmod(abs(seconds), 3600)
    minutes, left = divmod(rest, 60)
    told = f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"
    return f"−{told}" if seconds < 0 else told


def _time_of(value: int, measure: Measure) -> str:
    """Return a time in a unit of time: 2054 tenths are 3:25.4."""
    parts = PARTS[measure.unit]
    if parts == 1:
        return clock_time(value)
    whole, rest = divmod(abs(value), parts)
    sign = "−" if value < 0 else ""
    return f"{sign}{clock_time(whole)}{get_format('DECIMAL_SEPARATOR')}{rest:0{len(str(parts)) - 1}d}"


def result(value: int | None, measure: Measure) -> str:
    """Return the result of one stage: "3:52", "38 points", "place 3"; a dash for none."""
    if value is None:
        return NOTHING
    if measure.unit == "places" and value > 0:
        return pgettext("result of a stage", "place %(n)d") % {"n": value}
    return total(value, measure)


def total(value: int | None, measure: Measure) -> str:
    """Return the total of several stages: "12:34", "38 points", "7 places"; a dash for none."""
    if value is None:
        return NOTHING
    return _time_of(value, measure) if is_time(measure) else _counted(value, measure)


def gap(value: int | None, measure: Measure) -> str:
    """Return the gap from a better result, or a penalty, with its sign; empty for none.

    12 is "+0:12", "−12 points" when the most win, "+12 points" when the fewest win. A bonus has the other sign.
    """
    if value is None:
        return ""
    if is_time(measure):
        return f"{sign(value, measure) or '+'}{_time_of(abs(value), measure)}"
    return f"{sign(value, measure)}{_counted(abs(value), measure)}"


def gap_figure(value: int | None, measure: Measure) -> str:
    """Return a gap for a narrow column whose head contains the unit: "−240" for points."""
    if value is None or not is_points(measure):
        return gap(value, measure)
    return f"{sign(value, measure)}{figure(abs(value), measure)}"


def figure(value: int, measure: Measure) -> str:
    """Return an amount of points without its unit: 17 half points are 8.5."""
    parts = parts_of(measure)
    return str(value) if parts == 1 else localize(Decimal(value) / parts)


def sign(value: int, measure: Measure) -> str:
    """Return the sign of a gap or a penalty as it is written: "+", "−", or "" for 0."""
    adds = value * worse(measure)
    return "+" if adds > 0 else "−" if adds < 0 else ""


def amount(value: int, measure: Measure) -> str:
    """Return an amount in words: "40 seconds", "5 points", "2 places", "3 turns"."""
    if is_time(measure) and measure.unit != "seconds":
        return _("%(time)s s") % {"time": localize(Decimal(value) / PARTS[measure.unit])}
    if measure.unit == "seconds":
        return ngettext("%(n)d second", "%(n)d seconds", value) % {"n": value}
    return _counted(value, measure)


def distance(value: int, measure: Measure) -> str:
    """Return the size of a gap, without a sign: "0:12", "12 points"."""
    return _time_of(abs(value), measure) if is_time(measure) else _counted(abs(value), measure)


def _counted(value: int, measure: Measure) -> str:
    """Return "1 point", "38 points", "2 places", "−3 turns"."""
    size = abs(value)
    whole, rest = divmod(size, parts_of(measure))
    if is_points(measure) and rest:
        told = _("%(n)s points") % {"n": figure(size, measure)}
    elif is_points(measure):
        size = whole
        told = ngettext("%(n)d point", "%(n)d points", size) % {"n": size}
    elif measure.unit == "places":
        told = ngettext("%(n)d place", "%(n)d places", size) % {"n": size}
    else:
        own = catalogue.unit_called(measure.unit)
        told = own.count(size) if own else f"{size} {measure.unit}"
    return f"−{told}" if value < 0 else told


def best_word(measure: Measure) -> str:
    """Return the word for the best of several results: "fastest" for times, else "best"."""
    return _("fastest") if is_time(measure) else pgettext("of several results", "best")


def unit_name(unit: str) -> str:
    """Return the name of a unit within a sentence: "points", "turns". A unit without words has its plain name."""
    named = {
        "seconds": _("seconds"),
        "tenths": _("tenths of a second"),
        "hundredths": _("hundredths of a second"),
        "thousandths": _("thousandths of a second"),
        **dict.fromkeys(POINT_PARTS, _("points")),
        "places": _("places"),
    }
    own = catalogue.unit_called(unit)
    return named.get(unit) or (str(own.several) if own else unit)


def unit_label(measure: Measure) -> str:
    """Return the unit as the label of a field."""
    named = {"seconds": _("Seconds"), **dict.fromkeys(POINT_PARTS, _("Points")), "places": _("Places")}
    return named.get(measure.unit) or capfirst(unit_name(measure.unit))


def result_head(measure: Measure) -> str:
    """Return the head of a column of results."""
    places = pgettext("head of a column of results", "Place result")
    return _("Time") if is_time(measure) else {"places": places}.get(measure.unit) or unit_label(measure)


def running_head(measure: Measure) -> str:
    """Return the head of a column of totals that are not final yet."""
    return _("Time") if is_time(measure) else {"places": _("Sum of places")}.get(measure.unit) or unit_label(measure)


def final_head(measure: Measure) -> str:
    """Return the head of a column of final results of a rally."""
    if is_time(measure):
        return _("Final time")
    named = {**dict.fromkeys(POINT_PARTS, _("Final points")), "places": _("Final sum of places")}
    return named.get(measure.unit) or _("Total (%(unit)s)") % {"unit": unit_name(measure.unit)}
