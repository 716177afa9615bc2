"""A circuit round a pond: the smallest track that has everything. A lap takes a few turns.

Two straights, a corner of two stops and one of one stop, the grid and a pit lane with all boxes.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, pi, sin, tau

from engine.formula_d.facts import facts
from engine.formula_d.track import COLUMNS

AREAS = (("S1", 0, 8), ("C1", 2, 5), ("S2", 0, 4), ("C2", 1, 4), ("S3", 0, 15))
"""The areas in driving order: name, stops, spaces in each lane."""

ROUND = sum(length for _, _, length in AREAS)
PIT_IN, PIT_OUT = ROUND - 14, 2
"""The row where the pit lane leaves the track, and the row where it rejoins on the next lap, in lane 3."""

LANES = (1, 2, 3)
WEATHER = "rain 1-8, unsettled 9-14, good 15-20"


def track(weather: str = WEATHER) -> str:
    """Return the file of the track, as a club imports it."""
    lines = [*_lanes(), *_pits()]
    words = [",".join(str(line.get(column, "")) for column in COLUMNS) for line in lines]
    return "\n".join(["# title: Round the pond", f"# weather: {weather}", ",".join(COLUMNS), *words]) + "\n"


def _name(lane: int, row: int) -> str:
    row %= ROUND
    for name, _, length in AREAS:
        if row < length:
            return f"{name}.{lane}.{row}"
        row -= length
    raise AssertionError("a row is less than the round")


def _place(row: float, inwards: float) -> dict[str, str]:
    """Return the position of a space: on a circle, driven clockwise, its left side outside."""
    angle, radius = tau * row / ROUND, ROUND / tau - inwards
    heading = (angle * 180 / pi + 90) % 360
    return {"x": f"{10 + radius * cos(angle):.2f}", "y": f"{10 + radius * sin(angle):.2f}", "heading": f"{heading:.2f}"}


def _lanes() -> Iterator[dict[str, object]]:
    """Return the lines of the lanes. The spaces of the middle one are half a space farther on."""
    grid = {(1 if place % 2 else 3, ROUND - 1 - place): place for place in range(1, facts().most_cars + 1)}
    for lane in LANES:
        for row in range(ROUND):
            name = _name(lane, row)
            area = next(one for one in AREAS if name.startswith(one[0]))
            beside = [_name(2, row - 1), _name(2, row)] if lane != 2 else []
            beside += [_name(one, row + on) for one in (1, 3) for on in (0, 1) if lane == 2]
            sideways = [_name(2, row)] if lane != 2 else [_name(1, row + 1), _name(3, row + 1)]
            pits = ["P.0.0"] if (lane, row) == (3, PIT_IN) else []
            yield {
                "space": name,
                "kind": "corner" if area[1] else "straight",
                "corner": area[0][1:] if area[1] else "",
                "stops": area[1] or "",
                "lane": lane,
                "finish": "" if row else 1,
                "grid": grid.get((lane, row), ""),
                "along": 2 * row + (lane == 2),
                "next": " ".join([_name(lane, row + 1), *sideways, *pits]),
                "adjacent": " ".join([_name(lane, row - 1), _name(lane, row + 1), *beside]),
                "ahead": _name(lane, row + 1),
                "beside": " ".join(beside),
                **_place(row + (lane == 2) / 2, (lane - 2) * 0.55),
                "derived": 1,
            }


def _pits() -> Iterator[dict[str, object]]:
    """Return the lines of the pit lane and of the boxes: a box at each of its spaces but the first and the last two."""
    boxes = facts().boxes
    last = ROUND + PIT_OUT - PIT_IN - 3
    by_space = dict(enumerate(boxes, 2))
    for number in range(last + 1):
        onward = f"P.0.{number + 1}" if number < last else _name(3, PIT_OUT)
        box = [f"PIT{by_space[number]}"] if number in by_space else []
        yield {
            "space": f"P.0.{number}",
            "kind": "pit",
            "lane": 0,
            "along": 2 * (PIT_IN + 1 + number),
            "next": " ".join([onward, *box]),
            "ahead": onward if number < last else "",
            **_place(PIT_IN + 1 + number, 1.5),
            "derived": 1,
        }
    for number, box_name in by_space.items():
        yield {
            "space": f"PIT{box_name}",
            "kind": "stall",
            "lane": 0,
            "garage": box_name,
            "along": 2 * (PIT_IN + 1 + number),
            "next": f"P.0.{number + 1}",
            "ahead": f"P.0.{number + 1}",
            **_place(PIT_IN + 1 + number, 2.2),
            "derived": 1,
        }
