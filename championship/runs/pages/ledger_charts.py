"""Charts of ledgers as SVG. The page has the same numbers in tables. Colours and fonts are classes of
static/css/replay.css.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from django.utils.formats import number_format
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from championship.rallies.models import COLOURS
from championship.runs.watch.luck.ledgers import CarLedger, Ledger

WIDTH, HEIGHT, MIDDLE = 360, 190, 10
BAR = 0.3
"""The width of a bar, as a part of the room of a turn."""
NUMBER = 24
"""The smallest distance between two numbers of turns below bars."""
STEPS = (1, 2, 5, 10, 20, 50)
"""Each turn has its number below its bars, or each second, fifth, ... one."""
MOST_LINES = 12
"""How many cars a chart can show and stay readable: the best, and the viewer's own."""
LEFT, RIGHT, TOP, BOTTOM = 44, 40, 12, 28
LABEL = 19
"""The smallest distance between two numbers at the ends of lines."""
NEAR = 4
"""With values that lie nearer together the axis has a decimal: whole numbers would name two heights alike."""


def turn_bars(car: CarLedger) -> SafeString:
    """Return two bars for each turn: what the decisions gave up, and what chance gave or took. What makes the result
    larger points down.
    """
    turns = car.turns
    amounts = [float(amount) for turn in turns for amount in (turn.driving, turn.chance)]
    up, down = max([0.0, *(-amount for amount in amounts)]), max([0.0, *amounts])
    scale, room = (HEIGHT - 34) / ((up + down) or 1), (WIDTH - 2 * MIDDLE) / max(1, len(turns))
    step = next((each for each in STEPS if room * each >= NUMBER), STEPS[-1])
    middle, parts = MIDDLE + up * scale, []
    for column, turn in enumerate(turns):
        left = MIDDLE + room * column
        for place, (name, amount) in enumerate((("driving", turn.driving), ("chance", turn.chance))):
            tall = float(abs(amount)) * scale
            top = middle if amount > 0 else middle - tall
            x = left + room * (0.17 + place * (BAR + 0.06))
            parts.append(
                f'<rect class="{name}" x="{x:.1f}" y="{top:.1f}" width="{room * BAR:.1f}" height="{tall:.1f}"/>'
            )
        if turn.number % step == 0:
            parts.append(f'<text x="{left + room / 2:.1f}" y="{HEIGHT - 6}">{turn.number}</text>')
    line = f'<path class="zero" d="M{MIDDLE} {middle:.1f}H{WIDTH - MIDDLE}"/>'
    return _svg("".join(parts) + line, WIDTH, HEIGHT, _("Decisions and chance, turn by turn"))


def charted(ledger: Ledger) -> list[CarLedger]:
    """Return the cars that the chart over the stage shows."""
    return [car for place, car in enumerate(ledger.cars) if place < MOST_LINES or car.mine]


def expected_lines(ledger: Ledger, *, width: int, height: int) -> SafeString:
    """Return the result to expect after each turn, a line for each car. The best is at the upper edge."""
    cars = charted(ledger)
    lines = [(car, [car.start, *(turn.after for turn in car.turns)]) for car in cars]
    values = [value for _car, line in lines for value in line]
    if not values:
        return SafeString("")
    best, worst = (min, max) if ledger.worse > 0 else (max, min)
    upper, lower = best(values), worst(values)
    columns = max(len(line) for _car, line in lines)

    def x(column: int) -> float:
        return LEFT + (width - LEFT - RIGHT) * column / max(1, columns - 1)

    def y(value: Decimal) -> float:
        return TOP + (height - TOP - BOTTOM) * float((value - upper) / ((lower - upper) or 1))

    decimals = 1 if abs(upper - lower) < NEAR else 0
    grid = "".join(
        f'<path class="rule" d="M{LEFT} {y(value):.1f}H{width - RIGHT}"/>'
        f'<text class="tick" x="{LEFT - 6}" y="{y(value) + 4:.1f}">'
        f"{number_format(round(value, decimals), decimals)}</text>"
        for value in (upper, (upper + lower) / 2, lower)
    )
    every = max(1, (columns - 1) // 8)
    grid += "".join(
        f'<text class="foot" x="{x(column):.1f}" y="{height - 8}">{column}</text>'
        for column in range(0, columns, every)
    )
    drawn = "".join(_line(car, [(x(place), y(value)) for place, value in enumerate(line)]) for car, line in lines)
    numbers = _numbers([(x(len(line) - 1), y(line[-1]), car) for car, line in lines])
    title = _("The result to expect after each turn")
    return _svg(grid + drawn + numbers, width, height, title, kind="gapchart")


def _line(car: CarLedger, spots: Sequence[tuple[float, float]]) -> str:
    d = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
    colour = car.seat.entry.colour % COLOURS
    return (
        f'<g class="gapline" data-colour="{colour}" aria-hidden="true"><path class="casing" d="{d}"/>'
        f'<path class="stroke" d="{d}"/></g>'
    )


def _numbers(ends: Sequence[tuple[float, float, CarLedger]]) -> str:
    """Return the start numbers at the ends of the lines, moved apart where they would overlap."""
    found, last = [], -float(LABEL)
    for x, y, car in sorted(ends, key=lambda end: (end[1], end[2].seat.name)):
        last = max(y, last + LABEL)
        found.append(
            f'<g class="gapnumber" data-colour="{car.seat.entry.colour % COLOURS}" '
            f'transform="translate({x + 6:.1f} {last:.1f})"><rect y="-8.5" width="30" height="17" rx="3"/>'
            f'<rect class="tab" y="-8.5" width="7" height="17" rx="2"/>'
            f'<text x="18.5" dy="4.6">{escape(car.seat.name)}</text></g>'
        )
    return f'<g aria-hidden="true">{"".join(found)}</g>'


def _svg(body: str, width: int, height: int, title: str, kind: str = "ledgerchart") -> SafeString:
    named = escape(title)
    return mark_safe(  # noqa: S308 - built from numbers and escaped text
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{named}"><title>{named}</title>{body}</svg>'
    )
