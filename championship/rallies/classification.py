"""Who is where: places, gaps and totals from results (F5), in whole units of the rally's measure. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext

from championship.rallies import measures
from championship.rallies.driver_changes import CrewChange
from championship.rallies.models import Entry
from championship.rallies.retirement_reasons import Retirement
from engine.contract import Measure


@dataclass(frozen=True, slots=True)
class Driven:
    """How an entry drove one stage; `result` is None for an entry that has none, or none yet.

    `control` was taken at time control (F4), `penalties` were given by officials; both worsen the result. `rank` orders
    equal results. `why` is the reason of a retirement (retirement_reasons.py), where one is known; `by_hand`: officials
    have set the result. `stood_in`: the codriver made turns of it for its driver.
    """

    result: int | None
    retired: bool = False
    control: int = 0
    penalties: int = 0
    why: str = ""
    by_hand: bool = False
    stood_in: bool = False
    rank: tuple[int, ...] = ()
    measure: Measure = measures.SECONDS

    @property
    def added(self) -> int:
        """What worsens the result driven: taken at time control (F4) and given by officials."""
        return self.control + self.penalties

    @property
    def total(self) -> int | None:
        """The result of the stage with everything added."""
        return None if self.result is None else measures.with_added(self.result, self.added, self.measure)


@dataclass(frozen=True, slots=True)
class Remarks:
    """What is said of a result: the parts of it that were taken at time control (F4) and given by officials, the
    stages whose result officials set by hand, where the entry retired, who else drove it, and the stages on which the
    codriver made turns for its driver.
    """

    control: int = 0
    penalties: int = 0
    by_hand: tuple[int, ...] = ()
    retired: tuple[Retirement, ...] = ()
    changes: tuple[CrewChange, ...] = ()
    stood_in: tuple[int, ...] = ()


PLAIN = Remarks()


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a classification. Gaps are None for the first line, and never below zero; place and total are None
    where there is no result.

    `rank` orders equal totals. `summed`: the total is that of several stages. `won`: places won since the stage before,
    below zero when lost, None where there is nothing to compare. An excluded entry has results and no place.
    """

    entry: Entry
    place: int | None
    total: int | None
    to_leader: int | None = None
    to_ahead: int | None = None
    remarks: Remarks = PLAIN
    excluded: bool = False
    won: int | None = None
    rank: tuple[int, ...] = ()
    summed: bool = False

    @property
    def measure(self) -> Measure:
        """What the rally is won by."""
        return self.entry.rally.measure

    @property
    def told(self) -> str:
        """The total in its unit."""
        told = measures.total if self.summed else measures.result
        return told(self.total, self.measure)

    @property
    def head(self) -> str:
        """What heads the column of such totals."""
        return measures.running_head(self.measure) if self.summed else measures.result_head(self.measure)

    @property
    def figure(self) -> str:
        """The total below its head: of points without the word, which the head says."""
        counted = self.measure.unit == "points" and self.total is not None and self.total >= 0
        return str(self.total) if counted else self.told

    @property
    def gap(self) -> str:
        """The gap to the leader in its unit; empty for the leader."""
        return measures.gap(self.to_leader, self.measure)

    @property
    def gap_ahead(self) -> str:
        """The gap to the car ahead in its unit; empty for the leader."""
        return measures.gap(self.to_ahead, self.measure)

    @property
    def gap_figures(self) -> tuple[str, str]:
        """The gaps to the leader and to the car ahead below their heads, of points without the word."""
        return measures.gap_figure(self.to_leader, self.measure), measures.gap_figure(self.to_ahead, self.measure)

    @property
    def added(self) -> int:
        """The part of the total that was not driven: it worsens the result."""
        return self.remarks.control + self.remarks.penalties

    @property
    def retired_on(self) -> tuple[int, ...]:
        """The numbers of the stages from which the entry retired."""
        return tuple(each.stage for each in self.remarks.retired)

    @property
    def retired_in_words(self) -> str:
        """From which stages it retired, in the game's words, without the reasons."""
        return "; ".join(str(self.entry.rally.words.retired_on) % {"stage": stage} for stage in self.retired_on)

    @property
    def given_to_codriver(self) -> bool:
        """Whether the car was in the hands of the codriver, from the start or later on."""
        return any(change.driver_id is None for change in self.remarks.changes)

    @property
    def crew_told(self) -> str:
        """The crew, where there is room for one line only: with a word on the codriver who drove the car."""
        return f"{self.entry.crew} ({gettext('codriver')})" if self.given_to_codriver else self.entry.crew

    def drivers_in_words(self, *, here: bool = False) -> list[str]:
        """Who else drove the car, in the reader's language; `here`: on the stage that the line is about."""
        told = [change.in_words for change in self.remarks.changes]
        if self.remarks.stood_in and here:
            told.append(gettext("the codriver stood in"))
        elif self.remarks.stood_in:
            stages = ", ".join(map(str, self.remarks.stood_in))
            told.append(str(self.entry.rally.words.stood_in) % {"stages": stages})
        return told

    @property
    def on_the_stage_driven_by(self) -> list[str]:
        """The same, on the stage that the line is about."""
        return self.drivers_in_words(here=True)

    @property
    def lost(self) -> int:
        """Places lost since the stage before."""
        return -self.won if self.won is not None and self.won < 0 else 0


def places(ranked: Sequence[object]) -> list[int]:
    """The place of each of these values, given in order, best first. Equal values share a place: 1, 1, 3 (F5)."""
    found: list[int] = []
    for index, value in enumerate(ranked):
        found.append(found[-1] if index and value == ranked[index - 1] else index + 1)
    return found


def classify(
    totals: Mapping[int, int],
    entries: Mapping[int, Entry],
    remarks: Mapping[int, Remarks],
    *,
    measure: Measure = measures.SECONDS,
    ranks: Mapping[int, tuple[int, ...]] | None = None,
    summed: bool = False,
) -> list[Line]:
    """Lines by total and then by rank, best first, ties by start number (they share the place). All mappings go by
    entry id.
    """
    ranks = ranks or {}
    keys = {entry_id: measures.key_of(total, ranks.get(entry_id, ()), measure) for entry_id, total in totals.items()}
    ranked = sorted(totals, key=lambda entry_id: (keys[entry_id], entries[entry_id].start_number or 0))
    lines = [
        Line(
            entry=entries[entry_id],
            place=None,
            total=totals[entry_id],
            remarks=remarks.get(entry_id, PLAIN),
            rank=ranks.get(entry_id, ()),
            summed=summed,
        )
        for entry_id in ranked
    ]
    return _placed(lines)


def _placed(lines: Sequence[Line]) -> list[Line]:
    """The lines, which stand in order, with places and gaps among themselves."""
    totals = [line.total or 0 for line in lines]
    found = places([(line.total, line.rank) for line in lines])
    return [
        replace(
            line,
            place=place,
            to_leader=abs(totals[index] - totals[0]) if index else None,
            to_ahead=abs(totals[index] - totals[index - 1]) if index else None,
        )
        for index, (line, place) in enumerate(zip(lines, found, strict=True))
    ]


def by_class(lines: Sequence[Line]) -> list[tuple[str, list[Line]]]:
    """The lines of each car class, with places and gaps within it, classes by name; nothing where nobody has one.

    Lines come in order, as in a classification: who has no place keeps none, and stands behind.
    """
    names = sorted({line.entry.car_class for line in lines if line.entry.car_class}, key=lambda name: name.casefold())
    return [(name, _among([line for line in lines if line.entry.car_class == name])) for name in names]


def _among(lines: Sequence[Line]) -> list[Line]:
    placed = [replace(line, won=None) for line in lines if line.place is not None]
    return _placed(placed) + [line for line in lines if line.place is None]


def with_places_won(lines: Sequence[Line], before: Sequence[Line]) -> list[Line]:
    """The same lines, with the places each has won or lost since `before`."""
    places_before = {line.entry.pk: line.place for line in before if line.place is not None}
    return [
        line
        if line.place is None or line.entry.pk not in places_before
        else replace(line, won=places_before[line.entry.pk] - line.place)
        for line in lines
    ]


def on_podium(lines: Iterable[Line]) -> list[Line]:
    """The lines in places one to three; more than three where places are shared."""
    return [line for line in lines if line.place is not None and line.place <= 3]
