"""Queries that are asked all day: the ORM writes their SQL once in a process, and the process asks with it again.

To write the SQL of a query with a few joins takes the ORM longer than to ask it. This is for the few queries before
which every request waits: whose token this is, whether there is news.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connections
from django.db.models import QuerySet

Value = str | int
Row = list[Any]
MARKS: dict[type, Callable[[int], Value]] = {
    str: lambda place: f"\x00{place}",
    int: lambda place: 2_147_480_000 + place,
}
"""Values that nobody asks with. Where one of them comes out in the parameters of the SQL, the asked one goes in."""


@dataclass(frozen=True, slots=True)
class _Written:
    sql: str
    parameters: tuple[Any, ...]
    """As many as the SQL takes; those of `places` are filled anew each time."""
    places: tuple[tuple[int, int], ...]
    """Which parameter is which of the values asked with."""
    read: Callable[[list[Any]], list[Row]]


class CompiledQuery:
    """`build`: takes values of the types `kinds`, and gives a queryset with `values_list`, all in SQL that is the same
    whatever the values are: no list of values, no choice of Python by a value.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, tuple[Any, ...]]], *kinds: type) -> None:
        self._build = build
        self._kinds = kinds
        self._written: _Written | None = None

    def ask(self, *values: Value) -> list[Row]:
        """The rows for these values, in one query.

        Raises: TypeError for values of other types than were said.
        """
        if tuple(type(value) for value in values) != self._kinds:
            raise TypeError(f"This is asked with {[kind.__name__ for kind in self._kinds]}, not with {values!r}.")
        written = self._written
        if written is None:
            written = self._written = _write(self._build, self._kinds)
        parameters = list(written.parameters)
        for place, number in written.places:
            parameters[place] = values[number]
        with connections["default"].cursor() as cursor:
            cursor.execute(written.sql, parameters)
            return written.read(cursor.fetchall())


def _write(build: Callable[..., QuerySet[Any, tuple[Any, ...]]], kinds: tuple[type, ...]) -> _Written:
    marks = [MARKS[kind](place) for place, kind in enumerate(kinds)]
    compiler = build(*marks).query.get_compiler("default")
    sql, parameters = compiler.as_sql()
    places = tuple((place, marks.index(said)) for place, said in enumerate(parameters) if said in marks)
    if {number for _place, number in places} != set(range(len(kinds))):
        raise ValueError("A value is not among the parameters of the SQL.")
    converters = compiler.get_converters([column for column, *_ in compiler.select[: compiler.col_count]])

    def read(rows: list[Any]) -> list[Row]:
        return [list(row) for row in (compiler.apply_converters(rows, converters) if converters else rows)]

    return _Written(sql, tuple(parameters), places, read)
