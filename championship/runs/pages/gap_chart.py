"""The gap chart: each car's gap to the best along the course, in the unit of the game, drawn as one SVG.

Colours, dashes and fonts are classes of static/css/replay.css. The page also has a table with the same numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from championship.rallies.models import COLOURS
from championship.rallies.results import measures
from championship.rallies.results.measures import Measure
from championship.runs.watch.gaps import CarGaps, Gaps

Point = tuple[int, int]
"""A column along the course, and the gap there in the unit of the game."""

MOST_LINES = 12
"""How many cars a chart can show and stay readable: the fastest, and the viewer's own."""
STEPS = {"seconds": (5, 10, 15, 30, 60, 120, 300, 600, 1200, 3600)}
COUNTED = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""Possible distances between grid lines, by unit: STEPS for clock times, COUNTED for everything that is counted."""
MOST_STEPS = 6
LEFT, RIGHT, TOP, BOTTOM = 58, 46, 14, 40
LABEL = 19
"""The smallest distance between two numbers at the ends of lines."""
BESIDE, BESIDE_STEPS = 4.6, 0.8
"""The distance between the lines of cars with equal gaps, and the most that all of them may take together, as a part of
the grid's smallest step.
"""
MARKERS = (
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    "M-4.6-4.6h9.2v9.2h-9.2z",
    "M0-5.8L5.4 4.2H-5.4z",
    "M0-6.2L6.2 0L0 6.2L-6.2 0z",
    "M0 5.8L5.4-4.2H-5.4z",
    "M-1.9-5.6h3.8v3.7h3.7v3.8h-3.7v3.7h-3.8v-3.7h-3.7v-3.8h3.7z",
    "M-2.9-5h5.8L5.8 0L2.9 5h-5.8L-5.8 0z",
    "M0-6L1.8-1.9L6-1.5L2.8 1.4L3.8 5.6L0 3.4L-3.8 5.6L-2.8 1.4L-6-1.5L-1.8-1.9z",
    "M-5.6-3.2L-3.2-5.6L0-2.4L3.2-5.6L5.6-3.2L2.4 0L5.6 3.2L3.2 5.6L0 2.4L-3.2 5.6L-5.6 3.2L-2.4 0z",
    "M-6.2-2.6h12.4v5.2h-12.4z",
)
"""One shape for each colour of a driver."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The coordinate system: the size of the picture, the columns along the course (start, borders, finish), and, in
    the unit of the game, the largest gap, the step of the grid and the smallest possible step.
    """

    width: int
    height: int
    columns: int
    most: int
    step: int
    least: int
    measure: Measure

    def x(self, column: int) -> float:
        """Return the x coordinate of a column."""
        return LEFT + (self.width - LEFT - RIGHT) * column / max(1, self.columns - 1)

    def y(self, behind: float) -> float:
        """Return the y coordinate of a gap. The best car is at the upper edge."""
        return TOP + 6 + (self.height - TOP - BOTTOM - 6) * behind / self.most


def charted(gaps: Gaps) -> list[CarGaps]:
    """Return the cars that the chart shows: of those with a time, the leading ones and the viewer's own."""
    timed = [car for car in gaps.cars if car.passed or car.finish]
    return [car for index, car in enumerate(timed) if index < MOST_LINES or car.mine]


def gap_chart(gaps: Gaps, *, width: int, height: int, ident: str, foot: str) -> SafeString:
    """Return the chart as an SVG of that size in CSS pixels. `ident` prefixes its ids. `foot` is the word before the
    numbers of the borders.
    """
    cars = charted(gaps)
    lines = [(car, _points(car, gaps.borders)) for car in cars]
    greatest = max((behind for _car, points in lines for _column, behind in points), default=0)
    steps = STEPS.get(gaps.measure.unit, COUNTED)
    step = next((step for step in steps if greatest <= step * MOST_STEPS), steps[-1])
    most = max(step, step * ceil(greatest / step))
    frame = Frame(width, height, gaps.borders + 2, most, step, steps[0], gaps.measure)
    ident = escape(ident)
    body = _grid(frame, foot) + "".join(reversed([_line(car, spots) for car, spots in _side_by_side(frame, lines)]))
    body += _numbers(frame, lines)
    title, about = _("Gaps along the road"), _("The table shows the same in numbers.")
    return mark_safe(  # noqa: S308 - built from numbers and escaped text
        f'<svg xmlns="http://www.w3.org/2000/svg" class="gapchart" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-labelledby="{ident}-title {ident}-about">'
        f'<title id="{ident}-title">{escape(title)}</title><desc id="{ident}-about">{escape(about)}</desc>{body}</svg>'
    )


def _points(car: CarGaps, borders: int) -> list[Point]:
    """Return the points of a car's line: level at the start, then one for each time."""
    found = [(0, 0)]
    found += [(border, time.gap) for border, time in enumerate(car.times, 1) if time is not None]
    return [*found, (borders + 1, car.finish.gap)] if car.finish else found


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _tick(behind: int, measure: Measure) -> str:
    """Return the label of a grid line: a clock time, or a bare number of what is counted."""
    return measures.gap(behind, measure) if measure.unit == "seconds" else f"{measures.sign(behind, measure)}{behind}"


def _grid(frame: Frame, foot_word: str) -> str:
    """Return the lines for gaps and borders, with their labels."""
    left, right = _number(frame.x(0)), _number(frame.x(frame.columns - 1))
    found = []
    for behind in range(0, frame.most + 1, frame.step):
        y = frame.y(behind)
        found.append(
            f'<path class="rule" d="M{left} {_number(y)}H{right}"/>'
            f'<text class="tick" x="{LEFT - 8}" y="{_number(y)}" dy="4">{escape(_tick(behind, frame.measure))}</text>'
        )
    foot = frame.y(frame.most)
    every = max(1, ceil((frame.columns - 2) / max(1, (frame.width - LEFT - RIGHT) // 34)))
    for column in range(frame.columns):
        x = _number(frame.x(column))
        found.append(f'<path class="rule border" d="M{x} {_number(frame.y(0))}V{_number(foot)}"/>')
        if column == frame.columns - 1:
            flag = _number(frame.x(column) - 7)
            found.append(f'<path class="flag" transform="translate({flag} {_number(foot + 7)})" d="{_CHEQUERS}"/>')
        elif column and (column - 1) % every == 0:
            found.append(f'<text class="foot" x="{x}" y="{_number(foot + 18)}">{column}</text>')
    words = escape(foot_word)
    found.append(f'<text class="foot word" x="{left}" y="{frame.height - 4}">{words}</text>')
    return f'<g aria-hidden="true">{"".join(found)}</g>'


_CHEQUERS = "M0 0h4.7v4.7H0zM9.4 0h4.7v4.7H9.4zM4.7 4.7h4.7v4.7H4.7zM0 9.4h4.7v4.7H0zM9.4 9.4h4.7v4.7H9.4z"


def _side_by_side(
    frame: Frame, lines: Sequence[tuple[CarGaps, Sequence[Point]]]
) -> list[tuple[CarGaps, list[tuple[float, float]]]]:
    """Return the lines in picture coordinates. Cars that are level at a border run beside each other, so that each is
    visible.
    """
    together = Counter(point for _car, points in lines for point in points)
    room = frame.y(BESIDE_STEPS * frame.least) - frame.y(0)
    seen: Counter[Point] = Counter()
    drawn = []
    for car, points in lines:
        spots = []
        for point in points:
            column, behind = point
            apart = min(BESIDE, room / max(1, together[point] - 1)) if 0 < column < frame.columns - 1 else 0.0
            spots.append((frame.x(column), frame.y(behind) + apart * seen[point]))
            seen[point] += 1
        drawn.append((car, spots))
    return drawn


def _line(car: CarGaps, spots: Sequence[tuple[float, float]]) -> str:
    """Return a car's line in its colour and dashes over a casing, with a marker at each time."""
    colour = car.seat.entry.colour % COLOURS
    written = [(_number(x), _number(y)) for x, y in spots]
    d = "M" + "L".join(f"{x} {y}" for x, y in written)
    markers = "".join(f'<path transform="translate({x} {y})" d="{MARKERS[colour]}"/>' for x, y in written[1:])
    kind = " out" if car.retired else ""
    return (
        f'<g class="gapline{kind}" data-colour="{colour}" aria-hidden="true">'
        f'<path class="casing" d="{d}"/><path class="stroke" d="{d}"/><g class="markers">{markers}</g></g>'
    )


def _numbers(frame: Frame, lines: Sequence[tuple[CarGaps, Sequence[Point]]]) -> str:
    """Return the start numbers at the ends of the lines, moved apart where they would overlap."""
    found, taken = [], dict[int, float]()
    ends = sorted(((points[-1], car) for car, points in lines), key=lambda end: (end[0], end[1].seat.name))
    for (column, behind), car in ends:
        y = max(frame.y(behind), taken.get(column, -LABEL) + LABEL)
        taken[column] = y
        x = frame.x(column) + 9
        found.append(
            f'<g class="gapnumber" data-colour="{car.seat.entry.colour % COLOURS}" '
            f'transform="translate({_number(x)} {_number(y)})"><rect y="-8.5" width="30" height="17" rx="3"/>'
            f'<rect class="tab" y="-8.5" width="7" height="17" rx="2"/>'
            f'<text x="18.5" dy="4.6">{escape(car.seat.name)}</text></g>'
        )
    return f'<g aria-hidden="true">{"".join(found)}</g>'
