"""The drawing of a risk: lines of the chance to keep control from move to move, and bars of warnings, in drawing units.

Coordinates are strings, so that no locale's decimal format gets into an attribute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.safestring import mark_safe
from django.utils.translation import ngettext

from championship.games.dirt.words import SURE, percent

LEFT, RIGHT, TOP, BOTTOM = 40, 262, 12, 100
BETWEEN_LABELS = 15
HIGH = 0.55
MARKS = {
    "one": mark_safe('<circle class="one" r="3.4"/>'),
    "stop": mark_safe('<path class="stop" d="M0-4 4 0 0 4-4 0Z"/>'),
    "flat": mark_safe('<path class="flat" d="M-5.2-5.2H5.2V5.2H-5.2Z"/>'),
}
"""The mark of a rolling mode, around 0 0: a dot, a diamond, an open square."""
GROUND, TALLEST, BAR, BETWEEN_BARS = 40, 24, 44, 62


@dataclass(frozen=True, slots=True)
class Dot:
    """A point on the drawing."""

    x: str
    y: str


@dataclass(frozen=True, slots=True)
class Label:
    """A text on the drawing. `kinds` are the rolling modes to which it belongs."""

    x: str
    y: str
    text: str
    kinds: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """The chance of a number of warnings. `limit`: with this number or more, control is lost."""

    x: str
    y: str
    height: str
    middle: str
    count: str
    chance: str
    limit: bool
    heard: str


def floor_of(shares: Sequence[float]) -> float:
    """Return the lower end of the grid: one half as long as no line is that low, so that small risks can be seen."""
    return 0.5 if min(shares) > HIGH else 0.0


def line(kept: Sequence[float], floor: float) -> str:
    """Return the points of a line, starting at the certainty before the first move."""
    return " ".join(f"{_x(number, len(kept))},{_y(share, floor)}" for number, share in enumerate([1.0, *kept]))


def dots(kept: Sequence[float], floor: float, *, off: Sequence[float] = ()) -> list[Dot]:
    """Return a point for each move, except where it coincides with that of the line `off`."""
    return [
        Dot(_x(number, len(kept)), _y(share, floor))
        for number, share in enumerate(kept, 1)
        if not off or abs(off[number - 1] - share) > SURE
    ]


def moves(signs: Sequence[str]) -> list[Label]:
    """Return a sign below each move."""
    return [Label(_x(number, len(signs)), str(BOTTOM + 20), sign) for number, sign in enumerate(signs, 1)]


def levels(floor: float) -> list[Label]:
    """Return the labels of the grid: top, middle, floor."""
    return [Label(str(LEFT - 6), _y(share, floor), percent(share)) for share in (1.0, (1 + floor) / 2, floor)]


def ends(shares: Mapping[str, float], floor: float) -> list[Label]:
    """Return the final percentage of each kind of line, beside its end. Equal ones share a label, and no label overlaps
    another.
    """
    kinds: dict[str, list[str]] = {}
    height: dict[str, float] = {}
    for kind, share in shares.items():
        kinds.setdefault(percent(share), []).append(kind)
        height.setdefault(percent(share), float(_y(share, floor)))
    labels: list[Label] = []
    lowest = BOTTOM - BETWEEN_LABELS * (len(kinds) - 1)
    free_from = float(TOP)
    for text in sorted(kinds, key=height.__getitem__):
        y = max(min(height[text], lowest), free_from)
        labels.append(Label(str(RIGHT + 10), f"{y:.1f}", text, " ".join(kinds[text])))
        free_from, lowest = y + BETWEEN_LABELS, lowest + BETWEEN_LABELS
    return labels


def bars(warnings: Sequence[float]) -> list[Bar]:
    """Return the chances of 0, 1, ... warnings as bars side by side."""
    found = []
    for count, share in enumerate(warnings):
        limit = count == len(warnings) - 1
        left, height = LEFT + count * BETWEEN_BARS, TALLEST * share / max(warnings)
        found.append(
            Bar(
                x=str(left),
                y=f"{GROUND - height:.1f}",
                height=f"{height:.1f}",
                middle=str(left + BAR // 2),
                count=f"{count}+" if limit else str(count),
                chance=percent(share),
                limit=limit,
                heard=_heard(count, percent(share), limit=limit),
            )
        )
    return found


def _heard(count: int, chance: str, *, limit: bool) -> str:
    """Return a bar in words, for screen readers."""
    if limit:
        words = ngettext("%(number)s warning or more: %(percent)s", "%(number)s warnings or more: %(percent)s", count)
    else:
        words = ngettext("%(number)s warning: %(percent)s", "%(number)s warnings: %(percent)s", count)
    return words % {"number": count, "percent": chance}


def _x(number: int, moves: int) -> str:
    """Return the x of the line after that number of moves."""
    return f"{LEFT + (RIGHT - LEFT) * number / moves:.1f}"


def _y(share: float, floor: float) -> str:
    return f"{BOTTOM - (BOTTOM - TOP) * (share - floor) / (1 - floor):.1f}"
