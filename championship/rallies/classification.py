"""Who is where: places, gaps and totals from seconds (F5). Pure; whole seconds only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from championship.rallies.crews import CrewChange
from championship.rallies.models import Entry
from championship.rallies.retiring import Retirement


@dataclass(frozen=True, slots=True)
class Driven:
    """How an entry drove one stage; `seconds` is None for a retired entry while others are on the road.

    `why` is the reason of a retirement (retiring.py), where one is known; `by_hand`: officials have set `seconds`.
    """

    seconds: int | None
    retired: bool = False
    control_seconds: int = 0
    penalty_seconds: int = 0
    why: str = ""
    by_hand: bool = False

    @property
    def added(self) -> int:
        """Seconds on top of the time driven: taken at time control (F4) and given by officials."""
        return self.control_seconds + self.penalty_seconds

    @property
    def total(self) -> int | None:
        """The stage time with everything added, in seconds."""
        return None if self.seconds is None else self.seconds + self.added


@dataclass(frozen=True, slots=True)
class Remarks:
    """What is said of a time beside its seconds: the parts of it that were taken at time control (F4) and given by
    officials, the stages whose time officials set by hand, where the entry retired, and who else drove it.
    """

    control: int = 0
    penalties: int = 0
    by_hand: tuple[int, ...] = ()
    retired: tuple[Retirement, ...] = ()
    changes: tuple[CrewChange, ...] = ()


PLAIN = Remarks()


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a classification. Gaps are None for the first line; place and seconds where there is no time yet.

    `won`: places won since the stage before, below zero when lost, None where there is nothing to compare. An
    excluded entry has times and no place.
    """

    entry: Entry
    place: int | None
    seconds: int | None
    to_leader: int | None = None
    to_ahead: int | None = None
    remarks: Remarks = PLAIN
    excluded: bool = False
    won: int | None = None

    @property
    def added(self) -> int:
        """The part of `seconds` that was not driven."""
        return self.remarks.control + self.remarks.penalties

    @property
    def retired_on(self) -> tuple[int, ...]:
        """The numbers of the stages from which the entry retired."""
        return tuple(each.stage for each in self.remarks.retired)

    @property
    def lost(self) -> int:
        """Places lost since the stage before."""
        return -self.won if self.won is not None and self.won < 0 else 0


def places(ranked: Sequence[int]) -> list[int]:
    """The place of each of these values, given in order, best first. Equal values share a place: 1, 1, 3 (F5)."""
    found: list[int] = []
    for index, value in enumerate(ranked):
        found.append(found[-1] if index and value == ranked[index - 1] else index + 1)
    return found


def classify(seconds: Mapping[int, int], entries: Mapping[int, Entry], remarks: Mapping[int, Remarks]) -> list[Line]:
    """Lines by time, lowest first, ties by start number (they share the place). All mappings go by entry id."""
    ranked = sorted(seconds, key=lambda entry_id: (seconds[entry_id], entries[entry_id].start_number or 0))
    times = [seconds[entry_id] for entry_id in ranked]
    return [
        Line(
            entry=entries[entry_id],
            place=place,
            seconds=times[index],
            to_leader=times[index] - times[0] if index else None,
            to_ahead=times[index] - times[index - 1] if index else None,
            remarks=remarks.get(entry_id, PLAIN),
        )
        for index, (entry_id, place) in enumerate(zip(ranked, places(times), strict=True))
    ]


def by_class(lines: Sequence[Line]) -> list[tuple[str, list[Line]]]:
    """The lines of each car class, with places and gaps within it, classes by name; nothing where nobody has one.

    Lines come in order, as in a classification: who has no place keeps none, and stands behind.
    """
    names = sorted({line.entry.car_class for line in lines if line.entry.car_class}, key=lambda name: name.casefold())
    return [(name, _among([line for line in lines if line.entry.car_class == name])) for name in names]


def _among(lines: Sequence[Line]) -> list[Line]:
    placed = [line for line in lines if line.place is not None]
    times = [line.seconds or 0 for line in placed]
    ranked = [
        replace(
            line,
            place=place,
            to_leader=times[index] - times[0] if index else None,
            to_ahead=times[index] - times[index - 1] if index else None,
            won=None,
        )
        for index, (line, place) in enumerate(zip(placed, places(times), strict=True))
    ]
    return ranked + [line for line in lines if line.place is None]


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
