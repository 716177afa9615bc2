"""A rally's results as a table for spreadsheets: one line per entry, results as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import partial

from django.utils.translation import gettext as _

from championship.papers import occasions
from championship.papers.grids import Cell, Grid
from championship.rallies.entries.officials import Act
from championship.rallies.models import PublishedResult, Rally
from championship.rallies.results.classification import EntryStageResult, Line
from championship.rallies.results.measures import in_seconds, is_points, is_time, unit_name
from championship.rallies.results.selectors import Results
from engine.contract import Measure


def results_grid(results: Results, acts: Sequence[Act]) -> Grid:
    """The results as a table. Entries without a place come last.

    The columns: overall place, crew, driver, team and total; for each stage the result driven or set, the amounts added
    to it, and the place; the acts of officials in words; the rally, its championship and its days.
    """
    rows = tuple(tuple(row) for row in _rows(results, acts))
    return Grid(results.rally.name, tuple(_heads(results)), rows)


def _heads(results: Results) -> Iterator[str]:
    words = results.rally.words
    yield from (_("Place"), _("Number"), str(words.crew), _("Driver"), _("Team"), _("Car class"), _("Status"))
    if results.rally.heats is not None:
        yield _("Last part driven")
    unit, event = results.measure.unit, str(words.event)
    unit = "seconds" if is_time(results.measure) else "points" if is_points(results.measure) else unit
    rally_wide = str(words.penalties.get(unit) or words.penalties_in) % {"unit": unit_name(unit)}
    yield from _words(results.measure, rally_wide)[0]
    if _has_published_points(results):
        yield _("Championship points")
    for stage in results.stages:
        name = stage.called
        yield from (f"{name}: {said}" for said in _words(results.measure, rally_wide)[1])
        yield from (f"{name}: {said}" for said in (_("place"), _("retired"), *_marks(results)))
    yield from (_("Penalties and decisions"), event, _("Championship"), _("Round"), _("First day"), _("Last day"))


def _has_published_points(results: Results) -> bool:
    """Whether a list, from which the rally came, gave points of the championship."""
    return any(said.points is not None for said in results.published.values())


def _marks(results: Results) -> list[str]:
    """The head of a column with the marks of results that were not driven to the finish; none where there is none."""
    return [_("mark")] if results.codes else []


def _words(measure: Measure, rally_wide: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The column heads of amounts with their unit: for the rally, and for a stage. `rally_wide`: the head of penalties
    on the whole rally.
    """
    if is_time(measure):
        return (
            (_("Total, s"), _("Gap, s"), rally_wide),
            (_("time, s"), _("time control, s"), _("penalties, s"), _("total, s")),
        )
    if is_points(measure):
        return (
            (_("Total points"), _("Gap in points"), rally_wide),
            (_("points"), _("time control, in points"), _("penalties in points"), _("total points")),
        )
    if measure.unit == "places":
        return (
            (_("Sum of places"), _("Gap in places"), rally_wide),
            (_("place driven"), _("time control, in places"), _("penalties in places"), _("place with penalties")),
        )
    return _counted_words(unit_name(measure.unit), rally_wide)


def _counted_words(unit: str, rally_wide: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The column heads of amounts in a unit of the game's own."""
    of_the_rally = (_("Total (%(unit)s)"), _("Gap (%(unit)s)"))
    of_a_stage = ("%(unit)s", _("time control (%(unit)s)"), _("penalties (%(unit)s)"), _("total (%(unit)s)"))
    named = {"unit": unit}
    return (*(head % named for head in of_the_rally), rally_wide), tuple(head % named for head in of_a_stage)


def _rows(results: Results, acts: Sequence[Act]) -> Iterator[list[Cell]]:
    by_stage = [{line.entry.pk: line for line in results.stage_lines(stage.number)} for stage in results.stages]
    overall = {line.entry.pk: line for line in results.overall}
    behind = [entry for entry in results.entries.values() if entry.pk not in overall]
    occasion = occasions.occasion_of(results.rally)
    days = [day.isoformat() for day in occasions.days_of(results.rally, occasion)] or [""]
    with_heats, with_points = results.rally.heats is not None, _has_published_points(results)
    of = [results.rally.name, occasion.championship, occasion.round, days[0], days[-1]]
    number = partial(in_seconds, measure=results.measure)
    for entry in [*(line.entry for line in overall.values()), *behind]:
        line = overall.get(entry.pk)
        row: list[Cell] = [
            line.place if line else None,
            entry.start_number,
            entry.crew,
            str(entry.driver),
            entry.team or "",
            entry.car_class,
            _status(line, excluded=entry.pk in results.excluded),
            *([line.remarks.part if line else ""] if with_heats else []),
            number(line.total if line else None),
            number(line.to_leader if line and line.place and line.place > 1 else 0 if line and line.place else None),
            number(results.rally_wide.get(entry.pk, 0)),
            *([_points(results.published.get(entry.pk))] if with_points else []),
        ]
        for stage, lines in zip(results.stages, by_stage, strict=True):
            driven = results.driven.get((stage.number, entry.pk))
            here = lines.get(entry.pk)
            row += [
                *(number(each) for each in _amounts(driven)),
                here.place if here else None,
                here.remarks.retired[0].here if here and here.remarks.retired else "",
                *([driven.code if driven else ""] if results.codes else []),
            ]
        yield [*row, "; ".join(_said(act, results.rally) for act in acts if act.entry.pk == entry.pk), *of]


def _points(said: PublishedResult | None) -> Cell:
    return None if said is None or said.points is None else Decimal(said.points) / 100


def _amounts(driven: EntryStageResult | None) -> tuple[int | None, ...]:
    return (None,) * 4 if driven is None else (driven.result, driven.control, driven.penalties, driven.total)


def _status(line: Line | None, *, excluded: bool) -> str:
    if excluded:
        return _("excluded")
    told = [str(each) for each in (line.remarks.retired if line else ())]
    told += [line.unplaced] if line and line.unplaced else []
    return "; ".join([*told, *(line.drivers_in_words() if line else ())])


def _said(act: Act, rally: Rally) -> str:
    stage = "" if act.stage is None else f"{rally.stage_called(act.stage)}: "
    lifted = f" ({_('no longer holds')})" if act.lifted else ""
    return f"{stage}{act.what}{lifted}: {act.in_words}"
