"""The page of lines: two cars and the ideal stage on the map of a run that is over."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.catalogue.svg_elements import wrapped
from championship.catalogue.svg_paths import number
from championship.rallies.results.measures import unit_name
from championship.runs.models import SEAT_LENGTH, Run, Seat
from championship.runs.road_views import Point, Road
from championship.runs.watch import selectors
from championship.runs.watch.car_lines import Lines, cars_to_compare, has_rounds, lines_of
from championship.runs.watch.luck import ledgers

OWN, PAIR, ALL = "own", "pair", "all"
SHOWN = (ALL, PAIR, OWN)
"""What a map may show: all three lines, those of both cars, or that of the first car only."""
WIDTHS = {"ideal": 0.16, "other": 0.095, "own": 0.03}
"""The widths of the lines, as parts of the road view's reach: where two run along together, both are seen."""


@require_safe
def lines(request: HttpRequest, key: str) -> HttpResponse:
    """Show two cars, which `?own=` and `?against=` name by their seats: their lines and that of the ideal stage, or
    round by round where a line would tell nothing of a drive. Without a name: the reader's own car, else the second, or
    the first of the run, against the best of the others. `?lines=`: one of SHOWN.
    """
    run = selectors.run_by_key(key, request.user)
    if has_rounds(run):
        return _rounds(request, run)
    cars = cars_to_compare(run)
    if not cars:
        raise Http404(_("The lines are shown when the cars are in."))
    own, other = _pair(request, run, cars)
    found = lines_of(cars, own, other, request.user) if own and other else None
    choices = SHOWN if found and found.ideal else SHOWN[1:]
    asked = request.GET.get("lines", "")
    shown = OWN if own == other else asked if asked in choices else choices[0]
    named = legend(own.entry.crew, other.entry.crew, shown) if own and other else []
    title = _("Lines on the map")
    context = {
        "run": run,
        "cars": [seat for _run, seat in cars],
        "own": own,
        "other": other,
        "wrong": own is None or other is None,
        "map": lines_svg(found, shown, title, ", ".join(name for _kind, name in named)) if found else "",
        "legend": named,
        "expected": bool(found and found.expected and shown == ALL),
        "lines_shown": shown,
        "choices": choices,
        "crumbs": [*selectors.crumbs(run, linked=True), (title, None)],
    }
    return render(request, "runs/lines.html", context)


def _pair(request: HttpRequest, run: Run, cars: Sequence[tuple[Run, Seat]]) -> tuple[Seat | None, Seat | None]:
    """Return the two cars to compare; twice the same where there is only one. None for a name that no car has, and for
    one that is named twice.
    """
    by_name = {seat.name: seat for _run, seat in cars}
    first, second = (request.GET.get(name, "")[: SEAT_LENGTH + 1] for name in ("own", "against"))
    mine = [seat for _run, seat in cars if request.user.is_authenticated and seat.entry.driver_id == request.user.pk]
    here = [seat for _run, seat in cars if seat.run_id == run.pk]
    own = by_name.get(first) if first else (mine or here[1:] or here)[0]
    best = next((seat for _run, seat in cars if seat != own), own)
    other = by_name.get(second) if second else best
    return own, None if own == other and len(cars) > 1 else other


def _rounds(request: HttpRequest, run: Run) -> HttpResponse:
    """Show two cars round by round, by the results that each could expect after each turn."""
    found = ledgers.ledger_of(run, request.user)
    cars = [(run, car.seat) for car in found.cars]
    own, other = _pair(request, run, cars) if cars else (None, None)
    by_seat = {car.seat: car for car in found.cars}
    title = _("Turn by turn")
    context = {
        "run": run,
        "ledger": found,
        "unit": unit_name(found.unit),
        "cars": [seat for _run, seat in cars],
        "own": own,
        "other": other,
        "wrong": bool(cars) and (own is None or other is None),
        "rounds": ledgers.round_by_round(found, by_seat[own], by_seat[other]) if own and other else [],
        "crumbs": [*selectors.crumbs(run, linked=True), (title, None)],
    }
    return render(request, "runs/rounds.html", context)


def lines_svg(lines: Lines, shown: str, title: str, about: str) -> SafeString:
    """Return the map with these lines. `shown`: one of SHOWN; `about`: which line is whose."""
    drawn = []
    if shown == ALL:
        drawn += [_line("ideal", piece, lines.road.reach) for piece in lines.ideal]
    if shown in (ALL, PAIR):
        drawn.append(_line("other", lines.other, lines.road.reach))
    drawn.append(_line("own", lines.own, lines.road.reach))
    left, top, width, height = map(number, lines.road.bounds)
    body = f'<g aria-hidden="true">{_ground(lines.road)}{"".join(drawn)}</g>'
    box = (left, top, width, height)
    return wrapped(box, body, ident="lines", kind="drawn car-lines", title=title, about=about, static=True)


def _ground(road: Road) -> str:
    """Return the picture of the map, or its outlines where it has none."""
    left, top, width, height = map(number, road.bounds)
    where = f'x="{left}" y="{top}" width="{width}" height="{height}"'
    if road.land:
        return f'<image class="land" href="{escape(road.land)}" {where}/>'
    found = [f'<rect {where} fill="{road.ground}"/>']
    for shape in road.shapes(road.bounds):
        points = " ".join(f"{number(x)},{number(y)}" for x, y in shape.outline)
        border = f' stroke="{shape.border}"' if shape.border else ""
        found.append(f'<polygon points="{points}" fill="{shape.fill}"{border}/>')
    return "".join(found)


def _line(kind: str, points: Sequence[Point], reach: float) -> str:
    if len(points) < 2:
        return ""
    way = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    width = WIDTHS[kind] * reach
    return (
        f'<polyline class="casing" points="{way}" stroke-width="{width + 0.014 * reach:.2f}"/>'
        f'<polyline class="{kind}" points="{way}" stroke-width="{width:.2f}"/>'
    )


def legend(own: str, other: str, shown: str) -> list[tuple[str, str]]:
    """Return the lines that a map shows, each with its class and its name. `own`, `other`: who drives the cars."""
    named = [("own", own), ("other", other), ("ideal", _("Ideal drive"))]
    return named[: {OWN: 1, PAIR: 2, ALL: 3}[shown]]
