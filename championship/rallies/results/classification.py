"""Classifications: places, gaps and totals from results (F5), in whole units of the rally's measure. No queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext, gettext_lazy

from championship.rallies.entries.driver_changes import CrewChange
from championship.rallies.models import Entry
from championship.rallies.results import measures
from championship.rallies.results.published import PublishedResult
from championship.rallies.results.retirement_reasons import Retirement
from engine.contract import Measure

CODES = {
    "notional": ("NT", gettext_lazy("notional result: given by the officials to a car that had none")),
    "at table": ("T", gettext_lazy("driven at the table; people have entered the result")),
    "by hand": ("H", gettext_lazy("result set by the officials")),
    "missed": ("SR", gettext_lazy("not finished: the worst result and what is added, and the car goes on")),
    "late": ("LC", gettext_lazy("joined late: the worst result and what the rules of the evening add")),
    "shortened": ("SH", gettext_lazy("shortened: the result at the last point that all cars had passed")),
    "struck": ("X", gettext_lazy("struck out: counts for nothing")),
}
"""The marks of results that were not driven to the finish, with what they mean."""


@dataclass(frozen=True, slots=True)
class EntryStageResult:
    """The result of an entry on one stage; `result` is None for an entry that has none, or none yet.

    `control` comes from time control (F4), `penalties` come from officials; both worsen the result. `rank` orders equal
    results. `why` is the reason of a retirement (retirement_reasons.py), if known. `by_hand`: officials have set the
    result; `notional`: the car had none of its own. `at_table`: driven with the printed game. `missed`: the car did not
    finish, and the result is what the rally charges for that; `late`: what a late-comer gets for it. `shortened`: the
    result was taken at a border. `stood_in`: the codriver drove turns for the driver. `feats`: what it did best, as
    the game says.
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
    feats: tuple[str, ...] = ()
    notional: bool = False
    missed: bool = False
    shortened: bool = False
    at_table: bool = False
    late: bool = False

    @property
    def code(self) -> str:
        """The letters that mark the result on the sheet; "" for one that was driven to the finish in a run."""
        if self.by_hand:
            return CODES["notional"][0] if self.notional else CODES["by hand"][0]
        if self.late:
            return CODES["late"][0]
        if self.missed or self.shortened:
            return CODES["missed" if self.missed else "shortened"][0]
        return CODES["at table"][0] if self.at_table else ""

    @property
    def added(self) -> int:
        """The sum that worsens the driven result: from time control (F4) and from officials."""
        return self.control + self.penalties

    @property
    def total(self) -> int | None:
        """The result of the stage with everything added."""
        return None if self.result is None else measures.with_added(self.result, self.added, self.measure)


@dataclass(frozen=True, slots=True)
class Remarks:
    """Remarks on a result.

    `control` and `penalties` are the parts of it from time control (F4) and from officials. `by_hand`: the stages whose
    result officials have set. `changes`: the changes of who drives the car. `stood_in`: the stages on which the
    codriver drove turns for the driver. `codes`: the marks of stages whose result was not driven to the finish
    (`EntryStageResult.code`). `part`: in a rally with heats, the last part that the car drove, in words.
    """

    control: int = 0
    penalties: int = 0
    by_hand: tuple[int, ...] = ()
    retired: tuple[Retirement, ...] = ()
    changes: tuple[CrewChange, ...] = ()
    stood_in: tuple[int, ...] = ()
    codes: tuple[str, ...] = ()
    part: str = ""


PLAIN = Remarks()


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a classification.

    Gaps are None for the first line, and never negative. Place and total are None when there is no result. An excluded
    entry has results and no place. `rank` orders equal totals. `summed`: the total is that of several stages. `won`:
    places won since the stage before, negative for places lost, None when there is nothing to compare. `group`: in a
    rally with heats, the number of the stage whose result the total is; gaps are those within the group.

    `published`: what a list said of it, in a rally that was driven elsewhere.
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
    group: int = 0
    published: PublishedResult | None = None

    @property
    def unplaced(self) -> str:
        """Why it has no place, in words, where a list said so; "" for what `excluded` and `retired_on` say."""
        said = self.published
        if said is None or self.excluded or (self.retired_on and said.status == said.Status.RETIRED):
            return ""
        return "" if said.status == said.Status.CLASSIFIED else said.in_words

    @property
    def measure(self) -> Measure:
        """The rally's measure."""
        return self.entry.rally.measure

    @property
    def total_in_words(self) -> str:
        """The total with its unit, in words."""
        in_words = measures.total if self.summed else measures.result
        return in_words(self.total, self.measure)

    @property
    def head(self) -> str:
        """The column head for such totals."""
        return measures.running_head(self.measure) if self.summed else measures.result_head(self.measure)

    @property
    def figure(self) -> str:
        """The total for a column with `head`: points without their unit, because the head contains it."""
        counted = measures.is_points(self.measure) and self.total is not None and self.total >= 0
        return measures.figure(self.total or 0, self.measure) if counted else self.total_in_words

    @property
    def gap(self) -> str:
        """The gap to the leader with its unit; empty for the leader."""
        return measures.gap(self.to_leader, self.measure)

    @property
    def gap_ahead(self) -> str:
        """The gap to the car ahead with its unit; empty for the leader."""
        return measures.gap(self.to_ahead, self.measure)

    @property
    def gap_figures(self) -> tuple[str, str]:
        """The gaps to the leader and to the car ahead for columns with a head: points without their unit."""
        return measures.gap_figure(self.to_leader, self.measure), measures.gap_figure(self.to_ahead, self.measure)

    @property
    def added(self) -> int:
        """The part of the total that was not driven: from time control and from officials. It worsens the result."""
        return self.remarks.control + self.remarks.penalties

    @property
    def retired_on(self) -> tuple[int, ...]:
        """The numbers of the stages from which the entry retired."""
        return tuple(each.stage for each in self.remarks.retired)

    @property
    def retired_in_words(self) -> str:
        """The stages from which the entry retired, in the game's words, without the reasons."""
        return "; ".join(str(self.entry.rally.words.retired_on) % {"stage": stage} for stage in self.retired_on)

    @property
    def given_to_codriver(self) -> bool:
        """Whether the codriver has driven the car, from the start or later."""
        return any(change.driver_id is None for change in self.remarks.changes)

    @property
    def crew_in_words(self) -> str:
        """The crew in one line, with a note when the codriver has driven the car."""
        return f"{self.entry.crew} ({gettext('codriver')})" if self.given_to_codriver else self.entry.crew

    def drivers_in_words(self, *, here: bool = False) -> list[str]:
        """Who else drove the car, in the reader's language. `here`: the line is about one stage, so no stage numbers
        are needed.
        """
        told = [change.in_words for change in self.remarks.changes]
        if self.remarks.stood_in and here:
            told.append(gettext("the codriver stood in"))
        elif self.remarks.stood_in:
            stages = ", ".join(map(str, self.remarks.stood_in))
            told.append(str(self.entry.rally.words.stood_in) % {"stages": stages})
        return told

    @property
    def on_the_stage_driven_by(self) -> list[str]:
        """`drivers_in_words(here=True)` for templates."""
        return self.drivers_in_words(here=True)

    @property
    def lost(self) -> int:
        """Places lost since the stage before."""
        return -self.won if self.won is not None and self.won < 0 else 0


def places(ranked: Sequence[object]) -> list[int]:
    """The place of each value; the values are in order, best first. Equal values share a place: 1, 1, 3 (F5)."""
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
    """Lines by total and then by rank, best first. Ties share a place and are in the order of start numbers. All
    mappings have entry ids as keys.
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
    """The lines, which are in order, with places and gaps computed among them."""
    found = places([(line.total, line.rank) for line in lines])
    return with_gaps([replace(line, place=place) for line, place in zip(lines, found, strict=True)])


def as_published(lines: Sequence[Line], published: Mapping[int, PublishedResult]) -> list[Line]:
    """Return the lines of a final classification with what was published of them, by entry id: in the order of the
    published places, which may be shared or missing. A line without one has no place where others have.
    """
    told = [replace(line, published=published.get(line.entry.pk)) for line in lines]
    if not any(each.place for each in published.values()):
        return told
    placed = [line for line in told if line.published is not None and line.published.place and not line.excluded]
    placed.sort(key=lambda line: ((line.published and line.published.place) or 0, line.entry.start_number or 0))
    others = [replace(line, place=None) for line in told if line not in placed]
    totals = [line.total for line in placed]
    return [
        replace(
            line,
            place=line.published.place if line.published else None,
            to_leader=_behind(totals[0], line.total) if index else None,
            to_ahead=_behind(totals[index - 1], line.total) if index else None,
        )
        for index, line in enumerate(placed)
    ] + [replace(line, to_leader=None, to_ahead=None) for line in others]


def _behind(ahead: int | None, total: int | None) -> int | None:
    return None if ahead is None or total is None else abs(total - ahead)


def by_class(lines: Sequence[Line]) -> list[tuple[str, list[Line]]]:
    """The lines of each car class, with places and gaps within it. Classes are sorted by name. Empty when no entry has
    a class.

    The lines are in the order of a classification. Lines without a place keep none and come last.
    """
    names = sorted({line.entry.car_class for line in lines if line.entry.car_class}, key=lambda name: name.casefold())
    return [(name, _placed_within_class([line for line in lines if line.entry.car_class == name])) for name in names]


def _placed_within_class(lines: Sequence[Line]) -> list[Line]:
    """The same lines with places among them: equal places stay equal. Gaps are those to lines of the same group."""
    placed = [replace(line, won=None) for line in lines if line.place is not None]
    found = [replace(line, place=at) for line, at in zip(placed, places([one.place for one in placed]), strict=True)]
    return with_gaps(found) + [line for line in lines if line.place is None]


def with_gaps(lines: Sequence[Line]) -> list[Line]:
    """The lines of a classification, which are in order, with the gaps within each group."""
    first: dict[int, Line] = {}
    found: list[Line] = []
    for line in lines:
        leader, ahead = first.setdefault(line.group, line), found[-1] if found else None
        to_ahead = _gap(line, ahead) if ahead is not None and ahead.group == line.group else None
        found.append(replace(line, to_leader=_gap(line, leader) if line is not leader else None, to_ahead=to_ahead))
    return found


def _gap(line: Line, other: Line) -> int | None:
    return None if line.total is None or other.total is None else abs(line.total - other.total)


def with_places_won(lines: Sequence[Line], before: Sequence[Line]) -> list[Line]:
    """The same lines, with the number of places that each has won or lost since `before`."""
    places_before = {line.entry.pk: line.place for line in before if line.place is not None}
    return [
        line
        if line.place is None or line.entry.pk not in places_before
        else replace(line, won=places_before[line.entry.pk] - line.place)
        for line in lines
    ]


def on_podium(lines: Iterable[Line]) -> list[Line]:
    """The lines in places one to three. There are more than three lines when places are shared."""
    return [line for line in lines if line.place is not None and line.place <= 3]


@dataclass(frozen=True, slots=True)
class PodiumStep:
    """A step of a podium and the line on it; None where nobody stands on it yet."""

    place: int
    line: Line | None = None


def podium_steps(lines: Iterable[Line]) -> list[PodiumStep]:
    """Return the steps of a podium, first place first: three, or more where places are shared. Lines that share a place
    stand on equal steps: 1, 1, 3 has two first steps and no second one.
    """
    standing = [PodiumStep(line.place, line) for line in on_podium(lines) if line.place is not None]
    return standing + [PodiumStep(place) for place in range(len(standing) + 1, 4)]
