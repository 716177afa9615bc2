"""The table of a turn: a private copy of the state, the chance, and the events so far."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine.chance import Chance, ChanceError, DrawScope, pick
from engine.contract import Event, State
from engine.dirt.course.compiled_stage import Track, compiled
from engine.dirt.facts import CRASH_COLOURS, facts
from engine.dirt.fold import copied, damage_of, fold
from engine.dirt.plan import CarInPlan, start
from engine.dirt.road import Road, limits_under_mud

_SAME_DIE = {"leader": "coast"}
_BACK = re.compile(r"spin|sisu|crash \d/\d/\d", re.ASCII)


def on_the_road(state: State, driver: str) -> bool:
    """Return whether the driver has neither finished nor retired."""
    mine = state["drivers"][driver]
    return not (mine["finished"] or mine["retired"])


def road_for(state: State, driver: str) -> Road:
    """Return the stage as this driver meets it: limits under the others' mud (M2), the others' cars on track (M6)."""
    track = compiled(state["stage"])
    mud = {int(tile): sum(thrown.values()) - thrown.get(driver, 0) for tile, thrown in state["mud"].items()}
    cars = {
        track.index[car["space"]]: car["gear"]
        for other, car in state["drivers"].items()
        if other != driver and car["on_track"] and car["space"] != "grid" and on_the_road(state, other)
    }
    options = state["options"]
    return Road(track, limits_under_mud(track, mud), cars, options["flying_start"], options["redline"])


def leads(state: State, driver: str) -> bool:
    """D6: return whether this driver opens the round and rolls leader dice: only until somebody has finished."""
    nobody_in = not any(car["finished"] for car in state["drivers"].values())
    return bool(state["leader"] == driver and nobody_in)


class Dealer:
    """Draws dice, cards and tokens. A subclass may draw them in another way, as a scenario does."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def number(self, what: str, ends: int, *, by: DrawScope = "run") -> int:
        """Return a random whole number, as `Chance.number`."""
        return self._chance.number(what, ends, by=by)

    def die(self, what: str, *, warnings: int, faces: int, shared: bool) -> bool:
        """D1: roll a die that has a warning on `warnings` of its `faces` faces. Return whether it shows one. `shared`:
        all runs of the stage get the same face for the same words.
        """
        return self.number(what, faces, by="stage" if shared else "run") < warnings

    def card(self, what: str, left: Mapping[str, int], *, seen: bool) -> str | None:
        """E1, E2: draw the top card of a shuffled deck in which `left` cards are left. Return its back. A subclass may
        return None when nobody sees it (`seen` is false).
        """
        return pick(self, what, left)

    def token(self, what: str, left: Mapping[str, int], *, side: int) -> str | None:
        """Draw a two-sided token "a/b" from a bag that holds `left`. `side` 0 or 1 is turned up. Return None when the
        bag is empty.
        """
        return pick(self, what, left) if any(left.values()) else None


class Table:
    """One driver's turn while it is played. The given state never changes; `state` and `events` hold the outcome."""

    def __init__(self, state: State, driver: str, chance: Chance) -> None:
        self.state = copied(state, driver)
        self.driver = driver
        self.deal = chance if isinstance(chance, Dealer) else Dealer(chance)
        self.events: list[Event] = []

    def add_event(self, kind: str, **words: Any) -> None:
        """Add an event about this driver: change the state by it and append it to `events`."""
        event: Event = {"kind": kind, "driver": self.driver, **words}
        fold(self.state, event)
        self.events.append(event)

    @property
    def me(self) -> dict[str, Any]:
        """The state of the driver whose turn it is."""
        mine: dict[str, Any] = self.state["drivers"][self.driver]
        return mine

    @property
    def turn(self) -> dict[str, Any]:
        """The turn that is half made."""
        turn: dict[str, Any] = self.state["turn"]
        return turn

    @property
    def options(self) -> dict[str, Any]:
        """The options of the stage, with the seconds of the cards."""
        options: dict[str, Any] = self.state["options"]
        return options

    @property
    def track(self) -> Track:
        """The compiled stage."""
        return compiled(self.state["stage"])

    def road(self) -> Road:
        """Return the stage as this driver meets it now."""
        return road_for(self.state, self.driver)

    def at_start(self, road: Road) -> CarInPlan:
        """Return the car at the start of this turn, with the dice it had then (E5: damage of this turn counts from the
        next turn on).
        """
        turn = self.turn
        return start(road, road.track.index[turn["space"]], turn["gear"], turn["damage"])

    def draw_name(self, thing: str) -> str:
        """Return the words that name a draw."""
        return f"{self.driver} turn {self.me['turns'] + 1} {thing}"

    def roll(self, move: int, dice: Sequence[str], before: Sequence[str]) -> list[bool]:
        """D1: roll a move's dice. Return their faces, True for a warning. `before` has the dice of the earlier moves of
        the plan.

        With duplicate dice the same die shows the same face to every driver on the n-th turn. Dice of one kind are told
        apart by their order in the plan: the second coast die is the same for all. A leader die counts as a coast die.
        """
        known = facts()
        shared = self.options["dice"] == "duplicate"
        laid = [_SAME_DIE.get(die, die) for die in before]
        faces = []
        for die in dice:
            name = _SAME_DIE.get(die, die)
            laid.append(name)
            what = (
                f"turn {self.me['turns'] + 1} {name} {laid.count(name)}"
                if shared
                else self.draw_name(f"move {move} {die}")
            )
            faces.append(self.deal.die(what, warnings=known.warnings[die], faces=known.faces, shared=shared))
        return faces

    def draw_card(self, gear: int, *, seen: bool) -> str | None:
        """Draw the top card of a gear's deck and return its back. An empty deck is shuffled and full again first.

        Raises: ChanceError when the chance gives a text that is not a back of a card.
        """
        left = self.state["decks"][str(gear)]
        full = facts().decks[gear]
        back = self.deal.card(self.draw_name(f"card of gear {gear}"), left if any(left.values()) else full, seen=seen)
        if back is not None and not _BACK.fullmatch(back):
            raise ChanceError(f"{back[:20]!r} is no back of a card: spin, sisu, or crash with three numbers of tokens")
        return back

    def draw_token(self, side: int, tile: int) -> None:
        """Draw a token from the bag, its damage side (0) or its shortcut side (1) up. An empty bag gives none (own
        rule).

        Raises: ChanceError when the chance gives a side that is on no token.
        """
        token = self.deal.token(self.draw_name("token"), self.state["bag"], side=side)
        if token is None:
            return
        shows = token.split("/")[side]
        if shows not in (words := {printed.split("/")[side] for printed in facts().bag}):
            raise ChanceError(f"{shows[:20]!r} is on no token: {', '.join(sorted(words))} are")
        self.add_event("token", token=token, shows=shows, tile=tile)

    def crash_tokens(self, back: str) -> None:
        """E3: draw as many damage tokens as the card shows for the colour of the tile."""
        space = self.track.spaces[self.track.index[self.me["space"]]]
        by_colour = back.removeprefix("crash ").split("/")
        for _ in range(int(by_colour[CRASH_COLOURS.index(space.hazard)])):
            self.draw_token(0, space.tile)

    def damage(self) -> dict[str, int]:
        """Return the damage of the car now, by kind."""
        return damage_of(self.me)
