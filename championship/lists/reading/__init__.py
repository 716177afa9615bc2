"""Reads lists as people keep them: bytes or pasted text in, people and results out (`championship/lists/found.py`).

`read` does all of it: bytes become sheets of rows (sources.py), a sheet gets headings (layouts.py) and each column a
role (roles.py), and the lines become people and results. Nothing here knows a club, a member or a request. Everything
is bounded in bytes, cells and time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from championship.lists.found import Choices, FoundEntries, FoundSeason, Note
from championship.lists.reading.bounds import MOST_BYTES, MOST_LINES, too_large
from championship.lists.reading.bounds import Unreadable as Unreadable
from championship.lists.reading.cells import is_nothing
from championship.lists.reading.encodings import decode
from championship.lists.reading.grids import grid_of
from championship.lists.reading.json_lists import json_list, looks_like_json, records_list
from championship.lists.reading.layouts import Block, Layout, layout_of
from championship.lists.reading.marked.yaml_lists import records_of
from championship.lists.reading.noting import Notes
from championship.lists.reading.numbered import with_marked_numbers
from championship.lists.reading.people import People, found_entries
from championship.lists.reading.prose import is_running_text
from championship.lists.reading.roles import IGNORE, PERSON_ROLES, RESULT_ROLES, SEVERAL, guess_roles
from championship.lists.reading.rounds import days_elsewhere
from championship.lists.reading.seasons import SeasonReader
from championship.lists.reading.shapes import ALL_ROUNDS, below_each_other, one_table, turned, with_all_rounds
from championship.lists.reading.sources import ListSheet, Source, sheet_of
from championship.lists.reading.times import HOURS, read_time
from championship.lists.reading.words import folded
from championship.lists.reading.workbooks import is_workbook, workbook
from championship.lists.reading.xml_workbooks import is_xml_workbook, xml_workbook

MOST_SAMPLES = 4
TIMED = ("time", "stage", "gap", "round_times")
NO_TIME = 999_999_000
"""Programs write a larger number of thousandths where there is no time."""


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """A column: its heading as written, its first cells, what it is taken for, and what it would be by guess."""

    index: int
    heading: str
    samples: tuple[str, ...]
    role: str
    guess: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A list that has been read. `shape` tells lists with the same headings. `lines` counts those below the headings.

    `found` is what it says by the roles of its columns. Its notes contain those about the file.
    """

    sheets: tuple[str, ...]
    sheet: int
    titles: tuple[str, ...]
    columns: tuple[ReadColumn, ...]
    found: FoundEntries | FoundSeason
    shape: str
    lines: int
    layout: Layout


def read(content: bytes, *, results: bool, file_name: str = "", choices: Choices | None = None) -> Reading:
    """Read a list. `results`: whether it holds results; else only people. `choices` overrule the guesses.

    Raises: Unreadable when it is no list, or too large.
    """
    choices = choices or Choices()
    source = sheets_of(content)
    source = with_all_rounds(source) if results else source
    at = _chosen_sheet(source, choices.sheet, results=results)
    sheet, told = turned(below_each_other(source.sheets[at])) if results else (source.sheets[at], ())
    layout, more = one_table(layout_of(sheet))
    if len(layout.rows) > MOST_LINES:
        raise too_large()
    guessed = guess_roles(layout, results=results)
    roles = with_choices(guessed, choices.columns, results=results)
    layout, numbered = with_marked_numbers(layout, roles)
    notes = Notes()
    together = at == len(source.sheets) - 1
    from_file = [each for each in source.notes if together or each.about != ALL_ROUNDS]
    for note in (*from_file, *told, *more, *numbered):
        notes.add(note.kind, note.about, note.says, line=note.lines[0] if note.lines else None)
    found: FoundEntries | FoundSeason
    if results:
        elsewhere = [row.cells for index, sheet in enumerate(source.sheets) if index != at for row in sheet.rows[:300]]
        found = SeasonReader(
            layout,
            roles,
            notes=notes,
            answers=_with_hours(layout, roles, choices.answers, notes),
            file_name=file_name,
            dated=days_elsewhere(elsewhere),
            thousandths=_thousandths(layout, roles, notes),
        ).season()
    else:
        found = found_entries([Block(layout.titles, layout.rows)], People(roles, layout.heads, notes), notes)
    return Reading(
        sheets=tuple(sheet.name for sheet in source.sheets),
        sheet=at,
        titles=layout.titles,
        columns=tuple(_columns(layout, roles, guessed)),
        found=_checked(found, layout, roles),
        shape=shape_of(layout, results=results),
        lines=len(layout.rows),
        layout=layout,
    )


def sheets_of(content: bytes) -> Source:
    """Return the sheets of a file or of a pasted text.

    Raises: Unreadable when there is nothing in it that could be a list.
    """
    if len(content) > MOST_BYTES:
        raise too_large()
    if is_workbook(content):
        return workbook(content)
    if is_xml_workbook(content):
        return xml_workbook(content)
    if content.startswith(
        (b"%PDF", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"Rar!", b"7z\xbc\xaf", b"\x1f\x8b", b"RIFF")
    ):
        raise Unreadable(
            _("This file is a picture, a PDF or an archive. Bring the list itself, as .xlsx, .ods or CSV.")
        )
    text, told = decode(content)
    if not text.strip():
        raise Unreadable(_("The list is empty."))
    if looks_like_json(text):
        source = json_list(text)
        return replace(source, notes=(*told, *source.notes))
    records = records_of(text)
    if records is not None:
        source = records_list(records)
        return replace(source, notes=(*told, *source.notes))
    sheet = sheet_of("", grid_of(text))
    if not sheet.rows:
        raise Unreadable(_("The list is empty."))
    if is_running_text(text):
        says = _(
            "This looks like running text. A list has one line for each driver, such as: 1. Ana Berg 12:34. Sentences "
            "are read when they name the places in order: 1. Ana Berg 12:34, 2. Bo Dahl 12:40."
        )
        told = (*told, Note((), "", says, "told", "running text"))
    return Source((sheet,), told)


def with_choices(guessed: Mapping[int, str], chosen: Mapping[int, str], *, results: bool) -> dict[int, str]:
    """Return the roles with what a person has chosen. A role for one column only stays with the chosen one."""
    allowed = {*PERSON_ROLES, IGNORE, *(RESULT_ROLES if results else ())}
    valid = {index: role for index, role in chosen.items() if index in guessed and role in allowed}
    taken = {role for role in valid.values() if role not in SEVERAL}
    roles = {index: IGNORE if role in taken else role for index, role in guessed.items()}
    given: set[str] = set()
    for index, role in sorted(valid.items()):
        roles[index] = IGNORE if role in given and role not in SEVERAL else role
        given.add(role)
    return roles


def shape_of(layout: Layout, *, results: bool) -> str:
    """Return a digest of the headings, the same for every list of that shape."""
    words = "\x1f".join(head.written.casefold() for head in layout.heads)
    return hashlib.sha256(f"{results}\x1e{len(layout.heads)}\x1e{words}".encode()).hexdigest()


def choices_json(choices: Choices) -> dict[str, Any]:
    """Return choices as JSON."""
    return {
        "sheet": choices.sheet,
        "columns": {str(index): role for index, role in choices.columns.items()},
        "answers": dict(choices.answers),
    }


def choices_of(data: Mapping[str, Any]) -> Choices:
    """Return choices from JSON; what is not understood is left out."""
    columns, answers, sheet = data.get("columns"), data.get("answers"), data.get("sheet")
    return Choices(
        sheet=sheet if isinstance(sheet, int) and not isinstance(sheet, bool) else None,
        columns={
            int(index): str(role)
            for index, role in (columns.items() if isinstance(columns, dict) else ())
            if str(index).isascii() and str(index).isdigit() and len(str(index)) < 4
        },
        answers={str(about): str(said) for about, said in (answers.items() if isinstance(answers, dict) else ())},
    )


def _chosen_sheet(source: Source, chosen: int | None, *, results: bool) -> int:
    if chosen is not None and 0 <= chosen < len(source.sheets):
        return chosen
    marks = [_worth(sheet, results=results) for sheet in source.sheets]
    together = ALL_ROUNDS in (each.about for each in source.notes)
    return len(marks) - 1 if together and marks[-1] == max(marks) else marks.index(max(marks))


def _worth(sheet: ListSheet, *, results: bool) -> int:
    """Return how much a sheet looks like the list: people, other known columns, lines."""
    layout = layout_of(sheet)
    roles = set(guess_roles(layout, results=results).values()) - {IGNORE}
    headed = any(head.label for head in layout.heads)
    return (
        100 * bool(roles & {"name", "crew", "last", "mail"}) * (1 + headed)
        + 10 * len(roles)
        + min(len(layout.rows), 30)
    )


def _columns(layout: Layout, roles: Mapping[int, str], guessed: Mapping[int, str]) -> Iterable[ReadColumn]:
    few = len(layout.heads) < 3
    rows = [row.cells for row in layout.rows[:40] if few or sum(map(bool, row.cells)) > 1]  # no titles between tables
    rows = [cells for cells in rows if tuple(map(folded, cells)) != layout.head_cells]
    for head in layout.heads:
        cells = [row[head.index] for row in rows if row[head.index]]
        if head.label or cells:
            samples = tuple(cells[:MOST_SAMPLES])
            yield ReadColumn(head.index, head.written, samples, roles[head.index], guessed[head.index])


def _checked(found: FoundEntries | FoundSeason, layout: Layout, roles: Mapping[int, str]) -> FoundEntries | FoundSeason:
    """Add what is wrong with the list as a whole: nobody in it, nothing that is a result."""
    told: list[Note] = []
    people = set(roles.values()) & {"name", "first", "last", "crew", "mail"}
    if not people:
        told.append(Note((), "", _("No column holds names. Say which one does."), "fault", "no names"))
    elif isinstance(found, FoundEntries) and not found.persons:
        told.append(Note((), "", _("There is nobody in this list."), "fault", "nobody"))
    elif isinstance(found, FoundSeason) and not any(each.results for each in found.rounds):
        says = _("No column holds results. Say which one has the places, the points or the times.")
        told.append(Note((), "", says, "fault", "no results"))
    return replace(found, notes=(*told, *found.notes)) if told else found


def _with_hours(layout: Layout, roles: Mapping[int, str], answers: Mapping[str, str], notes: Notes) -> dict[str, str]:
    """Return the answers; ask whether 3:25:00 means minutes, when every time of the list looks like that."""
    timed = [index for index, role in roles.items() if role in TIMED]
    cells = [(row, index) for row in layout.rows for index in timed if read_time(row.cells[index], bare=False)]
    kept = {about: said for about, said in answers.items() if about != "hours"}
    if not cells or not all(HOURS.fullmatch(row.cells[index]) for row, index in cells):
        return kept
    row, index = cells[0]
    choices = (("minutes", _("3 minutes 25 seconds")), ("hours", _("3 hours 25 minutes")))
    says = _("A spreadsheet takes 3:25 for hours. What does 3:25:00 mean here?")
    heading = layout.heads[index].written
    notes.ask("hours", says, choices, line=row.line, column=heading, cell=row.cells[index])
    return {**kept, "hours": answers.get("hours", "minutes")}


def _thousandths(layout: Layout, roles: Mapping[int, str], notes: Notes) -> frozenset[int]:
    """Return the columns of times whose whole numbers are so large that they are thousandths of a second."""
    found = set()
    for index in (index for index, role in roles.items() if role in TIMED):
        cells = [row.cells[index] for row in layout.rows if not is_nothing(row.cells[index])]
        whole = [int(cell) for cell in cells if cell.isascii() and cell.isdigit() and len(cell) < 12]
        said = [value for value in whole if 0 < value < NO_TIME]
        if said and len(whole) == len(cells) and min(said) > 20_000:
            found.add(index)
            says = _("The numbers in this column are read as thousandths of a second.")
            notes.add("told", "thousandths", says, column=layout.heads[index].written)
    return frozenset(found)
