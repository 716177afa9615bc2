"""The situations of the scenes: cars put on short roads by the engine's set-up, and turns begun with laid dice.

The pupil is seat 1. Alone, a car rolls coast dice also where it opens the round, as on every stage driven alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from championship.runs.watch.scenes import Opening
from engine.dirt.game import game
from engine.dirt.scenario import Given

PUPIL = "1"
CALM, WARNING = 5, 0
"""A laid die without a warning, and one with a warning."""
CRASH, SPIN = 0, -1
"""A laid card: from one end of a deck lie the crashes, from the other the spins."""

STRAIGHT: Sequence[Any] = ("202a", "206a", "205a", "204a", "203a")
BEND: Sequence[Any] = ("202a", "206a", {"tile": "217a", "via": "DB"}, "205a", "203a")
"""Tile 3: a bend, inside 2, outside 3, with a slide before and behind it."""
WIDE_BEND: Sequence[Any] = ("202a", "205a", {"tile": "223a", "via": "BD"}, "204a", "203a")
"""Tile 3: a bend, inside 3, outside 4."""
HAIRPIN: Sequence[Any] = ("202a", "214b", "203a")
"""Tile 2: a bend, inside 1, outside 2, with a shortcut of limit 5."""
BUMP: Sequence[Any] = ("202a", "206b", "205a", "203a")
"""Tile 2: a row, a bump of 5, two rows."""
FORD: Sequence[Any] = ("202a", "207b", "203a")
"""Tile 2: a row, a bump of 4, water, a row."""


def car(space: str, gear: int, **more: Any) -> dict[str, Any]:
    """Return a car on a space in a gear. `more`: tokens; damage by kind; spare and sisu, False when used."""
    return {"space": space, "gear": gear, **more}


def on(
    tiles: Sequence[Any],
    *cars: Mapping[str, Any],
    draws: Sequence[int] = (),
    queue: Sequence[str] = (),
    mud: Mapping[int, int] | None = None,
    begun: Sequence[Mapping[str, Any]] = (),
    dice: str = "",
    service: bool = False,
    **options: Any,
) -> partial[Opening]:
    """Return what makes an opening, new each time: the pupil's car and those of codrivers on a road.

    `queue`: who plays in this round, where not all do. `mud`: markers of others by tile. `begun`: orders of the pupil
    that are carried out with `dice` before the scene. `draws`: the draws of the scene.
    """
    return partial(_opened, tiles, cars, draws, queue, mud or {}, begun, dice, service, options)


def _opened(
    tiles: Sequence[Any],
    cars: Sequence[Mapping[str, Any]],
    draws: Sequence[int],
    queue: Sequence[str],
    mud: Mapping[int, int],
    begun: Sequence[Mapping[str, Any]],
    dice: str,
    service: bool,
    chosen: Mapping[str, Any],
) -> Opening:
    rules = game()
    options = rules.clean_options(chosen)
    if len(cars) == 1:
        options = rules.alone(options)
    course = rules.in_rally(rules.read_course({"tiles": list(tiles), "boxes": 2, "service": service}), last=not service)
    seats = tuple(str(number) for number in range(1, len(cars) + 1))
    entrants = [_entrant(name, each, rules.new_luggage(options)) for name, each in zip(seats, cars, strict=True)]
    state = rules.setup(course, entrants, options)
    if queue:
        state = {**state, "queue": list(queue)}
    state = {**state, "mud": {str(tile): {"other": count} for tile, count in mud.items()}}
    given = Given(dice=dice)
    for orders in begun:
        state, _events = rules.play(state, PUPIL, orders, given)
    return Opening(course, options, state, PUPIL, seats, tuple(draws))


def _entrant(name: str, given: Mapping[str, Any], car: dict[str, Any]) -> dict[str, Any]:
    damage = {**car["damage"], **given.get("damage", {})}
    own = {**car, "damage": damage, "spare": given.get("spare", car["spare"]), "sisu": given.get("sisu", car["sisu"])}
    placed = {word: given[word] for word in ("space", "gear", "tokens") if word in given}
    return {"id": name, "luggage": own, **placed}
