"""Beats: what is worth telling of a stage, before it is put into words. Pure: no table, no language.

A game adds its own beats with the part `TELLING`. The story of a game without it is made of what the engine's contract
knows of every game: splits, arrivals, retirements, results.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from championship.catalogue import Part
from engine.contract import SeatResult, State

COLOUR, NEWS, TURNING = 1, 2, 3
"""How much a beat weighs. The story of a stage leaves colour out where there is enough news."""

Facts = Mapping[str, Any]
CarKey = tuple[int, str]
"""A car of a stage: the primary key of its run, and its seat."""
NAMES = ("rival",)
"""Facts that name another car: a seat of the same run, or a `CarKey`."""


@dataclass(frozen=True, slots=True)
class Beat:
    """Something worth telling. `kind` chooses the phrases, `seat` is the car that it is about ("" for none), `number`
    the event after which everybody may know it. `facts` are the values in its phrases, as plain JSON.
    """

    kind: str
    seat: str
    number: int
    weight: int = NEWS
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Happened:
    """An event that everybody may read: its number in the run, its post, when, and the engine's event."""

    number: int
    post: int
    at: datetime
    event: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToldRun:
    """A run as far as everybody may know it. `number` orders the runs of a stage. `results` are those of a run that is
    over, else empty.
    """

    key: int
    number: int
    game: str
    course: Any
    seats: Sequence[str]
    setup: State
    happened: Sequence[Happened]
    over: bool
    results: Sequence[SeatResult] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """A beat at its place in the stage: its run, and when it happened."""

    run: int
    at: datetime
    beat: Beat

    @property
    def car(self) -> CarKey:
        return self.run, self.beat.seat


class Telling(Protocol):
    """What a game knows to tell of its stages. A module with these names will do."""

    @property
    def tells(self) -> Collection[str]:
        """The kinds of the core that the game tells by itself, so that the core leaves them out: "lead", "finish",
        "out", "won".
        """

    @property
    def phrases(self) -> Mapping[str, Sequence[str]]:
        """For each kind of its beats, several sentences with %(name)s for facts, marked by `gettext_noop`; %(driver)s
        is the car. They may replace those of the core's kinds.
        """

    def beats(self, run: ToldRun) -> Iterable[Beat]:
        """Return the beats of a run, in order. Those of the events so far must stay the same when more happens."""

    def fact(self, course: Any, name: str, value: Any) -> str | None:
        """Return a fact in words of the reader's language; None where the core's words will do."""


TELLING: Part[Telling] = Part("the telling of stages")
