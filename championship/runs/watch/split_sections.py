"""Where a car won and lost: its measure on each section between two splits, against the best and the average there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from championship.rallies.results.measures import Measure, worse
from championship.runs.watch.gaps import CarGaps, Gaps

Span = tuple[int, int]
"""The columns between which a section lies: 0 is the start, 1 the first border, the last one the finish."""


@dataclass(frozen=True, slots=True)
class SplitSection:
    """A section as one car drove it. `end`: the border at its end, counted from 1; the finish has the next number.

    `behind`: the gap to the best car on this section, 0 or more. `won`: by how much the car was better than the
    average here, negative where it was worse. Both are in the game's unit, whether less or more is better.
    """

    end: int
    behind: int
    won: int


@dataclass(frozen=True, slots=True)
class CarSections:
    """The sections of one car that another car drove as well, in driving order."""

    sections: tuple[SplitSection, ...]

    @property
    def most_won(self) -> SplitSection | None:
        """The section on which the car was furthest ahead of the average; None where it never was."""
        best = max(self.sections, key=lambda section: section.won, default=None)
        return best if best is not None and best.won > 0 else None

    @property
    def most_lost(self) -> SplitSection | None:
        """The section on which the car was furthest behind the best; None where it was best on all."""
        worst = max(self.sections, key=lambda section: section.behind, default=None)
        return worst if worst is not None and worst.behind > 0 else None

    @property
    def best_on(self) -> int:
        """On how many sections no car was better."""
        return sum(not section.behind for section in self.sections)


def sections_of(gaps: Gaps) -> dict[int, CarSections]:
    """Return the sections of all cars by entry id. No query.

    A car that has no measure at a border has one longer section there. It is compared with cars that have the same one.
    """
    spans = {car.seat.entry_id: _spans(car, gaps.borders) for car in gaps.cars}
    driven: dict[Span, list[int]] = defaultdict(list)
    for own in spans.values():
        for span, measured in own.items():
            driven[span].append(measured)
    return {entry_id: _compared(own, driven, gaps.measure) for entry_id, own in spans.items()}


def most_won_on_a_section(sections: Mapping[int, CarSections]) -> int:
    """Return the largest distance from an average of all sections: the scale that makes the bars of cars comparable."""
    return max((abs(section.won) for car in sections.values() for section in car.sections), default=0)


def _spans(car: CarGaps, borders: int) -> dict[Span, int]:
    """Return the car's measure on each of its sections."""
    found: dict[Span, int] = {}
    since, before = 0, 0
    for column, time in enumerate([*car.times, *[None] * (borders - len(car.times)), car.finish], 1):
        if time is not None:
            found[since, column] = time.measured - before
            since, before = column, time.measured
    return found


def _compared(own: Mapping[Span, int], driven: Mapping[Span, list[int]], measure: Measure) -> CarSections:
    sign = worse(measure)
    found = []
    for (since, end), measured in own.items():
        here = driven[since, end]
        if len(here) > 1:
            best = min(here) if sign > 0 else max(here)
            found.append(SplitSection(end, sign * (measured - best), sign * (_average(here) - measured)))
    return CarSections(tuple(found))


def _average(values: list[int]) -> int:
    """Return the average, rounded to a whole number."""
    return (2 * sum(values) + len(values)) // (2 * len(values))
