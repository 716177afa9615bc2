"""How a season developed: each driver's points after every round, drawn as one SVG.

Colours, dashes and fonts are classes of static/css/replay.css, as in the gap chart. The page also has a table with the
same numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import ceil

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from championship.rallies.models import COLOURS
from championship.runs.pages.gap_chart import MARKERS
from championship.seasons.models import Round
from championship.seasons.scoring import tables
from championship.seasons.scoring.values import Number, as_number
from championship.seasons.selectors import Line, Table

IN_FRONT = 6
"""How many drivers are shown when none are chosen."""
MOST_CURVES = 12
"""The most curves that a reader can tell apart."""
Size = tuple[int, int, int]
"""Width and height in CSS pixels, and the width reserved for names on the right."""
WIDE: Size = (960, 440, 190)
NARROW: Size = (360, 400, 44)
LEFT, TOP, BOTTOM = 46, 16, 40
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000, 2500, 5000)
"""Possible distances between grid lines, in points."""
MOST_STEPS = 7
LABEL = 21
"""The smallest distance between two labels at the ends of curves."""
LONGEST = 20
"""The longest name beside the chart, in characters."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A driver's points after each round that is over. `mine`: the viewer's own."""

    line: Line
    totals: Sequence[Number]
    mine: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """The rounds that are over, the curves that are drawn, and all drivers by place."""

    rounds: Sequence[Round]
    curves: Sequence[Curve]
    everybody: Sequence[Line]

    @property
    def shown(self) -> set[int]:
        """The ids of drivers whose curves are drawn."""
        return {curve.line.who.pk for curve in self.curves}


def progress_of(table: Table, *, chosen: Collection[int], viewer: int | None) -> Progress:
    """Return the curves of the chosen drivers by id, or of the leading drivers where none are chosen; always with the
    viewer's own.

    At most MOST_CURVES curves, by place.
    """
    totals = {
        int(driver): [as_number(total) for total in found] for driver, found in tables.progress(table.season).items()
    }
    selected = [line for line in table.drivers if line.who.pk in chosen] or table.drivers[:IN_FRONT]
    mine = [line for line in table.drivers if line.who.pk == viewer and line not in selected]
    drawn = sorted(selected[: MOST_CURVES - len(mine)] + mine, key=lambda line: line.place)
    return Progress(
        rounds=table.over,
        curves=[Curve(line, totals[line.who.pk], line.who.pk == viewer) for line in drawn],
        everybody=table.drivers,
    )


def progress_chart(progress: Progress, *, size: Size, ident: str) -> SafeString:
    """Return the chart in that size; `ident` prefixes its ids. There must be at least one curve."""
    width, height, _names = size
    greatest = max((total for curve in progress.curves for total in curve.totals), default=0)
    step = next((step for step in STEPS if greatest <= step * MOST_STEPS), STEPS[-1])
    frame = _Frame(size, len(progress.rounds), max(step, step * ceil(greatest / step)), step)
    body = frame.grid([each.number for each in progress.rounds])
    body += "".join(_curve(frame, index, curve) for index, curve in reversed(list(enumerate(progress.curves))))
    body += _ends(frame, progress.curves)
    title, about = _("Points after each round"), _("The table shows the same points in numbers.")
    ident = escape(ident)
    return mark_safe(  # noqa: S308 - built from numbers and escaped text
        f'<svg xmlns="http://www.w3.org/2000/svg" class="gapchart" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-labelledby="{ident}-title {ident}-about">'
        f'<title id="{ident}-title">{escape(title)}</title><desc id="{ident}-about">{escape(about)}</desc>{body}</svg>'
    )


class _Frame:
    """The coordinate system: rounds from left to right, after a start at 0 points; points upwards."""

    def __init__(self, size: Size, rounds: int, most: int, step: int) -> None:
        self.width, self.height, self.names = size
        self.rounds, self.most, self.step = rounds, most, step

    def x(self, column: int) -> float:
        return LEFT + (self.width - LEFT - self.names) * column / max(1, self.rounds)

    def y(self, points: Number) -> float:
        return self.height - BOTTOM - (self.height - TOP - BOTTOM) * max(0.0, float(points)) / self.most

    def grid(self, numbers: Sequence[int]) -> str:
        """Return the lines for points and rounds, with their labels."""
        left, right = _number(self.x(0)), _number(self.x(self.rounds))
        found = []
        for points in range(0, self.most + 1, self.step):
            y = _number(self.y(points))
            found.append(
                f'<path class="rule" d="M{left} {y}H{right}"/>'
                f'<text class="tick" x="{LEFT - 8}" y="{y}" dy="4">{points}</text>'
            )
        for column, number in enumerate(numbers, 1):
            x, foot = _number(self.x(column)), self.y(0)
            found.append(f'<path class="rule border" d="M{x} {_number(self.y(self.most))}V{_number(foot)}"/>')
            found.append(f'<text class="foot" x="{x}" y="{_number(foot + 18)}">{number}</text>')
        words = escape(_("after round"))
        found.append(f'<text class="foot word" x="{left}" y="{self.height - 4}">{words}</text>')
        return f'<g aria-hidden="true">{"".join(found)}</g>'


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _curve(frame: _Frame, index: int, curve: Curve) -> str:
    """Return a driver's curve in colour and dashes over a casing, with a marker after each round."""
    spots = [(_number(frame.x(column)), _number(frame.y(total))) for column, total in enumerate((0, *curve.totals))]
    d = "M" + "L".join(f"{x} {y}" for x, y in spots)
    shape = MARKERS[(index + 3 * (index // COLOURS)) % len(MARKERS)]
    markers = "".join(f'<path transform="translate({x} {y})" d="{shape}"/>' for x, y in spots[1:])
    return (
        f'<g class="gapline{" mine" if curve.mine else ""}" data-colour="{index % COLOURS}" aria-hidden="true">'
        f'<path class="casing" d="{d}"/><path class="stroke" d="{d}"/><g class="markers">{markers}</g></g>'
    )


def _ends(frame: _Frame, curves: Sequence[Curve]) -> str:
    """Return the places, and names where there is room, at the ends of the curves, moved apart where they would
    overlap.
    """
    found, lowest = [], float(TOP) - LABEL
    ends = sorted(enumerate(curves), key=lambda end: -end[1].totals[-1])
    for left, (index, curve) in zip(range(len(ends), 0, -1), ends, strict=True):
        room = frame.height - 14 - LABEL * (left - 1)
        lowest = max(lowest + LABEL, min(frame.y(curve.totals[-1]), room))
        name = str(curve.line.who)
        name = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
        beside = f'<text class="name" x="38" dy="4.6">{escape(name)}</text>' if frame.names > 60 else ""
        found.append(
            f'<g class="gapnumber{" mine" if curve.mine else ""}" data-colour="{index % COLOURS}" '
            f'transform="translate({_number(frame.x(frame.rounds) + 9)} {_number(lowest)})">'
            f'<rect y="-8.5" width="32" height="17" rx="3"/><rect class="tab" y="-8.5" width="8" height="17" rx="2"/>'
            f'<text x="20" dy="4.6">{curve.line.place}.</text>{beside}</g>'
        )
    return f'<g aria-hidden="true">{"".join(found)}</g>'
