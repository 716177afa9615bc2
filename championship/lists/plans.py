"""What an import would do, line by line, before anything is written: what is new, what changes from what to what, what
stays, and what is left out and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

NEW, CHANGED, UNCHANGED, LEFT_OUT = "new", "changed", "unchanged", "left out"
STATES = (NEW, CHANGED, UNCHANGED, LEFT_OUT)
NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Change:
    """A value that the list changes: its label, and the value before and after, in words."""

    label: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PlannedLine:
    """What happens with one line of the list. `who`: the person in words; `facts`: what is stored of them, in words.
    `why`: the reason for which it is left out, or a remark. `do`: what the import needs to carry it out.
    """

    line: int
    who: str
    state: str
    facts: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    why: str = ""
    do: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PlannedRound:
    """What happens with one round of the list. `heads`: the heads of the facts of its lines. `told`: remarks on it."""

    name: str
    when: str
    state: str
    lines: tuple[PlannedLine, ...]
    told: tuple[str, ...] = ()
    do: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a draft would do: its people line by line, or its rounds. `heads`: the heads of the facts of each line.
    `told`: remarks on the whole list. `new_names`: people who become names without an account.
    """

    heads: tuple[str, ...]
    lines: tuple[PlannedLine, ...] = ()
    rounds: tuple[PlannedRound, ...] = ()
    told: tuple[str, ...] = ()
    new_names: tuple[str, ...] = ()

    @property
    def all_lines(self) -> Sequence[PlannedLine]:
        """All lines, those of the rounds too."""
        return (*self.lines, *(line for each in self.rounds for line in each.lines))

    @property
    def counts(self) -> dict[str, int]:
        """How many lines are new, changed, unchanged and left out."""
        found = Counter(line.state for line in self.all_lines)
        return {state: found[state] for state in STATES}

    @property
    def does_something(self) -> bool:
        """Whether the import would change anything."""
        return any(line.state in (NEW, CHANGED) for line in self.all_lines)


def changes_between(before: Sequence[tuple[str, object]], after: Sequence[object]) -> tuple[Change, ...]:
    """Return what differs between values before, each with its label, and the values after."""
    return tuple(
        Change(label, in_words(old), in_words(new))
        for (label, old), new in zip(before, after, strict=True)
        if old != new
    )


def in_words(value: object) -> str:
    """Return a value as it is shown; a dash for none."""
    return NOTHING if value in (None, "") else str(value)
