"""Small stages and scenes on them: positions, plans, and the results of chance.

A scene passes chance exactly the results that its turns use: a die, card or token too many or too few fails the test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import pytest

from engine import registry
from engine.chance import ChanceError
from engine.contract import Event, RuleError, SeatResult
from engine.dirt import legal_moves
from engine.dirt.course.compiled_stage import Track, compiled
from engine.dirt.facts import faces
from engine.dirt.plan import start, steps
from engine.dirt.road import Road, limits_under_mud
from engine.dirt.scenario import Given
from engine.dirt.turn import AT_ONCE

RULES = registry.get("dirt")
UNHURT = {"gear": 0, "coast": 0, "brake": 0}

STRAIGHT: list[Any] = ["202a", "206a", "205a", "203a"]
"""Rows and rows: four on tile 2, three on tile 3."""
HAIRPIN: list[Any] = ["202a", "214b", "203a"]
"""Tile 2: slide row, bend to the right (inside 1, outside 2, 2, 2), slide row; on the right a shortcut of limit 5."""
BUMP: list[Any] = ["202a", "206b", "203a"]
"""Tile 2: a row, a bump of 5, two rows."""
BUMP_FORD: list[Any] = ["202a", "207b", "203a"]
"""Tile 2: a row, a bump of 4, a ford, a row."""
BUMP_LAST: list[Any] = ["202a", "209b", "203a"]
"""Tile 2: two rows, a bump of 3; then a row, the finish line and two rows."""
BUMP_BEND: list[Any] = ["202a", "204b", "224a", "203a"]
"""Tile 2: a row, a bump of 3; tile 3: slide row, bend to the right (inside 3, 3, outside 4, 4, 4), slide row."""


def back(tile: str) -> dict[str, str]:
    """Return a tile driven in the direction opposite to the printed one."""
    return {"tile": tile, "via": faces()[tile].edges[::-1]}


def stage_of(road: str | Sequence[Any]) -> dict[str, Any]:
    """Return a ready-made stage by its number ("1/1"), or a stage of tiles: names as printed, or `back(name)`."""
    spec = RULES.library()[road] if isinstance(road, str) else {"tiles": list(road), "boxes": 9}
    stage: dict[str, Any] = RULES.read_course(spec)
    return stage


def track_of(road: str | Sequence[Any]) -> Track:
    """Return the compiled stage."""
    return compiled(stage_of(road))


def ways(
    road: str | Sequence[Any],
    at: str = "grid",
    gear: int = 0,
    *,
    mud: Mapping[int, int] | None = None,
    damage: Mapping[str, int] | None = None,
) -> set[str]:
    """Return the legal next moves of a car alone on the road, in the notation of plans."""
    track = track_of(road)
    alone = Road(track, limits_under_mud(track, mud or {}), {})
    return {str(step.move) for step in steps(alone, start(alone, track.index[at], gear, damage or {}))}


def car(name: str, at: str | None = None, gear: int = 0, **more: Any) -> dict[str, Any]:
    """Return a driver for a scene: on the grid, or on a space in a gear.

    `tokens`; `damage`; `spare` and `sisu`: False when used; `beside=True` for a car beside the track.
    """
    return {"name": name, "at": at, "gear": gear, **more}


class Scene:
    """A stage being driven. Options are those of the game. `last=False` when another stage follows. `mud` maps a tile
    to the markers there, by the driver who threw them.
    """

    def __init__(
        self,
        road: str | Sequence[Any],
        *cars: Mapping[str, Any] | str,
        last: bool = True,
        mud: Mapping[int, Mapping[str, int]] | None = None,
        **options: Any,
    ) -> None:
        cleaned = RULES.clean_options(options)
        drivers = [car(one) if isinstance(one, str) else one for one in cars]
        self.stage = {**stage_of(road), "last": last}
        self.entrants = [_entrant(driver, cleaned) for driver in drivers]
        self.state = RULES.setup(self.stage, self.entrants, cleaned)
        for driver in drivers:
            if driver.get("beside"):
                self.state["drivers"][driver["name"]]["on_track"] = False
        self.state["mud"] = {str(tile): dict(thrown) for tile, thrown in (mud or {}).items()}
        self.events: list[Event] = []

    def turn(self, driver: str, plan: str = "", dice: str = "", **more: Any) -> Scene:
        """Play a whole turn. Chance: `dice`, `cards`, `tokens`, `shortcuts`. All other arguments are the turn's
        orders.
        """
        given, orders = _told(dice, more)
        self.state, events = RULES.play_recorded(self.state, driver, {"do": "turn", "plan": plan, **orders}, given)
        self.events += events
        _assert_spent(given)
        return self

    def order(self, driver: str, do: str, dice: str = "", **more: Any) -> Scene:
        """Play one order of a turn that is driven step by step. With `sisu=AT_ONCE`, play it as in an old record."""
        given, orders = _told(dice, more)
        play = RULES.play_recorded if orders.get("sisu") == AT_ONCE else RULES.play
        self.state, events = play(self.state, driver, {"do": do, **orders}, given)
        self.events += events
        _assert_spent(given)
        return self

    def refuse(self, rule: str, driver: str, plan: str = "", dice: str = "", **more: Any) -> RuleError:
        """Check that the turn is illegal under that rule, and that nothing has changed."""
        refusal = self.refused(driver, dice, do="turn", plan=plan, **more)
        assert refusal.rule == rule, str(refusal)
        return refusal

    def refused(self, driver: str, dice: str = "", **more: Any) -> RuleError:
        """Check that the order is refused, and that nothing has changed."""
        given, orders = _told(dice, more)
        before = deepcopy(self.state)
        with pytest.raises(RuleError) as refusal:
            RULES.play_recorded(self.state, driver, orders, given)
        assert self.state == before
        return refusal.value

    def car(self, driver: str) -> dict[str, Any]:
        """Return a driver's car as everyone sees it, with its damage by kind."""
        seen = RULES.view(self.state, None)
        return {**seen["drivers"][driver], "damage": seen["damage"][driver]}

    def place(self, driver: str) -> tuple[str, int]:
        """Return the space and the gear of a driver."""
        mine = self.car(driver)
        return mine["space"], mine["gear"]

    def cards(self, driver: str) -> list[int]:
        """Return the seconds of a driver's cards."""
        return list(self.car(driver)["cards"])

    def legal(self, driver: str, draft: str = "") -> set[str]:
        """Return the moves that can follow a draft."""
        return {choice.text for choice in legal_moves.choices(self.state, driver, draft).moves}

    def forced(self, driver: str) -> str | None:
        """Return the rule that forces a driver's plan to be empty."""
        return legal_moves.choices(self.state, driver, "").forced

    def rolls(self) -> list[str]:
        """Return every die rolled so far, in order."""
        dice: list[str] = []
        for event in self.events:
            if event["kind"] == "roll":
                dice += event["dice"]
            elif event["kind"] == "roll all":
                dice += [die for together in event["dice"] for die in together]
        return dice

    @property
    def next(self) -> str | None:
        """Return the driver who has the turn."""
        return next(iter(RULES.to_play(self.state)), None)

    @property
    def round(self) -> list[str]:
        """Return the drivers who still play this round, in order."""
        return list(self.state["queue"])

    @property
    def mud(self) -> dict[str, Any]:
        """Return the mud by tile and thrower."""
        mud: dict[str, Any] = self.state["mud"]
        return mud

    @property
    def finishes(self) -> dict[str, SeatResult]:
        """Return how the stage ended for each driver."""
        result = RULES.result(self.state)
        assert result is not None, "the stage is not over"
        return {finish.seat: finish for finish in result.seats}


def _entrant(driver: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    fresh = RULES.new_luggage(options)
    entrant: dict[str, Any] = {
        "id": driver["name"],
        "car": {
            "damage": {**UNHURT, **driver.get("damage", {})},
            "spare": driver.get("spare", True),
            "sisu": driver.get("sisu", fresh["sisu"]),
        },
        "tokens": driver.get("tokens", 0),
        "gear": driver["gear"],
    }
    if driver["at"] is not None:
        entrant["space"] = driver["at"]
    return entrant


def _told(dice: str, more: dict[str, Any]) -> tuple[Given, dict[str, Any]]:
    drawn = {kind: more.pop(kind, ()) for kind in ("cards", "tokens", "shortcuts")}
    return Given(dice=dice, **drawn), more


def _assert_spent(given: Given) -> None:
    """Check that no die, card or token is left over."""
    draws = {
        "die": lambda: given.die("", warnings=1, faces=6, shared=False),
        "card": lambda: given.card("", {}, seen=True),
        "damage token": lambda: given.token("", {}, side=0),
        "shortcut token": lambda: given.token("", {}, side=1),
    }
    for what, draw in draws.items():
        try:
            draw()
        except ChanceError:
            continue
        raise AssertionError(f"a {what} was given that nobody drew")
