"""The rally sheet (F6): six drivers side by side, as on paper; for each stage the result, car, total and place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _

from championship.rallies.control import career
from championship.rallies.entries.driver_changes import CrewChange
from championship.rallies.models import Entry, Rally, StageTime, TimeControlCard
from championship.rallies.results import measures
from championship.rallies.results.classification import CODES, EntryStageResult, Line
from championship.rallies.results.selectors import COMPLETE, Results
from engine.contract import Column, Measure

DRIVERS_PER_SHEET = 6
BLANK = "…"
"""Shown before a letter in a box that is still empty."""
Cars = Mapping[tuple[int, int], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Cell:
    """The content of one box; it is empty when all values are None or empty.

    `amount` is a result, which includes `added`, or a penalty; `in_words` is the amount with its unit. `text` is damage
    by kind, a driver, or a word instead of a place. `yes` is the answer of a yes/no box. `code` marks a result that was
    not driven to the finish.
    """

    amount: int | None = None
    in_words: str = ""
    added: int = 0
    added_in_words: str = ""
    place: int | None = None
    text: str = ""
    yes: bool | None = None
    retired: bool = False
    code: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of boxes, one for each driver.

    `kind`: "time", "drivers", "officials", "counts", "tick", "running", "final" or "place". `blank` is shown in empty
    boxes of kind "counts".
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
    """The rally's sheets in the order of start numbers, in two queries. Boxes of future stages are empty."""
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


def letters_of(rally: Rally) -> list[tuple[str, str]]:
    """The letters on the sheet and their meanings, in the reader's language: "E", "Engine"."""
    return [(_letter(column), _(column.part)) for column in career.sheet_columns(rally) if column.part]


def _letter(column: Column) -> str:
    return str(_(column.part))[:1].upper()


def _by_entry(lines: Sequence[Line]) -> dict[int, Line]:
    return {line.entry.pk: line for line in lines}


def _cars(results: Results) -> Cars:
    """The cars at the start of the next stage, by stage number and entry id. Sealed cards are not applied."""
    rally = results.rally
    stages = {stage.pk: stage for stage in results.stages}
    cars: dict[tuple[int, int], Mapping[str, Any]] = {}
    if rally.on_paper:
        return cars  # imported rallies have no data about cars
    times = StageTime.objects.filter(special_stage__rally=rally, special_stage__status__in=COMPLETE)
    for stage_id, entry_id, retired, car in times.values_list("special_stage", "entry", "retired", "car"):
        stage = stages[stage_id]
        after = career.after_stage(rally, stage, car, retired=retired)
        cars[stage.number, entry_id] = career.sheet_row(rally, after)
    cards = TimeControlCard.objects.filter(special_stage__rally=rally).opened()
    for stage_id, entry_id, car in cards.values_list("special_stage", "entry", "car_after"):
        cars[stages[stage_id].number, entry_id] = career.sheet_row(rally, car)
    return cars


def _rows(
    results: Results, cars: Cars, overall: Mapping[int, Mapping[int, Line]], group: Sequence[Entry]
) -> Iterator[Row]:
    ids, last = [entry.pk for entry in group], len(results.stages)
    officials = results.rally.words.fill(_("Officials, [event]"))
    yield from _officials(officials, results.rally_wide, ids, results.measure)  # every total includes them
    for number in range(1, last + 1):
        label = results.rally.stage_called(number)
        struck = CODES["struck"][0] if number in results.struck else ""
        yield Row("time", label, tuple(_time(results.driven.get((number, pk)), struck) for pk in ids))
        yield from _drivers(results, number, ids)
        given = {pk: driven.penalties for (at, pk), driven in results.driven.items() if at == number}
        yield from _officials(_("Officials"), given, ids, results.measure)
        yield from _car_rows(results, [cars.get((number, pk)) for pk in ids])
        if number < last:
            yield Row(
                "running",
                measures.running_head(results.measure),
                tuple(_running(overall[number].get(pk)) for pk in ids),
            )
    final = overall[results.complete or last] if results.finished else {}
    yield Row("final", measures.final_head(results.measure), tuple(_total(final.get(pk)) for pk in ids))
    yield Row("place", _("Place"), tuple(_place(final.get(pk)) for pk in ids))


def _drivers(results: Results, number: int, ids: Sequence[int]) -> Iterator[Row]:
    """A row with the people who drove instead of the crews on a stage; no row when all crews drove."""
    told = []
    for pk in ids:
        driven = results.driven.get((number, pk))
        said = "" if driven is None else _at_the_wheel(results.changes.get(pk, ()), number, results.entries[pk].crew)
        if driven is not None and driven.stood_in and not said:
            said = _("codriver stood in")
        told.append(said)
    if any(told):
        yield Row("drivers", _("Driven by"), tuple(Cell(text=each) for each in told))


def _at_the_wheel(changes: Sequence[CrewChange], number: int, crew: str) -> str:
    """The driver of a car on a stage, if it is not the crew at the head of the column; else ""."""
    so_far = [each for each in changes if each.special_stage.number <= number]
    if so_far:
        by_codriver, told = so_far[-1].driver_id is None, so_far[-1].crew
    elif changes:
        by_codriver, told = changes[0].before_id is None, changes[0].crew_before
    else:
        return ""
    if by_codriver:
        return _("codriver")
    return told if told != crew else ""


def _officials(label: str, given: Mapping[int, int], ids: Sequence[int], measure: Measure) -> Iterator[Row]:
    """A row with the penalties of these entries; no row when there are none."""
    if any(given.get(pk) for pk in ids):
        amounts = [given.get(pk) or None for pk in ids]
        yield Row(
            "officials", label, tuple(Cell(amount=each, in_words=measures.gap(each, measure)) for each in amounts)
        )


def _car_rows(results: Results, cars: Sequence[Mapping[str, Any] | None]) -> Iterator[Row]:
    """The rows about the cars. Kinds of damage share a row, as on paper."""
    columns = career.sheet_columns(results.rally)
    for group, found in groupby(columns, key=lambda column: column.group or column.label):
        parts = list(found)
        if parts[0].part:
            counts = tuple(Cell(text=_counts(parts, car)) for car in cars)
            yield Row("counts", _(group), counts, blank=" / ".join(BLANK + _letter(part) for part in parts))
        else:
            yield Row("tick", _(group), tuple(Cell(yes=None if car is None else car[parts[0].key]) for car in cars))


def _counts(parts: Sequence[Column], car: Mapping[str, Any] | None) -> str:
    return "" if car is None else " / ".join(f"{car[part.key]}{_letter(part)}" for part in parts)


def codes_of(results: Results) -> list[tuple[str, str]]:
    """The marks on the sheet and their meanings, in the reader's language."""
    return [(code, str(says)) for code, says in CODES.values() if code in results.codes]


def _time(driven: EntryStageResult | None, struck: str = "") -> Cell:
    """The driven result with the cost of time control. Penalties of officials are in their own row."""
    if driven is None:
        return Cell()
    if driven.result is None:
        return Cell(retired=driven.retired, code=struck)
    shown = measures.with_added(driven.result, driven.control, driven.measure)
    return Cell(
        amount=shown,
        in_words=measures.result(shown, driven.measure),
        added=driven.control,
        added_in_words=measures.gap(driven.control, driven.measure),
        retired=driven.retired,
        code=" ".join(each for each in (driven.code, struck) if each),
    )


def _running(line: Line | None) -> Cell:
    return Cell(amount=line.total, in_words=_total_in_words(line), place=line.place) if line else Cell()


def _total(line: Line | None) -> Cell:
    return Cell(amount=line.total, in_words=_total_in_words(line), retired=bool(line.retired_on)) if line else Cell()


def _total_in_words(line: Line) -> str:
    return "" if line.total is None else line.total_in_words


def _place(line: Line | None) -> Cell:
    if line is None:
        return Cell()
    return Cell(text=_("excluded")) if line.excluded else Cell(place=line.place)
