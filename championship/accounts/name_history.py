"""The names that a person has had, with their times, and which of them may be searched for in other people's texts.

A person may type any text as a name, such as "not upheld". So only texts that are clearly names are replaced inside
sentences: see `is_clearly_a_name`. A value that is nothing but a name can always be replaced.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from championship.accounts.closed_accounts import FormerName
from championship.accounts.models import User

SETTLED = timedelta(days=1)
"""After a person has had a name for this long, other people go on using it even after a change."""
MOST = 20
"""The most former names that count: those that the person had longest."""


@dataclass(frozen=True, slots=True)
class UsedName:
    """A name, and the time within which texts may mean the person by it. None: no bound."""

    name: str
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_address(self) -> bool:
        """Whether the name is a mail address. Nobody else has it, so it is replaced everywhere."""
        return "@" in self.name

    @property
    def is_clearly_a_name(self) -> bool:
        """Whether it is replaced within sentences: it is an address, or it has two or more words, of which the first
        and the last begin with a capital, or with a letter of a script without capitals.
        """
        words = self.name.split()
        return self.is_address or (len(words) > 1 and all(_begins_a_name(word) for word in (words[0], words[-1])))

    def was_used_at(self, at: datetime | None) -> bool:
        """Whether a text of that moment may mean the person by this name. None: the moment is unknown and counts as
        now.
        """
        if self.is_address:
            return True
        if at is None:
            return self.until is None
        return (self.since is None or self.since <= at) and (self.until is None or at <= self.until)


def _begins_a_name(word: str) -> bool:
    return word[0].isalpha() and not word[0].islower()


def current_name_since(person: User) -> datetime:
    """Since when the person has their current name, as far as that is stored: one query."""
    ends = FormerName.objects.filter(person=person, until__isnull=False).order_by("-until")
    return ends.values_list("until", flat=True).first() or person.date_joined


def names_of(person: User) -> Iterable[UsedName]:
    """The person's name and the former names that count: two queries. Former names without times always count."""
    yield UsedName(person.name, current_name_since(person))
    former = list(FormerName.objects.filter(person=person))
    former.sort(key=_time_in_use, reverse=True)
    for each in former[:MOST]:
        yield UsedName(each.name, each.since, None if _time_in_use(each) >= SETTLED else each.until)


def _time_in_use(former: FormerName) -> timedelta:
    return SETTLED if former.since is None or former.until is None else former.until - former.since
