"""The rally sheet (F6): six drivers side by side, as on paper; per stage time, car, total and place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _

from championship.rallies.classification import Driven, Line
from championship.rallies.models import Entry, SpecialStage, StageTime, TimeControlCard
from championship.rallies.results import COMPLETE, Results
from engine import ruleset as rulesets

DRIVERS_PER_SHEET = 6
BLANK = "…"
"""What stands before a letter in a box that is still to be filled in."""
Cars = Mapping[tuple[int, int], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one box; all None: empty. `seconds` have some `added` to them; `text` is damage by kind, or a
    word in place of a place; `yes` is ticked, or no.
    """

    seconds: int | None = None
    added: int = 0
    place: int | None = None
    text: str = ""
    yes: bool | None = None
    retired: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of boxes, one per driver. kind: "time", "counts", "tick", "running", "final" or "place"; `blank` stands in
    empty boxes of counts.
    """

    kind: str
    label: str
    cells: tuple[Cell, ...]
    blank: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of paper: up to six entries, and its rows."""

    entries: tuple[Entry, ...]
    rows: tuple[Row, ...]


def sheets_of(results: Results) -> list[Sheet]:
    """The rally's sheets in order of start number, in two queries more. Boxes of what is to come are empty."""
    cars = _cars(results)
    overall = {
        stage.number: _by_entry(results.overall_lines(stage.number) if stage.status in COMPLETE else [])
        for stage in results.stages
    }
    entries = list(results.entries.values())
    return [
        Sheet(tuple(group), tuple(_rows(results, cars, overall, group)))
        for group in (entries[start : start + DRIVERS_PER_SHEET] for start in range(0, len(entries), DRIVERS_PER_SHEET))
    ]


def letters_of(rules: rulesets.Ruleset) -> list[tuple[str, str]]:
    """What the letters on the sheet stand for, in the reader's language: "G", "Gear"."""
    return [(_letter(column), _(column.part)) for column in rules.sheet_columns if column.part]


def _letter(column: rulesets.Column) -> str:
    return str(_(column.part))[:1].upper()


def _by_entry(lines: Sequence[Line]) -> dict[int, Line]:
    return {line.entry.pk: line for line in lines}


def _cars(results: Results) -> Cars:
    """Cars as they go into the next stage, by stage number and entry id; what is sealed is not in them."""
    rally, rules = results.rally, rulesets.get(results.rally.game)
    stages = {stage.pk: stage for stage in results.stages}
    cars: dict[tuple[int, int], Mapping[str, Any]] = {}
    if rally.on_paper:
        return cars  # nobody wrote them down for us
    times = StageTime.objects.filter(special_stage__rally=rally, special_stage__status__in=COMPLETE)
    for stage_id, entry_id, retired, car in times.values_list("special_stage", "entry", "retired", "car"):
        stage = stages[stage_id]
        after = rules.car_after_stage(car, service=stage.service, retired=retired, options=rally.options)
        cars[stage.number, entry_id] = rules.sheet_row(after)
    cards = TimeControlCard.objects.filter(special_stage__rally=rally, special_stage__status=SpecialStage.Status.DONE)
    for stage_id, entry_id, car in cards.values_list("special_stage", "entry", "car_after"):
        cars[stages[stage_id].number, entry_id] = rules.sheet_row(car)
    return cars


def _rows(
    results: Results, cars: Cars, overall: Mapping[int, Mapping[int, Line]], group: Sequence[Entry]
) -> Iterator[Row]:
    ids, last = [entry.pk for entry in group], len(results.stages)
    for number in range(1, last + 1):
        label = _("Stage %(number)d") % {"number": number}
        yield Row("time", label, tuple(_time(results.driven.get((number, pk))) for pk in ids))
        yield from _car_rows(results, [cars.get((number, pk)) for pk in ids])
        if number < last:
            yield Row("running", _("Time"), tuple(_running(overall[number].get(pk)) for pk in ids))
    final = overall[last] if results.finished else {}
    yield Row("final", _("Final time"), tuple(_total(final.get(pk)) for pk in ids))
    yield Row("place", _("Place"), tuple(_place(final.get(pk)) for pk in ids))


def _car_rows(results: Results, cars: Sequence[Mapping[str, Any] | None]) -> Iterator[Row]:
    """What is kept of the cars: kinds of damage share a row, as on paper."""
    columns = rulesets.get(results.rally.game).sheet_columns
    for group, found in groupby(columns, key=lambda column: column.group or column.label):
        parts = list(found)
        if parts[0].part:
            counts = tuple(Cell(text=_counts(parts, car)) for car in cars)
            yield Row("counts", _(group), counts, blank=" / ".join(BLANK + _letter(part) for part in parts))
        else:
            yield Row("tick", _(group), tuple(Cell(yes=None if car is None else car[parts[0].key]) for car in cars))


def _counts(parts: Sequence[rulesets.Column], car: Mapping[str, Any] | None) -> str:
    return "" if car is None else " / ".join(f"{car[part.key]}{_letter(part)}" for part in parts)


def _time(driven: Driven | None) -> Cell:
    if driven is None:
        return Cell()
    return Cell(seconds=driven.total, added=driven.added, retired=driven.retired)


def _running(line: Line | None) -> Cell:
    return Cell(seconds=line.seconds, place=line.place) if line else Cell()


def _total(line: Line | None) -> Cell:
    return Cell(seconds=line.seconds, retired=bool(line.retired_on)) if line else Cell()


def _place(line: Line | None) -> Cell:
    if line is None:
        return Cell()
    return Cell(text=_("excluded")) if line.excluded else Cell(place=line.place)
