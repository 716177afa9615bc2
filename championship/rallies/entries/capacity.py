"""How full a rally is, counted from its entries. No queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from championship.rallies.models import Entry, Rally


@dataclass(frozen=True, slots=True)
class ClassCapacity:
    """The places of one car class: how many are taken, and the limit (None: only the rally's limit counts)."""

    name: str
    taken: int
    limit: int | None

    @property
    def full(self) -> bool:
        return self.limit is not None and self.taken >= self.limit


@dataclass(frozen=True, slots=True)
class Capacity:
    """The places of a rally and of its classes: how many are taken, and the limit (None: no limit). `waiting`: the
    entries that wait, in the order of their requests.
    """

    taken: int
    limit: int | None
    classes: tuple[ClassCapacity, ...]
    waiting: tuple[Entry, ...]

    @property
    def full(self) -> bool:
        """Whether a new entry of any class has to wait."""
        if self.limit is not None and self.taken >= self.limit:
            return True
        return bool(self.classes) and all(each.full for each in self.classes)

    @property
    def limited(self) -> bool:
        return self.limit is not None or any(each.limit is not None for each in self.classes)


def capacity_of(rally: Rally, entries: Iterable[Entry]) -> Capacity:
    """The places of the rally. `entries`: all its entries, with any status."""
    found = list(entries)
    classes = [entry.car_class for entry in found if entry.status in Entry.Status.taking_places()]
    taken = Counter(classes)
    waiting = [entry for entry in found if entry.status == Entry.Status.WAITING]
    return Capacity(
        taken=len(classes),
        limit=rally.entry_limit,
        classes=tuple(ClassCapacity(each["name"], taken[each["name"]], each["limit"]) for each in rally.classes),
        waiting=tuple(sorted(waiting, key=lambda entry: (entry.asked_at, entry.pk))),
    )
