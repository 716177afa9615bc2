"""Splits: each driver's time so far when first across each border between two tiles (F7).

Time is paid by the turn. A split therefore holds the cards of all turns up to and including the one in which the car
first stood behind the border, spare wheel and losses of control included; second tokens are taken off at the finish
only (F2). A jump or a shortcut that leads over two borders sets both at once. A turn that was given up (E8) has no card
and sets none. A border that lay behind the car when the stage was set up has no split.

Read from the events alone, without folding them: sixty runs of a stage are told in a moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.contract import Event, RunSplits, SeatSplits, State
from engine.dirt.compiled_stage import compiled


@dataclass(slots=True)
class _Clock:
    """A driver on the way: seconds of the cards so far, the farthest tile, how many borders are behind the car, and
    whether the present turn has been paid for.
    """

    tile: int
    behind: int
    splits: list[int | None]
    seconds: int = 0
    paid: bool = False
    stage_time: int | None = None
    finished: bool = False
    retired: bool = False

    def pay(self, seconds: int) -> None:
        """A card is taken."""
        self.seconds += seconds
        self.paid = True

    def end_turn(self) -> None:
        """The borders that this turn led across get their split, if it cost anything."""
        if self.paid:
            for border in range(self.behind, self.tile - 1):
                self.splits[border] = self.seconds
            self.behind = max(self.behind, self.tile - 1)
        self.paid = False

    def told(self) -> SeatSplits:
        """What is told of a driver, in seconds; the bonus is the second tokens that are taken off at the finish."""
        time = self.stage_time
        return SeatSplits(
            at=tuple(self.splits),
            so_far=self.seconds,
            status="finished" if self.finished else "retired" if self.retired else "driving",
            measure=time,
            bonus=self.seconds - time if self.finished and time is not None else 0,
        )


@dataclass(slots=True)
class _Timekeeper:
    """All clocks of a run, by driver, and the tile of each space."""

    tiles: Mapping[str, int]
    clocks: dict[str, _Clock] = field(default_factory=dict)

    def hear(self, event: Event) -> None:
        """Take down what an event says about time and place."""
        kind = event["kind"]
        if kind == "over":
            for driver, seconds in event["retired"].items():
                self.clocks[driver].stage_time = seconds
            return
        mine = self.clocks.get(event.get("driver", ""))
        if mine is None:
            return
        if kind == "move":
            mine.tile = max(mine.tile, self.tiles[event["space"]])
        elif kind in ("card", "spare"):
            mine.pay(event["seconds"])
        elif kind == "finish":
            mine.finished, mine.stage_time = True, event["seconds"]
        elif kind == "retire":
            mine.retired = True
        elif kind == "end of turn":
            mine.end_turn()


def splits(setup: State, events: Iterable[Event]) -> RunSplits:
    """Return the times on the way of a run, from its setup and its events so far: seconds of all cards."""
    track = compiled(setup["stage"])
    tiles = {space.name: space.tile for space in track.spaces}
    borders = track.tiles - 1
    keeper = _Timekeeper(tiles, {name: _clock(car, tiles, borders) for name, car in setup["drivers"].items()})
    for event in events:
        keeper.hear(event)
    return RunSplits(borders, {name: clock.told() for name, clock in keeper.clocks.items()})


def _clock(car: Mapping[str, Any], tiles: Mapping[str, int], borders: int) -> _Clock:
    """A driver before the first turn."""
    tile = tiles[car["space"]]
    return _Clock(
        tile=tile,
        behind=tile - 1,
        splits=[None] * borders,
        seconds=sum(car["cards"]),
        stage_time=car["stage_time"],
        retired=car["retired"],
    )
