"""Groups of entries that start behind each other, or drive at tables of their own, such as the divisions of a season.

Rallies know nothing about seasons. The app of seasons registers its groups when Django is ready.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from championship.rallies.entries.table_groups import divide_into_tables

if TYPE_CHECKING:
    from championship.rallies.models import Rally, StartPlace
    from engine.contract import Game


class Groups(Protocol):
    """The groups of a rally's entries."""

    def groups(self, rally: Rally, entry_ids: Sequence[int]) -> list[list[int]]:
        """The entries, by id, in groups in starting order. Each group keeps the order given."""

    def apart(self, rally: Rally) -> bool:
        """Whether each group drives at tables of its own."""


class _Together:
    def groups(self, rally: Rally, entry_ids: Sequence[int]) -> list[list[int]]:
        return [list(entry_ids)]

    def apart(self, rally: Rally) -> bool:
        return False


_groups: Groups = _Together()


def register(groups: Groups) -> None:
    """Register the groups that rallies use; they replace the ones before."""
    global _groups
    _groups = groups


def in_groups(rally: Rally, entry_ids: Sequence[int]) -> list[int]:
    """Return a start list with its entries group by group."""
    return [pk for group in _groups.groups(rally, entry_ids) for pk in group]


def tables_of(rally: Rally, places: Sequence[StartPlace], rules: Game) -> list[list[StartPlace]]:
    """Divide a start list into tables; no table has entries of two groups that drive apart."""
    groups = [list(places)]
    if _groups.apart(rally):
        by_entry = {place.entry_id: place for place in places}
        groups = [[by_entry[pk] for pk in group] for group in _groups.groups(rally, list(by_entry))]
    return [
        table for group in groups for table in divide_into_tables(group, rules, rally.all_options, rally.table_size)
    ]
