"""How full a rally is, counted from its entries. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from championship.rallies.models import Entry, Rally

HAS_A_PLACE = (Entry.Status.REQUESTED, Entry.Status.CONFIRMED)


@dataclass(frozen=True, slots=True)
class ClassPlaces:
    """Cars of one class: how many have a place, and how many it takes (None: as many as the rally)."""

    name: str
    taken: int
    limit: int | None

    @property
    def full(self) -> bool:
        return self.limit is not None and self.taken >= self.limit


@dataclass(frozen=True, slots=True)
class Places:
    """How many cars have a place, of how many (None: any number), in all and by class; who waits, first come."""

    taken: int
    limit: int | None
    classes: tuple[ClassPlaces, ...]
    waiting: tuple[Entry, ...]

    @property
    def full(self) -> bool:
        """Whether an entry that is sent in now waits, whatever its class."""
        if self.limit is not None and self.taken >= self.limit:
            return True
        return bool(self.classes) and all(each.full for each in self.classes)

    @property
    def limited(self) -> bool:
        return self.limit is not None or any(each.limit is not None for each in self.classes)


def places_of(rally: Rally, entries: Iterable[Entry]) -> Places:
    """How full the rally is; `entries` are all of it, of any status."""
    found = list(entries)
    classes = [entry.car_class for entry in found if entry.status in HAS_A_PLACE]
    taken = Counter(classes)
    waiting = [entry for entry in found if entry.status == Entry.Status.WAITING]
    return Places(
        taken=len(classes),
        limit=rally.entry_limit,
        classes=tuple(ClassPlaces(each["name"], taken[each["name"]], each["limit"]) for each in rally.classes),
        waiting=tuple(sorted(waiting, key=lambda entry: (entry.asked_at, entry.pk))),
    )
