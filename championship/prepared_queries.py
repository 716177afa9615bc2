"""Queries of the busiest pages, written as SQL once in a process and not again for each request.

    @prepared
    def _open_turns(run: Any) -> QuerySet[Turn]:
        return Turn.objects.filter(run=run, ended_at=None).order_by("number")

    turns = _open_turns(run=run.pk)

Django spends more processor time on writing such a query down than PostgreSQL and psycopg on answering it. A prepared
query holds SQL and how its rows are read; it holds no row. So each call asks the database, and sees what a queryset
would see. Of one call, rows that point to the same row of another table share it as one object.

The function is called once, with a placeholder for each of its parameters. It may use them in `filter` with `=`, `lt`,
`lte`, `gt` or `gte`, with `in` by `any_of`, and nowhere else. It must return the same query at any time: it does not
ask for the time, the language or the reader. Rows are models, with `select_related`, `only` and annotations, or tuples
of `values_list`.

Several are asked in one trip to the database by `ask_together(_open_turns.asked(run=run.pk), ...)`.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Expression, Model, QuerySet
from django.db.models.base import ModelState
from django.db.models.query import ModelIterable, ValuesListIterable, get_related_populators
from django.db.models.signals import post_init, pre_init

Row = TypeVar("Row")


class _Slot(Expression):
    """Stands in a query where a value of each call will stand."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        return "%s", [self]


class _AnyOf(_Slot):
    """The same for the keys of any number of rows."""

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        return "SELECT unnest(%s::bigint[])", [self]


def any_of(keys: Any) -> Any:
    """The right side of an `in`: a parameter that stands for a list of keys."""
    return _AnyOf(keys.name) if isinstance(keys, _Slot) else keys


def _builder(model: type[Model], names: Sequence[str]) -> Callable[[Sequence[Any]], Any]:
    """What makes an instance of these columns of a row: as `from_db` does, without what `__init__` asks of each field
    again for each row. A model that has a say in how it is made is made by `from_db`.
    """
    from_db: Any = model.from_db
    as_all_are = model.__init__ is Model.__init__ and from_db.__func__ is vars(Model)["from_db"].__func__
    if not as_all_are or pre_init.has_listeners(model) or post_init.has_listeners(model):
        return lambda values: model.from_db(DEFAULT_DB_ALIAS, names, values)

    def build(values: Sequence[Any]) -> Any:
        found = model.__new__(model)
        state = ModelState()
        state.adding, state.db = False, DEFAULT_DB_ALIAS
        found.__dict__.update(zip(names, values, strict=True), _state=state)
        return found

    return build


class _Beside:
    """What was selected beside a model, from the same rows: each row of a table once, however many point to it."""

    def __init__(self, populator: Any) -> None:
        self.names, self.key = populator.init_list, populator.pk_idx
        self.start, self.end, self.reorder = populator.cols_start, populator.cols_end, populator.reorder_for_init
        self.put, self.put_back = populator.local_setter, populator.remote_setter
        self.build = _builder(populator.model_cls, self.names)
        self.beside = [_Beside(each) for each in populator.related_populators]

    def populate(self, row: Sequence[Any], found: Any, known: dict[tuple[int, Any], Any]) -> None:
        """Put it into the model that was found in that row; `known` is what these rows have told so far."""
        values = self.reorder(row) if self.reorder else row[self.start : self.end]
        name = id(self), values[self.key]
        beside = known.get(name)
        if beside is None and values[self.key] is not None:
            beside = known[name] = self.build(values)
            for each in self.beside:
                each.populate(row, beside, known)
        self.put(found, beside)
        if beside is not None:
            self.put_back(beside, found)


class _Written:
    """A queryset as SQL, with what turns its rows into objects. Nothing of it changes once it is made."""

    def __init__(self, queryset: QuerySet[Any, Any]) -> None:
        self.compiler: Any = queryset.query.get_compiler(using=DEFAULT_DB_ALIAS)
        self.sql, parameters = self.compiler.as_sql()
        self.parameters = tuple(parameters)
        columns = [each[0] for each in self.compiler.select]
        self.converters = self.compiler.get_converters(columns)
        kind = queryset._iterable_class
        if kind is ValuesListIterable:
            self.model = None
            return
        if kind is not ModelIterable:
            raise TypeError("A prepared query gives models, or tuples of values_list.")
        facts = self.compiler.klass_info
        first, *_others, last = facts["select_fields"]
        self.model = facts["model"]
        self.own = slice(first, last + 1)
        names = [each[0].target.attname for each in self.compiler.select[self.own]]
        self.build = _builder(self.model, names)
        related = cast(Any, get_related_populators)(facts, self.compiler.select, DEFAULT_DB_ALIAS)
        self.beside = [_Beside(each) for each in related]
        self.annotations = tuple((self.compiler.annotation_col_map or {}).items())

    def given(self, values: dict[str, Any]) -> list[Any]:
        """The parameters of the SQL for these values."""
        return [values[each.name] if isinstance(each, _Slot) else each for each in self.parameters]

    def rows(self, values: dict[str, Any]) -> list[Any]:
        """Ask the database with these values."""
        with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute(self.sql, self.given(values))
            rows: list[Any] = cursor.fetchall()
        return self.read(rows)

    def read(self, rows: list[Any]) -> list[Any]:
        """What the database answered, as tuples or as models."""
        if self.converters:
            rows = self._converted(rows)
        if self.model is None:
            return [tuple(row) for row in rows]
        known: dict[tuple[int, Any], Any] = {}
        return [self.built(row, known) for row in rows]

    def _converted(self, rows: list[Any]) -> list[Any]:
        connection = connections[DEFAULT_DB_ALIAS]
        converted = [list(row) for row in rows]
        for place, (converters, expression) in self.converters.items():
            for row in converted:
                value = row[place]
                for convert in converters:
                    value = convert(value, expression, connection)
                row[place] = value
        return converted

    def built(self, row: Any, known: dict[tuple[int, Any], Any]) -> Any:
        """The model that a row tells of, with those that were selected beside it."""
        found = self.build(row[self.own])
        for each in self.beside:
            each.populate(row, found, known)
        for name, place in self.annotations:
            setattr(found, name, row[place])
        return found


class Prepared(Generic[Row]):
    """A query that is written down when it is asked for the first time."""

    def __init__(self, build: Callable[..., QuerySet[Any, Row]]) -> None:
        self.queryset = build
        self._lock = threading.Lock()

    @cached_property
    def written(self) -> _Written:
        """The query as SQL."""
        with self._lock:
            slots = {name: _Slot(name) for name in inspect.signature(self.queryset).parameters}
            return _Written(self.queryset(**slots))

    def __call__(self, **values: Any) -> list[Row]:
        """All rows for these values, of the types that the columns have: one query. A key is a number, no model."""
        return self.written.rows(values)

    def first(self, **values: Any) -> Row | None:
        """The first row, None where there is none: one query."""
        return next(iter(self(**values)), None)

    def asked(self, **values: Any) -> Asked[Row]:
        """The query with these values, for `ask_together`. It asks nothing yet."""
        return Asked(self, values)


@dataclass(frozen=True, slots=True)
class Asked(Generic[Row]):
    """A prepared query with its values."""

    query: Prepared[Row]
    values: dict[str, Any]


def ask_together(*asked: Asked[Any]) -> list[list[Any]]:
    """The rows of each of these queries, as a call of it gives them. All are asked in one trip: for a light query the
    trip is dearer than its answer.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    bound_by_database = getattr(connection.features, "uses_server_side_binding", False)
    if len(asked) < 2 or bound_by_database:  # it takes one statement at a time then
        return [each.query(**each.values) for each in asked]
    written = [each.query.written for each in asked]
    given = [value for each, query in zip(asked, written, strict=True) for value in query.given(each.values)]
    answers: list[list[Any]] = []
    with connection.cursor() as cursor:
        cursor.execute(";\n".join(query.sql for query in written), given)
        for _query in written:
            answers.append(cursor.fetchall())
            cursor.nextset()
    return [query.read(rows) for query, rows in zip(written, answers, strict=True)]


def prepared(build: Callable[..., QuerySet[Any, Row]]) -> Prepared[Row]:
    """Prepare the query that a function builds; `.queryset(...)` is the function itself, for a query to go on with."""
    return Prepared(build)
