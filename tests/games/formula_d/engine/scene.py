"""Scenes of a race: positions, dice, orders.

A scene passes exactly the dice that its turns use: one too many or too few fails the test.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.formula_d import scenario

SAID: dict[str, list[str]] = json.loads(Path(__file__).with_name("refusals.json").read_text("utf-8"))
"""The text of the refusals, by rule."""
STANDARD = {"tires": 6, "brakes": 3, "gearbox": 3, "body": 3, "engine": 3, "road": 2}


def spaces(text: str) -> list[str]:
    """Expand short names of spaces: "S1.1.1-3 S1.2.4" are S1.1.1, S1.1.2, S1.1.3, S1.2.4."""
    found = []
    for word in text.split():
        stem, _, last = word.partition("-")
        if last:
            lane, _, first = stem.rpartition(".")
            found += [f"{lane}.{index}" for index in range(int(first), int(last) + 1)]
        else:
            found.append(word)
    return found


def car(name: str, space: str | None = None, gear: int | None = None, **more: Any) -> dict[str, Any]:
    """Return a car of a scene."""
    given = {"space": space, "gear": gear}
    return {"id": name, **{key: value for key, value in given.items() if value is not None}, **more}


def turn(name: str, gear: int | None = None, path: str | None = None, **more: Any) -> dict[str, Any]:
    """Return a turn: gear, short path, and other orders."""
    order: dict[str, Any] = {"car": name}
    if gear is not None:
        order["gear"] = gear
    if path is not None:
        order["path"] = spaces(path)
    return {**order, **more}


def slip(path: str, **more: Any) -> dict[str, Any]:
    """Return a slipstream of a turn."""
    return {"path": spaces(path), **more}


def document(
    cars: list[dict[str, Any]],
    turns: list[dict[str, Any]],
    dice: list[int],
    options: dict[str, Any],
    more: dict[str, Any],
) -> dict[str, Any]:
    """Return a scenario file."""
    return {
        "game": "formula_d",
        "track": "monza",
        "options": options,
        "cars": cars,
        "dice": dice,
        "orders": turns,
        **more,
    }


def played(
    cars: list[dict[str, Any]],
    *turns: dict[str, Any],
    dice: list[int],
    more: dict[str, Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Return the result of a race in which all turns are legal and all dice are used."""
    shown, legal = scenario.play(document(cars, list(turns), dice, options, more or {}))
    assert legal, shown
    assert shown["dice_used"] == len(dice), f"{shown['dice_used']} of {len(dice)} dice are rolled"
    return shown


def refused(
    cars: list[dict[str, Any]],
    *turns: dict[str, Any],
    dice: list[int] | None = None,
    more: dict[str, Any] | None = None,
    **options: Any,
) -> str:
    """Return the rule that refuses the last turn, or the set-up if there are no turns. Its text must be in
    `refusals.json`.
    """
    shown, legal = scenario.play(document(cars, list(turns), dice or [], options, more or {}))
    assert not legal, shown
    assert shown["error"]["turn"] == len(turns), shown
    rule, message = shown["error"]["rule"], shown["error"]["message"]
    assert rule == "dice" or message in SAID[rule], f"{rule}: {message}"
    return str(rule)


def lost(shown: dict[str, Any], name: str = "ana") -> dict[str, int]:
    """Return the WP that a standard car has lost, by area."""
    wear = shown["cars"][name]["wp"]
    return {area: first - wear[area] for area, first in STANDARD.items() if first != wear[area]}
