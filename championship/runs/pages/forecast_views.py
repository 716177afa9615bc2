"""The page of who is likely to win a stage and its rally, for spectators."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.rallies import selectors as rallies
from championship.rallies.models import COLOURS
from championship.runs.watch.luck import forecasts

WIDE, NARROW = (640, 260), (340, 260)
LEFT, RIGHT, TOP, BOTTOM = 48, 14, 12, 14
SURE = 1000
"""A chance is given in thousandths."""


@require_safe
def forecast(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Show the chance of each car to win the stage and the rally, and how it changed."""
    special_stage = rallies.stage_of(rallies.rally_by_key(key, request.user), number)
    found = forecasts.forecast_of(special_stage, request.user)
    context = {
        "stage": special_stage,
        "rally": special_stage.rally,
        "found": found,
        "lines": [
            (car, in_percent(car.stage, found.simulations), in_percent(car.rally, found.simulations))
            for car in found.cars
        ],
        "error": max(1, round(found.error / 10)),
        "charts": charts_of([(car.entry.colour, car.curve) for car in found.cars])
        if found.cars and len(found.cars[0].curve) > 1
        else (),
        "crumbs": [
            (special_stage.rally.title, special_stage.rally.get_absolute_url()),
            (special_stage.title, special_stage.get_absolute_url()),
            (_("Who will win?"), None),
        ],
    }
    return render(request, "runs/forecast.html", context)


def in_percent(chance: int, simulations: int) -> str:
    """Return a chance, given in thousandths, in percent. One that so few simulations cannot tell from nothing, or from
    certainty, is told as a bound: what never happened in 100 simulations is "< 1".
    """
    least, said = max(1, ceil(100 / max(1, simulations))), round(chance / 10)
    if said == 0:
        return f"< {least}"
    return f"> {100 - least}" if said == 100 else str(said)


def charts_of(curves: Sequence[tuple[int, Sequence[int]]]) -> tuple[SafeString, SafeString]:
    """Return chances over time as SVG, for wide and for narrow windows: a line for each pair of a colour and the
    chances in thousandths. There must be one at least. The page has the last ones in a table.
    """
    return _chart(curves, *WIDE), _chart(curves, *NARROW)


def _chart(curves: Sequence[tuple[int, Sequence[int]]], width: int, height: int) -> SafeString:
    columns = len(curves[0][1])

    def spot(column: int, chance: int) -> str:
        x = LEFT + (width - LEFT - RIGHT) * column / max(1, columns - 1)
        return f"{x:.1f} {TOP + (height - TOP - BOTTOM) * (1 - chance / SURE):.1f}"

    grid = "".join(
        f'<path class="rule" d="M{spot(0, chance)}L{spot(columns - 1, chance)}"/>'
        f'<text class="tick" x="{LEFT - 6}" y="{float(spot(0, chance).split()[1]) + 4:.1f}">{chance // 10} %</text>'
        for chance in (0, 250, 500, 750, SURE)
    )
    lines = "".join(
        f'<g class="gapline" data-colour="{colour % COLOURS}" aria-hidden="true">'
        f'<path class="casing" d="{d}"/><path class="stroke" d="{d}"/></g>'
        for colour, curve in reversed(curves)
        for d in ["M" + "L".join(spot(column, chance) for column, chance in enumerate(curve))]
    )
    title = escape(_("The chance to win, over time"))
    return mark_safe(  # noqa: S308 - built from numbers and escaped text
        f'<svg xmlns="http://www.w3.org/2000/svg" class="gapchart" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{title}"><title>{title}</title>{grid}{lines}</svg>'
    )
