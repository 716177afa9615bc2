"""Capabilities around courses: a library, courses that people bring or lay, ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from engine.contract.errors import StageError
from engine.contract.values import Json


@dataclass(frozen=True, slots=True)
class Survey:
    """What a course comes to that may be half made.

    `wrong`: it cannot lie like that, and `course` is None. Otherwise `course` is its document in normal form.
    `missing` keeps it from being driven; `doubts` speak against it although it can be. `sections` and `spaces` tell
    its length.
    """

    course: Json
    wrong: tuple[StageError, ...] = ()
    missing: tuple[StageError, ...] = ()
    doubts: tuple[StageError, ...] = ()
    sections: int = 0
    spaces: int = 0

    @property
    def whole(self) -> bool:
        """Whether it can be driven."""
        return not (self.wrong or self.missing)


@runtime_checkable
class Courses(Protocol):
    """A capability: ready-made courses, and courses that people bring."""

    def library(self) -> Mapping[str, Json]:
        """Return the ready-made courses by name ("collection/course")."""

    def read_course(self, spec: Json) -> Json:
        """Return a course, checked and in normal form.

        Raises:
            GameError: the course cannot be driven.
        """


@runtime_checkable
class Bringing(Protocol):
    """A capability: people bring courses of their own, as text."""

    def write_course(self, course: Json) -> str:
        """Return a course as a text that `tomllib` and then `read_course` read back."""

    def survey(self, draft: Json) -> Survey:
        """Return what a course comes to that is being made. Raises nothing: it tells all that is wrong."""


@runtime_checkable
class Building(Bringing, Protocol):
    """A capability: courses are laid piece by piece, or at random."""

    def placements(self, draft: Json, place: int | None = None) -> tuple[Json, ...]:
        """Return the pieces that fit behind the last one of a draft, or in place of piece number `place`.

        Raises:
            StageError: the draft is wrong.
        """

    def random_course(self, *, seed: int, wishes: Mapping[str, Json]) -> Json:
        """Return a course laid at random, the same for the same seed and wishes.

        Raises:
            GameError: nothing can be built so.
        """

    def notes(self, course: Json) -> list[dict[str, Json]]:
        """Return what a codriver reads out, in driving order."""


@runtime_checkable
class Rating(Protocol):
    """A capability: a course is driven many times by the computer, and rated."""

    def rehearse(self, course: Json, *, runs: int, seed: int, first: int) -> list[dict[str, Json]]:
        """Return runs number `first` and following of a course, the same for the same seed."""

    def rating(self, course: Json, runs: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
        """Return what rehearsed runs say of a course."""


@runtime_checkable
class Private(Protocol):
    """A capability: some courses hold what only members of their club may have as a whole, such as printed cards that
    an owner has typed in. What is in play of them everybody sees.
    """

    def is_private(self, course: Json) -> bool:
        """Return whether a course is such a one."""
