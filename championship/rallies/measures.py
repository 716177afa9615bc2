"""What a stage is won by, put into words: 3:52, 38 points, place 3; gaps and penalties in the same unit.

Penalties are amounts that worsen a result, bonuses are below zero: code that adds them up asks `worse`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from engine import registry
from engine.contract import Measure as Measure

SECONDS = Measure("seconds", "fewest")
POINTS = Measure("points", "most")
PLACES = Measure("places", "fewest")
NOTHING = "–"
"""What stands where there is no result."""
MOST_GIVEN = 3600
"""The greatest penalty or bonus, in any unit."""
MOST_ON_A_STAGE = 100_000
"""No stage takes longer, or brings more."""


def worse(measure: Measure) -> int:
    """What a penalty of one adds to a result: 1 where the fewest win, -1 where the most do."""
    return 1 if measure.better == "fewest" else -1


def with_added(result: int, added: int, measure: Measure) -> int:
    """Return a result with penalties added to it; below zero they are bonuses."""
    return result + worse(measure) * added


def key_of(total: int, rank: tuple[int, ...], measure: Measure) -> tuple[int, tuple[int, ...]]:
    """Return what results are sorted by, the best first. Equal keys share a place."""
    return worse(measure) * total, rank


def fits_a_stage(result: int, measure: Measure) -> bool:
    """Whether a stage can have this result: no time is below zero, no place is below the first."""
    least = {"seconds": 0, "points": -MOST_ON_A_STAGE, "places": 1}[measure.unit]
    return least <= result <= MOST_ON_A_STAGE


def measure_of_game(name: str) -> Measure:
    """Return what the game of that name is won by."""
    return registry.get(name).measure


def measure_of(about: Any) -> Measure:
    """Return the measure of a rally, of a measure as `plain` gives it, or a measure itself; seconds for nothing."""
    if isinstance(about, Measure):
        return about
    if isinstance(about, Mapping):
        return Measure(about["unit"], about["better"])
    found = getattr(about, "measure", None)
    return found if isinstance(found, Measure) else SECONDS


def plain(measure: Measure) -> dict[str, str]:
    """Return a measure as JSON keeps it."""
    return {"unit": measure.unit, "better": measure.better}


# In words ------------------------------------------------------------------------------------------


def clock_time(seconds: int) -> str:
    """Return seconds as a time: 232 is 3:52, 3725 is 1:02:05, below zero it has a minus."""
    hours, rest = divmod(abs(seconds), 3600)
    minutes, left = divmod(rest, 60)
    told = f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"
    return f"−{told}" if seconds < 0 else told


def result(value: int | None, measure: Measure) -> str:
    """Return the result of one stage: "3:52", "38 points", "place 3"; a dash for none."""
    if value is None:
        return NOTHING
    if measure.unit == "places" and value > 0:
        return pgettext("result of a stage", "place %(n)d") % {"n": value}
    return total(value, measure)


def total(value: int | None, measure: Measure) -> str:
    """Return what several stages come to: "12:34", "38 points", "7 places"; a dash for none."""
    if value is None:
        return NOTHING
    return clock_time(value) if measure.unit == "seconds" else _counted(value, measure)


def gap(value: int | None, measure: Measure) -> str:
    """Return how a result differs from a better one, or what a penalty does to it; empty for none.

    12 is "+0:12", "−12 points" where the most win, "+12 points" where the fewest do. A bonus has the other sign.
    """
    if value is None:
        return ""
    if measure.unit == "seconds":
        return f"{sign(value, measure) or '+'}{clock_time(abs(value))}"
    return f"{sign(value, measure)}{_counted(abs(value), measure)}"


def gap_figure(value: int | None, measure: Measure) -> str:
    """Return a gap as it stands in a narrow column below a head that names its unit: "−240" of points."""
    if value is None or measure.unit != "points":
        return gap(value, measure)
    return f"{sign(value, measure)}{abs(value)}"


def sign(value: int, measure: Measure) -> str:
    """Return the sign in which a gap or a penalty is written: "+", "−", or nothing for 0."""
    adds = value * worse(measure)
    return "+" if adds > 0 else "−" if adds < 0 else ""


def amount(value: int, measure: Measure) -> str:
    """Return an amount in words of its own: "40 seconds", "5 points", "2 places"."""
    if measure.unit == "seconds":
        return ngettext("%(n)d second", "%(n)d seconds", value) % {"n": value}
    return _counted(value, measure)


def _counted(value: int, measure: Measure) -> str:
    """Return "1 point", "38 points", "2 places", "−3 points"."""
    size = abs(value)
    if measure.unit == "points":
        told = ngettext("%(n)d point", "%(n)d points", size) % {"n": size}
    elif measure.unit == "places":
        told = ngettext("%(n)d place", "%(n)d places", size) % {"n": size}
    else:
        told = ngettext("%(n)d second", "%(n)d seconds", size) % {"n": size}
    return f"−{told}" if value < 0 else told


def best_word(measure: Measure) -> str:
    """Return what the best of several is called: the fastest by a clock."""
    return _("fastest") if measure.unit == "seconds" else pgettext("of several results", "best")


def unit_label(measure: Measure) -> str:
    """Return the unit as the label of a field."""
    return {"seconds": _("Seconds"), "points": _("Points"), "places": _("Places")}[measure.unit]


def result_head(measure: Measure) -> str:
    """Return what heads a column of results."""
    places = pgettext("head of a column of results", "Place result")
    return {"seconds": _("Time"), "points": _("Points"), "places": places}[measure.unit]


def running_head(measure: Measure) -> str:
    """Return what heads a total that is not final yet."""
    return {"seconds": _("Time"), "points": _("Points"), "places": _("Sum of places")}[measure.unit]


def final_head(measure: Measure) -> str:
    """Return what heads the final results of a rally."""
    return {"seconds": _("Final time"), "points": _("Final points"), "places": _("Final sum of places")}[measure.unit]
