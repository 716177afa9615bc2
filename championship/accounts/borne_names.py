"""Names that a person bore, from when to when, and which of them may be looked for within texts of others.

A name is whatever its bearer types, such as "not upheld". So only names that are surely names are replaced inside of
sentences: see `is_telling`. A value that is nothing but a name can be replaced whatever the name is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from championship.accounts.closed_accounts import FormerName
from championship.accounts.models import User

SETTLED = timedelta(days=1)
"""A person who was called so for that long is called so by others later too."""
MOST = 20
"""So many former names count, those borne longest."""


@dataclass(frozen=True, slots=True)
class Borne:
    """A name, and the time within which texts may mean its bearer; None: no bound."""

    name: str
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_address(self) -> bool:
        """Whether it is a mail address: nobody else has it, so it is replaced everywhere."""
        return "@" in self.name

    @property
    def is_telling(self) -> bool:
        """Whether it is replaced within sentences: an address, or two words and more of which the first and the last
        begin with a capital, or with a letter of a script without capitals.
        """
        words = self.name.split()
        return self.is_address or (len(words) > 1 and all(_begins_a_name(word) for word in (words[0], words[-1])))

    def was_borne(self, at: datetime | None) -> bool:
        """Whether a text of that moment may mean its bearer; None: a moment that nobody has kept, taken for now."""
        if self.is_address:
            return True
        if at is None:
            return self.until is None
        return (self.since is None or self.since <= at) and (self.until is None or at <= self.until)


def _begins_a_name(word: str) -> bool:
    return word[0].isalpha() and not word[0].islower()


def began(person: User) -> datetime:
    """Since when the person is called as now, as far as it was kept: one query."""
    ends = FormerName.objects.filter(person=person, until__isnull=False).order_by("-until")
    return ends.values_list("until", flat=True).first() or person.date_joined


def names_of(person: User) -> Iterable[Borne]:
    """The person's name and the former names that count: two queries. Those without times count always."""
    yield Borne(person.name, began(person))
    former = list(FormerName.objects.filter(person=person))
    former.sort(key=_borne_for, reverse=True)
    for each in former[:MOST]:
        yield Borne(each.name, each.since, None if _borne_for(each) >= SETTLED else each.until)


def _borne_for(former: FormerName) -> timedelta:
    return SETTLED if former.since is None or former.until is None else former.until - former.since
