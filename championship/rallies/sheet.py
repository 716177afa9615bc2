"""The rally sheet (F6): six drivers side by side, as on paper; per stage time, car and running total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from championship.rallies.classification import Driven, Line
from championship.rallies.models import Entry, SpecialStage, StageTime, TimeControlCard
from championship.rallies.results import COMPLETE, Results
from engine import ruleset as rulesets

DRIVERS_PER_SHEET = 6
Cars = Mapping[tuple[int, int], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one box: seconds (of which some `added`), a place, or a value of the car; all None: empty."""

    seconds: int | None = None
    added: int = 0
    place: int | None = None
    value: str | int | bool | None = None
    retired: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of boxes, one per driver. kind: "time", "car", "running", "final" or "place"."""

    kind: str
    label: str
    cells: tuple[Cell, ...]


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


def _by_entry(lines: Sequence[Line]) -> dict[int, Line]:
    return {line.entry.pk: line for line in lines}


def _cars(results: Results) -> Cars:
    """Cars as they go into the next stage, by stage number and entry id; what is sealed is not in them."""
    rally, rules = results.rally, rulesets.get(results.rally.game)
    stages = {stage.pk: stage for stage in results.stages}
    cars: dict[tuple[int, int], Mapping[str, Any]] = {}
    times = StageTime.objects.filter(special_stage__rally=rally, special_stage__status__in=COMPLETE)
    for stage_id, entry_id, retired, car in times.values_list("special_stage", "entry", "retired", "car"):
        stage = stages[stage_id]
        after = rules.car_after_stage(car, service=stage.service, retired=retired, options=rally.options)
        cars[stage.number, entry_id] = rules.sheet_row(after)
    cards = TimeControlCard.objects.filter(special_stage__rally=rally, special_stage__status=SpecialStage.Status.DONE)
    for stage_id, entry_id, car in cards.values_list("special_stage", "entry", "car_after"):
        cars[stages[stage_id].number, entry_id] = rules.sheet_row(car)
    return cars


def _rows(results: Results, cars: Cars, overall: Mapping[int, Mapping[int, Line]], group: Sequence[Entry]) -> list[Row]:
    rows: list[Row] = []
    columns = rulesets.get(results.rally.game).sheet_columns
    ids, last = [entry.pk for entry in group], len(results.stages)
    for number in range(1, last + 1):
        label = _("Stage %(number)d") % {"number": number}
        rows.append(Row("time", label, tuple(_time(results.driven.get((number, pk))) for pk in ids)))
        for column in columns:
            values = (cars.get((number, pk), {}).get(column.key) for pk in ids)
            rows.append(Row("car", _(column.label), tuple(Cell(value=value) for value in values)))
        if 1 < number < last:
            rows.append(Row("running", _("Time"), tuple(_running(overall[number].get(pk)) for pk in ids)))
    final = overall[last] if results.finished else {}
    rows.append(Row("final", _("Final time"), tuple(_total(final.get(pk)) for pk in ids)))
    rows.append(Row("place", _("Place"), tuple(_place(final.get(pk)) for pk in ids)))
    return rows


def _time(driven: Driven | None) -> Cell:
    if driven is None:
        return Cell()
    return Cell(seconds=driven.total, added=driven.added, retired=driven.retired)


def _running(line: Line | None) -> Cell:
    return Cell(seconds=line.seconds, place=line.place) if line else Cell()


def _total(line: Line | None) -> Cell:
    return Cell(seconds=line.seconds, retired=bool(line.retired_on)) if line else Cell()


def _place(line: Line | None) -> Cell:
    return Cell(place=line.place) if line else Cell()
