"""The marks of one run, by the engine's contract: borders crossed, finishes and retirements, each with its event.

They are computed from events that everybody may read, so they hold nothing that is sealed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from championship.runs.watch.story.beats import TELLING, Beat, CarKey, ToldRun
from engine import registry
from engine.contract import Retirements, RunSplits, Splits, offered

Seen = dict[tuple[str, int], int | None]
"""What a prefix of the events shows: a measure by seat and border; FINISH and OUT stand for borders."""
FINISH, OUT = -1, -2


@dataclass(frozen=True, slots=True)
class Mark:
    """A car crosses a border, finishes or retires. `measured`: the measure there; None where it is not known."""

    car: CarKey
    run_number: int
    number: int
    at: datetime
    kind: Literal["border", "finish", "out"]
    border: int = 0
    measured: int | None = None
    why: str = ""

    @property
    def moment(self) -> tuple[datetime, int, int]:
        """The sort key: time, then run and event. It does not depend on the order in which runs were read."""
        return self.at, self.run_number, self.number


@dataclass(frozen=True, slots=True)
class Final:
    """The end of a car's stage, from the results of a run that is over."""

    car: CarKey
    finished: bool
    measured: int | None
    rank: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RunMarks:
    """What the story of a stage needs of one run; small, so that it can be cached. `times`: when the events of beats
    happened. `last`: number and time of the newest event, None before the first.
    """

    key: int
    number: int
    over: bool
    tells: tuple[str, ...]
    cars: tuple[CarKey, ...]
    borders: int
    marks: tuple[Mark, ...]
    beats: tuple[Beat, ...]
    times: Mapping[int, datetime]
    finals: tuple[Final, ...]
    last: tuple[int, datetime] | None


def marks_of(run: ToldRun) -> RunMarks:
    """Return the marks of a run and the beats of its game."""
    telling = TELLING.of(run.game)
    tells = tuple(telling.tells) if telling else ()
    beats = tuple(telling.beats(run)) if telling else ()
    reasons = {} if "out" in tells else _reasons(run)
    timed = offered(registry.get(run.game), Splits)
    marks = list[Mark]()
    if timed is not None and run.happened:
        marks = list(_split_marks(run, timed, reasons))
    if run.over and run.happened:
        known = {(mark.car, mark.kind) for mark in marks}
        marks += [mark for mark in _result_marks(run, reasons) if (mark.car, mark.kind) not in known]
    numbers = {beat.number for beat in beats}
    newest = run.happened[-1] if run.happened else None
    return RunMarks(
        key=run.key,
        number=run.number,
        over=run.over,
        tells=tells,
        cars=tuple((run.key, seat) for seat in run.seats),
        borders=timed.splits(run.setup, ()).borders if timed else 0,
        marks=tuple(marks),
        beats=beats,
        times={one.number: one.at for one in run.happened if one.number in numbers},
        finals=tuple(
            Final((run.key, one.seat), one.status == "finished", one.measure, tuple(one.rank)) for one in run.results
        ),
        last=(newest.number, newest.at) if newest else None,
    )


def _reasons(run: ToldRun) -> dict[str, tuple[str, int]]:
    """Return why seats retired, as events say, and the number of the event; the results of a run say the rest."""
    found: dict[str, tuple[str, int]] = {}
    capability = offered(registry.get(run.game), Retirements)
    for one in run.happened if capability else ():
        assert capability is not None
        for seat, why in capability.retirements([dict(one.event)]).items():
            found[seat] = why, one.number
    return found


def _split_marks(run: ToldRun, timed: Splits, reasons: Mapping[str, tuple[str, int]]) -> Iterator[Mark]:
    """Yield the marks that splits show, each at the last event of the post that set it."""
    events = [dict(one.event) for one in run.happened]
    ends = [
        place
        for place, one in enumerate(run.happened, 1)
        if place == len(events) or run.happened[place].post != one.post
    ]

    def seen(end: int) -> Seen:
        return _seen(timed.splits(run.setup, events[:end]))

    for end, (seat, border), measured in _changes(ends, seen):
        here = run.happened[end - 1]
        car = run.key, seat
        if border == OUT:
            why, number = reasons.get(seat, ("", here.number))
            yield Mark(car, run.number, number, here.at, "out", why=why)
        elif border == FINISH:
            yield Mark(car, run.number, here.number, here.at, "finish", measured=measured)
        else:
            yield Mark(car, run.number, here.number, here.at, "border", border, measured)


def _seen(told: RunSplits) -> Seen:
    found: Seen = {}
    for seat, splits in told.seats.items():
        found |= {(seat, border): value for border, value in enumerate(splits.at) if value is not None}
        if splits.status == "finished":
            found[seat, FINISH] = splits.measure
        elif splits.status == "retired":
            found[seat, OUT] = None
    return found


def _changes(ends: Sequence[int], seen: Any) -> list[tuple[int, tuple[str, int], int | None]]:
    """Return what each post shows for the first time, with the end of that post. Nothing that was shown ever changes, so
    a stretch of posts whose ends show the same is not searched.
    """
    found: list[tuple[int, tuple[str, int], int | None]] = []

    def search(low: int, before: Seen, high: int, after: Seen) -> None:
        if before.keys() == after.keys():
            return
        if high - low == 1:
            found.extend((ends[high - 1], key, after[key]) for key in sorted(after.keys() - before.keys()))
            return
        middle = (low + high) // 2
        between = seen(ends[middle - 1])
        search(low, before, middle, between)
        search(middle, between, high, after)

    if ends:
        search(0, seen(0), len(ends), seen(ends[-1]))
    return found


def _result_marks(run: ToldRun, reasons: Mapping[str, tuple[str, int]]) -> Iterator[Mark]:
    """Yield the retirements that the results alone show. A finish that they alone show is told with the winner."""
    last = run.happened[-1]
    for one in run.results:
        if one.status == "retired":
            why, number = reasons.get(one.seat, (one.reason, last.number))
            yield Mark((run.key, one.seat), run.number, number, last.at, "out", why=why)
