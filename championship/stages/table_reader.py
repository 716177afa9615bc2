"""The one reader of tables, for apps below `lists`, which registers it: a file or a pasted text as lines of cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.module_loading import import_string

from engine.contract import CourseColumn as CourseColumn


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table: its place from 0, its heading, its first cells, and what it is taken for, "" for nothing.
    `guess`: what it would be by its heading.
    """

    index: int
    heading: str
    samples: str
    role: str
    guess: str = ""


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table that has been read. `lines`: for each line its number and its cells by the names of the columns.

    `text`: its sheet as CSV, which is read as the same table. `shape`: the same for all tables with these headings.
    """

    columns: tuple[TableColumn, ...]
    lines: tuple[tuple[int, Mapping[str, tuple[str, ...]]], ...]
    text: str
    shape: str = ""


_readers: list[str] = []
_keepers: list[str] = []


def register(reader: str, keeper: str) -> None:
    """Register by their dotted names the reader, and what keeps the columns of a table for a club: they are imported
    when they are called. The last ones count.
    """
    _readers[:], _keepers[:] = [reader], [keeper]


def read_table(
    content: bytes, known: Sequence[CourseColumn], chosen: Mapping[int, str] | None, *, club: Any = None
) -> ReadTable | None:
    """Read a table with these known columns; None when it has no two of them. `chosen`: what people said of columns;
    None takes what the `club` has said of an earlier table with these headings.

    Raises: Refused when it cannot be read, or when it is too large.
    """
    if not _readers:
        return None
    read: Callable[..., ReadTable | None] = import_string(_readers[0])
    return read(content, known, chosen, club=club)


def keep_columns(club: Any, table: ReadTable) -> None:
    """Keep what was said of the columns of a table, for the club's next one with these headings."""
    if _keepers:
        import_string(_keepers[0])(club, table)
