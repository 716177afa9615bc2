"""Splits: each driver's time so far when the car first crosses each border between two tiles (F7).

A turn costs its time at its end. A split is therefore the sum of the cards of all turns up to and including the turn in
which the car first was behind the border, with spare wheel and losses of control. Second tokens are subtracted at the
finish only (F2). A jump or a shortcut across two borders sets both splits at once. A turn that was given up (E8) has no
card and sets no split. A border that was behind the car when the stage was set up has no split.

The splits are read from the events alone, without folding them. This is fast, also for sixty runs of a stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.contract import Event, RunSplits, SeatSplits, State
from engine.dirt.course.compiled_stage import compiled


@dataclass(slots=True)
class _Clock:
    """The times of one driver: `seconds` of the cards so far, the farthest `tile`, how many borders are `behind` the
    car, and whether the present turn has a card (`paid`).
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
        """Add the seconds of a card."""
        self.seconds += seconds
        self.paid = True

    def end_turn(self) -> None:
        """Set the splits of the borders that this turn crossed, if the turn has a card."""
        if self.paid:
            for border in range(self.behind, self.tile - 1):
                self.splits[border] = self.seconds
            self.behind = max(self.behind, self.tile - 1)
        self.paid = False

    def as_splits(self) -> SeatSplits:
        """Return the splits of this driver in seconds. The bonus is the second tokens, subtracted at the finish."""
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

    def take_event(self, event: Event) -> None:
        """Update the clocks by one event."""
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
    """Return the splits of a run, from its setup and its events so far, in seconds of all cards."""
    track = compiled(setup["stage"])
    tiles = {space.name: space.tile for space in track.spaces}
    borders = track.tiles - 1
    keeper = _Timekeeper(tiles, {name: _clock(car, tiles, borders) for name, car in setup["drivers"].items()})
    for event in events:
        keeper.take_event(event)
    return RunSplits(borders, {name: clock.as_splits() for name, clock in keeper.clocks.items()})


def _clock(car: Mapping[str, Any], tiles: Mapping[str, int], borders: int) -> _Clock:
    """Return the clock of a driver before the first turn."""
    tile = tiles[car["space"]]
    return _Clock(
        tile=tile,
        behind=tile - 1,
        splits=[None] * borders,
        seconds=sum(car["cards"]),
        stage_time=car["stage_time"],
        retired=car["retired"],
    )
