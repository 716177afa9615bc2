"""The table a turn is played at: a private copy of the state, the chance at hand, and the events told so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from engine.chance import Chance, ChanceError
from engine.contract import Event, State
from engine.dirt.compiled_stage import Track, compiled
from engine.dirt.dealing import Dealer
from engine.dirt.facts import facts
from engine.dirt.fold import copied, damage_of, fold
from engine.dirt.plan import At, start
from engine.dirt.road import Road, limits_under_mud

_SAME_DIE = {"leader": "coast"}
CRASH_COLOURS = ("yellow", "orange", "red")
_BACK = re.compile(r"spin|sisu|crash \d/\d/\d", re.ASCII)


def on_the_road(state: State, driver: str) -> bool:
    """Whether the driver takes part in the stage still."""
    mine = state["drivers"][driver]
    return not (mine["finished"] or mine["retired"])


def road_for(state: State, driver: str) -> Road:
    """The stage as this driver meets it: limits under the others' mud (M2), the others' cars on the track (M6)."""
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
    """D6: whether this driver opened the round and drives with leader dice."""
    nobody_in = not any(car["finished"] for car in state["drivers"].values())
    return bool(state["leader"] == driver and nobody_in)


class Table:
    """One driver's turn in the making. Nothing of the given state changes; `state` and `events` are what came of it."""

    def __init__(self, state: State, driver: str, chance: Chance) -> None:
        self.state = copied(state, driver)
        self.driver = driver
        self.deal = chance if isinstance(chance, Dealer) else Dealer(chance)
        self.events: list[Event] = []

    def tell(self, kind: str, **words: Any) -> None:
        """An event about this driver: it happens and is written down."""
        event: Event = {"kind": kind, "driver": self.driver, **words}
        fold(self.state, event)
        self.events.append(event)

    @property
    def me(self) -> dict[str, Any]:
        """The driver whose turn it is."""
        mine: dict[str, Any] = self.state["drivers"][self.driver]
        return mine

    @property
    def turn(self) -> dict[str, Any]:
        """The turn that is half made."""
        turn: dict[str, Any] = self.state["turn"]
        return turn

    @property
    def options(self) -> dict[str, Any]:
        """The options of the stage, seconds of the cards among them."""
        options: dict[str, Any] = self.state["options"]
        return options

    @property
    def track(self) -> Track:
        """The compiled stage."""
        return compiled(self.state["stage"])

    def road(self) -> Road:
        """The stage as this driver meets it now."""
        return road_for(self.state, self.driver)

    def at_start(self, road: Road) -> At:
        """The car as the turn found it, with the dice it had then (E5: damage of this turn counts from the next)."""
        turn = self.turn
        return start(road, road.track.index[turn["space"]], turn["gear"], turn["damage"])

    def what(self, thing: str) -> str:
        """The words under which chance is asked."""
        return f"{self.driver} turn {self.me['turns'] + 1} {thing}"

    def roll(self, move: int, dice: Sequence[str], before: Sequence[str]) -> list[bool]:
        """The faces of a move's dice, True for a warning (D1); `before` are the dice of the plan's moves before it.

        With duplicate dice everybody's n-th turn has the same face on the same die: the second coast die laid, or
        the leader's in its place, is the second for all.
        """
        known = facts()
        shared = self.options["dice"] == "duplicate"
        laid = [_SAME_DIE.get(die, die) for die in before]
        faces = []
        for die in dice:
            name = _SAME_DIE.get(die, die)
            laid.append(name)
            what = (
                f"turn {self.me['turns'] + 1} {name} {laid.count(name)}" if shared else self.what(f"move {move} {die}")
            )
            faces.append(self.deal.die(what, warnings=known.warnings[die], faces=known.faces, shared=shared))
        return faces

    def draw_card(self, gear: int, *, seen: bool) -> str | None:
        """The back of the top card of a gear's deck; an empty deck is a full one, shuffled."""
        left = self.state["decks"][str(gear)]
        full = facts().decks[gear]
        back = self.deal.card(self.what(f"card of gear {gear}"), left if any(left.values()) else full, seen=seen)
        if back is not None and not _BACK.fullmatch(back):
            raise ChanceError(f"{back[:20]!r} is no back of a card: spin, sisu, or crash with three numbers of tokens")
        return back

    def draw_token(self, side: int, tile: int) -> None:
        """A token from the bag, its damage side (0) or its shortcut side (1) up. An empty bag gives none (own)."""
        token = self.deal.token(self.what("token"), self.state["bag"], side=side)
        if token is None:
            return
        shows = token.split("/")[side]
        if shows not in (words := {printed.split("/")[side] for printed in facts().bag}):
            raise ChanceError(f"{shows[:20]!r} is on no token: {', '.join(sorted(words))} are")
        self.tell("token", token=token, shows=shows, tile=tile)

    def crash_tokens(self, back: str) -> None:
        """E3: as many damage tokens as the card shows for the colour of the tile."""
        space = self.track.spaces[self.track.index[self.me["space"]]]
        by_colour = back.removeprefix("crash ").split("/")
        for _ in range(int(by_colour[CRASH_COLOURS.index(space.hazard)])):
            self.draw_token(0, space.tile)

    def damage(self) -> dict[str, int]:
        """The damage aboard now."""
        return damage_of(self.me)
