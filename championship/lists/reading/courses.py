"""Courses from a list: a line each, or several lines below one name. The game says which columns it knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from championship.lists.reading.sources import ListSheet, SheetRow
from championship.lists.reading.words import folded

NAME, IGNORE = "name", "ignore"
NAMES = frozenset(
    {
        *("name", "title", "stage", "stage name", "special stage", "ss", "track name", "race", "event"),
        *("bezeichnung", "titel", "prufung", "wertungsprufung", "wp", "rennen", "nazwa", "odcinek", "os", "wyscig"),
        *("nom", "speciale", "es", "nombre", "tramo", "nome", "prova", "nazev", "zkouska", "naam", "proef"),
    }
)
"""Headings of the name of a course."""
HEADS_WITHIN = 8
"""The headings are in one of the first lines."""
MOST_COURSES = 500


@dataclass(frozen=True, slots=True)
class KnownColumn:
    """A column that the game knows: its name, folded headings that mean it, and whether it may hold several values."""

    name: str
    words: tuple[str, ...]
    several: bool = False


@dataclass(frozen=True, slots=True)
class FoundCourse:
    """A course in a list: its first line, its name, and its cells by the names of the game's columns."""

    line: int
    name: str
    values: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class CourseList:
    """What a list says of courses. `columns`: index, heading, first cells and role of each. `cut`: there are more than
    MOST_COURSES.
    """

    columns: tuple[tuple[int, str, str, str], ...]
    courses: tuple[FoundCourse, ...]
    cut: bool = False


def read_courses(sheet: ListSheet, known: Sequence[KnownColumn], chosen: Mapping[int, str]) -> CourseList:
    """Read the courses of a sheet. `chosen`: roles of columns that a person has said; others are guessed."""
    words = {word: column.name for column in known for word in column.words}
    words |= {word: NAME for word in NAMES if word not in words}
    at = _headings(sheet, words)
    heads = sheet.rows[at].cells if at is not None else ()
    rows = sheet.rows[(at + 1 if at is not None else 0) :]
    width = len(sheet.rows[0].cells) if sheet.rows else 0
    roles = _roles(heads, width, words, known)
    roles |= {index: role for index, role in chosen.items() if index in roles}
    columns = []
    for index in range(width):
        samples = [row.cells[index] for row in rows[:40] if row.cells[index]][:3]
        if samples or (heads and heads[index]):
            columns.append((index, heads[index] if heads else "", " · ".join(samples), roles[index]))
    courses = _courses(rows, roles)
    return CourseList(tuple(columns), tuple(courses[:MOST_COURSES]), len(courses) > MOST_COURSES)


def _headings(sheet: ListSheet, words: Mapping[str, str]) -> int | None:
    """Return the row of the headings; None for a list without any. A first line without figures, where others have
    some, is one of headings that nobody knows.
    """
    for at, row in enumerate(sheet.rows[:HEADS_WITHIN]):
        if sum(_role_of(cell, words) != IGNORE for cell in row.cells if cell) > 1:
            return at
    first, *rest = [any(map(str.isdigit, "".join(row.cells))) for row in sheet.rows[:40]] or [False]
    return 0 if not first and any(rest) else None


def _role_of(heading: str, words: Mapping[str, str]) -> str:
    """Return what a heading means; with a number behind it, it means the same."""
    plain = folded(heading)
    return words.get(plain) or words.get(plain.rstrip("0123456789 ")) or IGNORE


def _roles(heads: Sequence[str], width: int, words: Mapping[str, str], known: Sequence[KnownColumn]) -> dict[int, str]:
    """Return the role of each column. Without headings, the name comes first, and then the game's first column; cells
    behind a column with several values belong to it, where they have no heading.
    """
    if not heads:
        rest = known[0].name if known and known[0].several else IGNORE
        first = {0: NAME, **({1: known[0].name} if known else {})}
        return {index: first.get(index, rest) for index in range(width)}
    several = {column.name for column in known if column.several}
    roles: dict[int, str] = {}
    for index, heading in enumerate(heads):
        before = roles.get(index - 1, IGNORE)
        role = _role_of(heading, words) if heading else (before if before in several else IGNORE)
        roles[index] = IGNORE if role in roles.values() and role not in several else role
    return roles


def _courses(rows: Sequence[SheetRow], roles: Mapping[int, str]) -> list[FoundCourse]:
    """Return the courses. A line without a name, or with the name of the line before, continues the course above."""
    found: list[tuple[int, str, dict[str, list[str]]]] = []
    named = [index for index, role in roles.items() if role == NAME]
    for row in rows:
        cells, line = row.cells, row.line
        name = next((cells[index] for index in named if cells[index]), "")
        said = [(role, cells[index]) for index, role in roles.items() if role not in (NAME, IGNORE) and cells[index]]
        if not said and not name:
            continue
        if not found or (name and folded(name) != folded(found[-1][1])):
            found.append((line, name[:80], {}))
        for role, cell in said:
            found[-1][2].setdefault(role, []).append(cell)
    return [
        FoundCourse(line, name, {role: tuple(cells) for role, cells in values.items()}) for line, name, values in found
    ]
