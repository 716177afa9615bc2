"""A rally's papers as PDF: rally sheet, results, start list. They are in the active language. The same results give the
same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from championship.clubs.logos import content_of
from championship.papers import colours, occasions
from championship.papers.pdf_pages import Column, Paper, Plate, Row
from championship.rallies.entries.officials import Act
from championship.rallies.models import Rally, SpecialStage, StartPlace
from championship.rallies.results import measures
from championship.rallies.results.classification import Line, by_class
from championship.rallies.results.selectors import Results, heat_called
from championship.rallies.results.sheet import DRIVERS_PER_SHEET, Cell, Sheet, codes_of, letters_of
from championship.rallies.results.sheet import Row as SheetRow

TICKED, EMPTY = "☒", "☐"
UP, DOWN = "▲", "▼"
SHEET_SIZE = 8.0
"""The font size in points. With it, six stages and the heads fit on one page."""


def sheet_pdf(results: Results, sheets: Sequence[Sheet], acts: Sequence[Act] = ()) -> bytes:
    """The rally sheet with six drivers on each landscape page, as on the printed form. Unknown values are empty boxes.
    The acts of officials follow, with their reasons.
    """
    paper = _paper(results.rally, str(results.rally.words.sheet_head), across=True)
    put_sheets(paper, results, sheets)
    _say_acts(paper, results.rally, acts)
    return bytes(paper.output())


def put_sheets(paper: Paper, results: Results, sheets: Sequence[Sheet]) -> None:
    """Draw the rally sheets on landscape pages, of which the first has begun."""
    letters = " / ".join(f"{letter}: {word}" for letter, word in letters_of(results.rally))
    for number, sheet in enumerate(sheets or [Sheet((), ())], 1):
        if number > 1:
            paper.add_page(orientation="landscape")
        said = _("sheet %(number)d of %(total)d") % {"number": number, "total": max(1, len(sheets))}
        free = DRIVERS_PER_SHEET - len(sheet.entries)
        heads = [f"#{entry.start_number} {entry.crew}" for entry in sheet.entries] + [""] * free
        columns = [Column(said, 15), *(Column(head, 27, "C") for head in heads)]
        paper.put_table(columns, (_sheet_row(row, free) for row in sheet.rows), size=SHEET_SIZE, ruled=True)
        paper.say(letters, size=7.5)
        if results.codes:
            paper.say(" / ".join(f"{code}: {word}" for code, word in codes_of(results)), size=7.5)


def results_pdf(results: Results, acts: Sequence[Act]) -> bytes:
    """The overall classification, the car classes, the results of every stage, and the acts of officials."""
    rally = results.rally
    paper = _paper(rally, _("Results"))
    number = results.complete
    if number:
        overall = results.progress(number)
        title = rally.after(number)
        paper.heading(_("Final classification") if results.finished else title)
        paper.put_table(_columns(rally, overall, won=number > 1), _lines(overall, won=number > 1, with_class=True))
        for name, lines in by_class(overall):
            paper.heading(_("Class %(name)s") % {"name": name})
            paper.put_table(_columns(rally, lines), _lines(lines))
    else:
        paper.say(_("There is no classification yet."))
    for stage in results.stages:
        lines = results.stage_lines(stage.number)
        if lines:
            so_far = stage.status == SpecialStage.Status.RUNNING
            paper.heading(_("%(stage)s, results so far") % {"stage": stage.title} if so_far else stage.title)
            paper.put_table(_columns(rally, lines), _lines(lines, with_class=True, on_stage=True))
    _say_acts(paper, results.rally, acts)
    return bytes(paper.output())


def start_list_pdf(results: Results, stage: SpecialStage, places: Sequence[StartPlace]) -> bytes:
    """The stage's start list, with an empty column for notes; a sentence when there is no start list yet."""
    paper = _paper(results.rally, _("Start list"))
    paper.heading(stage.title)
    columns = [
        Column(_("Start"), 14, "R"),
        Column(_("No."), 12),
        Column(str(results.rally.words.crew), 80, lines=2),
        Column(_("Car class"), 35),
        Column("", 50),
    ]
    rows = (
        Row((str(place.position), _plate(entry), entry.crew, entry.car_class, heat_called(place.heat)))
        for place in places
        for entry in [place.entry]
    )
    if places:
        paper.put_table(columns, rows, size=10, ruled=True)
    else:
        paper.say(_("The start list is not drawn yet."))
    return bytes(paper.output())


def _paper(rally: Rally, about: str, *, across: bool = False) -> Paper:
    made: datetime = rally.finished_at or rally.started_at or rally.created_at
    return Paper(
        title=rally.name,
        about=f"{about} · {rally.club.name}",
        occasion=occasions.in_words(rally),
        author=rally.club.name,
        at=made,
        across=across,
        logo=content_of(rally.club),
    )


def _plate(entry: object) -> Plate:
    return Plate(getattr(entry, "start_number", None), getattr(entry, "colour", 0))


# The rally sheet ----------------------------------------------------------------------------------


def _sheet_row(row: SheetRow, free: int) -> Row:
    cells = [*row.cells, *[Cell()] * free]
    written = {"counts": _counts, "drivers": _counts, "tick": _tick, "place": _place}.get(row.kind, _time)
    strong = row.kind not in ("counts", "drivers", "tick")
    label = row.label if strong else f"  {row.label}"
    return Row((label, *(written(row, cell) for cell in cells)), bold=strong, ground=colours.SHEET if strong else "")


def _counts(row: SheetRow, cell: Cell) -> str:
    return cell.text or row.blank


def _tick(row: SheetRow, cell: Cell) -> str:
    yes, no = (TICKED if cell.yes else EMPTY), (TICKED if cell.yes is False else EMPTY)
    return f"{yes} {_('yes')}  {no} {_('no')}"


def _place(row: SheetRow, cell: Cell) -> str:
    return cell.text or ("#" if cell.place is None else f"#{cell.place}")


def _time(row: SheetRow, cell: Cell) -> str:
    if row.kind == "officials":
        return cell.in_words
    told = " ".join(each for each in (cell.in_words or ":", cell.code) if each)
    if row.kind == "running":
        told += "   " + _place(row, cell)
    if cell.added:
        told += f" ({_('incl. %(added)s') % {'added': cell.added_in_words}})"
    return f"{told} {_('retired')}" if cell.retired else told


# Classifications ----------------------------------------------------------------------------------


def _columns(rally: Rally, lines: Sequence[Line], *, won: bool = False) -> list[Column]:
    return [
        Column(_("Pos."), 9, "R"),
        *([Column("±", 9, "C")] if won else []),
        Column(_("No."), 12),
        Column(str(rally.words.crew), 92 if won else 101, lines=3),
        Column(lines[0].head if lines else measures.result_head(rally.measure), 32, "R", lines=3),
        Column(_("Leader"), 17, "R", lines=2),
        Column(_("Ahead"), 17, "R", lines=2),
    ]


def _lines(
    lines: Sequence[Line], *, won: bool = False, with_class: bool = False, on_stage: bool = False
) -> Iterator[Row]:
    for line in lines:
        place = "–" if line.place is None else str(line.place)
        moved = [_won(line)] if won else []
        crew = _crew(line, with_class=with_class, on_stage=on_stage)
        gaps = (line.gap, line.gap_ahead)
        yield Row((place, *moved, _plate(line.entry), crew, _with_added(line), *gaps), bold=line.place == 1)


def _won(line: Line) -> str:
    if not line.won:
        return "" if line.won is None else "="
    return f"{UP} {line.won}" if line.won > 0 else f"{DOWN} {line.lost}"


def _crew(line: Line, *, with_class: bool, on_stage: bool) -> str:
    told = [line.entry.crew]
    if with_class and line.entry.car_class:
        told.append(f"({line.entry.car_class})")
    if line.remarks.part:
        told.append(f"– {line.remarks.part}")
    if line.excluded:
        told.append(f"– {_('excluded')}")
    else:
        told += [f"– {each.here if on_stage else each}" for each in line.remarks.retired]
    told += [f"– {said}" for said in line.drivers_in_words(here=on_stage)]
    return " ".join(told)


def _with_added(line: Line) -> str:
    told = line.total_in_words
    if line.remarks.by_hand:
        told += f" {_('set by officials')}"
    if line.remarks.codes:
        told += f" {' '.join(line.remarks.codes)}"
    if line.added:
        told += f" ({_('incl. %(added)s') % {'added': measures.gap(line.added, line.measure)}})"
    return told


def _say_acts(paper: Paper, rally: Rally, acts: Sequence[Act]) -> None:
    if not acts:
        return
    paper.heading(_("Penalties and decisions"))
    columns = [
        Column(_("No."), 12),
        Column(str(rally.words.crew), 50, lines=2),
        Column(str(rally.words.one_stage), 18, "C"),
        Column(_("Decision"), 46, lines=3),
        Column(_("Reason"), 64, lines=9),
    ]
    paper.put_table(columns, (_act(act) for act in acts))


def _act(act: Act) -> Row:
    stage = "" if act.stage is None else str(act.stage)
    what = f"{act.what} ({_('no longer holds')})" if act.lifted else act.what
    return Row((_plate(act.entry), act.entry.crew, stage, what, act.in_words), pale=act.lifted)
