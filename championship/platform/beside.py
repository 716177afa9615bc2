"""What upper apps read for a page of a lower one, in the same trip to the database as the page itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from championship.platform.prepared_queries import BoundQuery


class Beside:
    """The queries that apps register for one page, by name. The page binds all of them to what it knows, and its
    templates find the rows by name.
    """

    def __init__(self) -> None:
        self._queries: dict[str, Callable[..., BoundQuery[Any]]] = {}

    def register(self, name: str, query: Callable[..., BoundQuery[Any]]) -> None:
        """Add a query. It takes what the page knows, by keyword."""
        self._queries[name] = query

    def bound(self, **known: Any) -> list[BoundQuery[Any]]:
        """Return the queries for what a page knows."""
        return [query(**known) for query in self._queries.values()]

    def by_name(self, answers: Sequence[list[Any]]) -> Mapping[str, list[Any]]:
        """Return the rows of these queries, which `bound` has returned in this order."""
        return dict(zip(self._queries, answers, strict=True))
