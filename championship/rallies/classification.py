"""Who is where: places, gaps and totals from seconds (F5). Pure; whole seconds only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from championship.rallies.models import Entry


@dataclass(frozen=True, slots=True)
class Driven:
    """How an entry drove one stage; `seconds` is None for a retired entry while others are on the road."""

    seconds: int | None
    retired: bool = False
    control_seconds: int = 0
    penalty_seconds: int = 0

    @property
    def added(self) -> int:
        """Seconds on top of the time driven: taken at time control (F4) and given by officials."""
        return self.control_seconds + self.penalty_seconds

    @property
    def total(self) -> int | None:
        """The stage time with everything added, in seconds."""
        return None if self.seconds is None else self.seconds + self.added


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a classification. Gaps are None for the first line; place and seconds where there is no time yet.

    `added` is the part of `seconds` that was not driven; `retired_on` names the stages the entry retired from. An
    excluded entry has times and no place.
    """

    entry: Entry
    place: int | None
    seconds: int | None
    to_leader: int | None = None
    to_ahead: int | None = None
    added: int = 0
    retired_on: tuple[int, ...] = ()
    excluded: bool = False


def places(ranked: Sequence[int]) -> list[int]:
    """The place of each of these values, given in order, best first. Equal values share a place: 1, 1, 3 (F5)."""
    found: list[int] = []
    for index, value in enumerate(ranked):
        found.append(found[-1] if index and value == ranked[index - 1] else index + 1)
    return found


def classify(
    seconds: Mapping[int, int],
    entries: Mapping[int, Entry],
    added: Mapping[int, int],
    retired_on: Mapping[int, tuple[int, ...]],
) -> list[Line]:
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
            added=added.get(entry_id, 0),
            retired_on=retired_on.get(entry_id, ()),
        )
        for index, (entry_id, place) in enumerate(zip(ranked, places(times), strict=True))
    ]


def on_podium(lines: Iterable[Line]) -> list[Line]:
    """The lines in places one to three; more than three where places are shared."""
    return [line for line in lines if line.place is not None and line.place <= 3]
