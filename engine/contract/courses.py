"""Capabilities around courses: a library, courses that people supply or build, ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from engine.contract.errors import StageError
from engine.contract.values import Json


@dataclass(frozen=True, slots=True)
class Survey:
    """The findings on a course that may be half made.

    `wrong` lists its errors; when there are any, `course` is None. Otherwise `course` is its document in normal form.
    `missing` lists what it still needs before it can be driven. `doubts` lists what drivers may dislike in a course
    that can be driven. `sections` and `spaces` give its length.
    """

    course: Json
    wrong: tuple[StageError, ...] = ()
    missing: tuple[StageError, ...] = ()
    doubts: tuple[StageError, ...] = ()
    sections: int = 0
    spaces: int = 0

    @property
    def whole(self) -> bool:
        """Whether the course can be driven."""
        return not (self.wrong or self.missing)


@runtime_checkable
class Courses(Protocol):
    """A capability: ready-made courses, and courses that people supply."""

    def library(self) -> Mapping[str, Json]:
        """Return the ready-made courses by name ("collection/course")."""

    def read_course(self, spec: Json) -> Json:
        """Return a course, checked and in normal form.

        Raises: GameError when the course cannot be driven.
        """


@runtime_checkable
class CourseImport(Protocol):
    """A capability: people supply their own courses, as text."""

    def write_course(self, course: Json) -> str:
        """Return a course as TOML text. `tomllib` and then `read_course` read it back."""

    def survey(self, draft: Json) -> Survey:
        """Return the findings on a course that may be half made. Never raises: the result lists all errors."""


@dataclass(frozen=True, slots=True)
class CourseColumn:
    """A column of a list of courses: its name, its label for people, and headings that mean it, in small letters
    without accents. `several`: a cell, or cells of several columns and lines, hold more than one value.
    """

    name: str
    label: str
    words: tuple[str, ...]
    several: bool = False


@runtime_checkable
class CourseTable(CourseImport, Protocol):
    """A capability: a list holds many courses, each with the name of the course and these columns."""

    course_columns: tuple[CourseColumn, ...]

    def course_of(self, values: Mapping[str, Sequence[str]]) -> Json:
        """Return the draft of a course from its cells, by the names of the columns; it may still have faults that
        `survey` finds.

        Raises: GameError when the cells cannot be read.
        """


@runtime_checkable
class Building(CourseImport, Protocol):
    """A capability: courses are built piece by piece, or at random."""

    def placements(self, draft: Json, place: int | None = None) -> tuple[Json, ...]:
        """Return the pieces that fit behind the last piece of a draft, or in place of piece number `place`.

        Raises: StageError when the draft has an error.
        """

    def random_course(self, *, seed: int, wishes: Mapping[str, Json]) -> Json:
        """Return a random course, the same for the same seed and wishes.

        Raises: GameError when no such course can be built.
        """

    def notes(self, course: Json) -> list[dict[str, Json]]:
        """Return what a codriver reads out, in driving order."""


@runtime_checkable
class Rating(Protocol):
    """A capability: the computer drives a course many times and rates it."""

    def simulate(self, course: Json, *, runs: int, seed: int, first: int) -> list[dict[str, Json]]:
        """Return the results of `runs` runs of a course, counted from number `first`, the same for the same seed."""

    def rating(self, course: Json, runs: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
        """Return the rating of a course, computed from simulated runs."""


@runtime_checkable
class Private(Protocol):
    """A capability: some courses may be shown in full only to members of their club, such as printed cards that an
    owner has typed in. Everybody may see the parts that are in play.
    """

    def is_private(self, course: Json) -> bool:
        """Return whether only members of the club may see this course in full."""
