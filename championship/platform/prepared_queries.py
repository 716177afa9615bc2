"""Queries of the busiest pages, compiled to SQL once per process instead of once per request.

    @prepared
    def _open_turns(run: Any) -> QuerySet[Turn]:
        return Turn.objects.filter(run=run, ended_at=None).order_by("number")

    turns = _open_turns(run=run.pk)

Django needs more processor time to compile such a query than PostgreSQL and psycopg need to answer it. A prepared query
holds its SQL and how to read its rows; it holds no row. So each call queries the database, and sees what a queryset
would see. In the result of one call, rows that point to the same row of another table share one object for it.

The function is called once, with a placeholder for each of its parameters. It may use them in `filter` with `=`, `lt`,
`lte`, `gt` or `gte`, or with `in` through `any_of`, and nowhere else. It must always return the same query: it must not
depend on the time, the language or the reader. Rows are models, with `select_related`, `only` and annotations, or
tuples of `values_list`.

`run_together(_open_turns.bind(run=run.pk), ...)` runs several queries in one round trip to the database.
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
    """A placeholder in a query for a value that each call gives."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        return "%s", [self]


class _AnyOf(_Slot):
    """A placeholder for a list of keys of this type."""

    def __init__(self, name: str, kind: str) -> None:
        super().__init__(name)
        self.kind = kind

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        return f"SELECT unnest(%s::{self.kind}[])", [self]


def any_of(keys: Any, kind: str = "bigint") -> Any:
    """The right side of an `in` lookup, for a parameter that is a list of keys; `kind`: their type in PostgreSQL."""
    return _AnyOf(keys.name, kind) if isinstance(keys, _Slot) else keys


def _builder(model: type[Model], names: Sequence[str]) -> Callable[[Sequence[Any]], Any]:
    """Returns a function that builds an instance from these columns of a row. It does the same as `from_db`, without
    the work of `__init__` for each field of each row. A model that customises its construction is built by `from_db`.
    """
    from_db: Any = model.from_db
    is_ordinary = model.__init__ is Model.__init__ and from_db.__func__ is vars(Model)["from_db"].__func__
    if not is_ordinary or pre_init.has_listeners(model) or post_init.has_listeners(model):
        return lambda values: model.from_db(DEFAULT_DB_ALIAS, names, values)

    def build(values: Sequence[Any]) -> Any:
        found = model.__new__(model)
        state = ModelState()
        state.adding, state.db = False, DEFAULT_DB_ALIAS
        found.__dict__.update(zip(names, values, strict=True), _state=state)
        return found

    return build


class _Related:
    """A related model from `select_related`. Each of its rows becomes one object, however many rows point to it."""

    def __init__(self, populator: Any) -> None:
        self.names, self.key = populator.init_list, populator.pk_idx
        self.start, self.end, self.reorder = populator.cols_start, populator.cols_end, populator.reorder_for_init
        self.put, self.put_back = populator.local_setter, populator.remote_setter
        self.build = _builder(populator.model_cls, self.names)
        self.joined = [_Related(each) for each in populator.related_populators]

    def populate(self, row: Sequence[Any], found: Any, known: dict[tuple[int, Any], Any]) -> None:
        """Set the related object on the model of that row. `known`: the related objects of this call so far."""
        values = self.reorder(row) if self.reorder else row[self.start : self.end]
        name = id(self), values[self.key]
        joined = known.get(name)
        if joined is None and values[self.key] is not None:
            joined = known[name] = self.build(values)
            for each in self.joined:
                each.populate(row, joined, known)
        self.put(found, joined)
        if joined is not None:
            self.put_back(joined, found)


class _CompiledQuery:
    """A queryset as SQL, with the functions that turn its rows into objects. It is immutable after construction."""

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
        self.joined = [_Related(each) for each in related]
        self.annotations = tuple((self.compiler.annotation_col_map or {}).items())

    def given(self, values: dict[str, Any]) -> list[Any]:
        """The parameters of the SQL for these values."""
        return [values[each.name] if isinstance(each, _Slot) else each for each in self.parameters]

    def rows(self, values: dict[str, Any]) -> list[Any]:
        """Run the query with these values."""
        with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute(self.sql, self.given(values))
            rows: list[Any] = cursor.fetchall()
        return self.read(rows)

    def read(self, rows: list[Any]) -> list[Any]:
        """The rows of the database, as tuples or as models."""
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
        """The model of a row, with its related models."""
        found = self.build(row[self.own])
        for each in self.joined:
            each.populate(row, found, known)
        for name, place in self.annotations:
            setattr(found, name, row[place])
        return found


class Prepared(Generic[Row]):
    """A query that is compiled at its first call."""

    def __init__(self, build: Callable[..., QuerySet[Any, Row]]) -> None:
        self.queryset = build
        self._lock = threading.Lock()

    @cached_property
    def compiled(self) -> _CompiledQuery:
        """The compiled query."""
        with self._lock:
            slots = {name: _Slot(name) for name in inspect.signature(self.queryset).parameters}
            return _CompiledQuery(self.queryset(**slots))

    def __call__(self, **values: Any) -> list[Row]:
        """All rows for these values: one query. The values must have the types of their columns: a key is a number, and
        not a model.
        """
        return self.compiled.rows(values)

    def first(self, **values: Any) -> Row | None:
        """The first row, or None when there is none: one query."""
        return next(iter(self(**values)), None)

    def bind(self, **values: Any) -> BoundQuery[Row]:
        """The query with these values, for `run_together`. It does not run yet."""
        return BoundQuery(self, values)


@dataclass(frozen=True, slots=True)
class BoundQuery(Generic[Row]):
    """A prepared query with its values."""

    query: Prepared[Row]
    values: dict[str, Any]


def run_together(*queries: BoundQuery[Any]) -> list[list[Any]]:
    """The rows of each of these queries, as its own call would return them. All run in one round trip: for a light
    query the round trip costs more than the answer.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    bound_by_database = getattr(connection.features, "uses_server_side_binding", False)
    if len(queries) < 2 or bound_by_database:  # server-side binding takes one statement at a time
        return [each.query(**each.values) for each in queries]
    compiled = [each.query.compiled for each in queries]
    given = [value for each, query in zip(queries, compiled, strict=True) for value in query.given(each.values)]
    answers: list[list[Any]] = []
    with connection.cursor() as cursor:
        cursor.execute(";\n".join(query.sql for query in compiled), given)
        for _query in compiled:
            answers.append(cursor.fetchall())
            cursor.nextset()
    return [query.read(rows) for query, rows in zip(compiled, answers, strict=True)]


def prepared(build: Callable[..., QuerySet[Any, Row]]) -> Prepared[Row]:
    """Prepare the query that a function builds. `.queryset(...)` is the function itself, for queries that extend it."""
    return Prepared(build)
