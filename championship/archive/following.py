"""What this app does when a person leaves, or joins a club. The code is imported late, because the list of tables is
complete only when all apps, and so all games, are ready.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from championship.accounts.models import User
from championship.accounts.name_history import UsedName
from championship.accounts.services.renaming import Change
from championship.clubs.models import Club

FORGETTING = "championship.archive.forgetting"
MEMBERS = "championship.archive.services.archived_members"


def forget(person: User, names: list[UsedName], pseudonym: str) -> Iterable[Change]:
    """Replace the person's names in everything that their clubs own, and return the changes."""
    changes: Iterable[Change] = import_module(FORGETTING).forget(person, names, pseudonym)
    return changes


def crews_of(person: User) -> Iterable[UsedName]:
    """Return the crew names of the person's cars."""
    crews: Iterable[UsedName] = import_module(FORGETTING).crews_of(person)
    return crews


class CopiesOfNames:
    """Copies of what clubs own, which contain names of people."""

    def account_ended(self, person: User) -> None:
        """Remove copies that still contain the person's name."""
        import_module(FORGETTING).on_account_ended(person=person)


class RestoredResults:
    """Results that a restored club has under the names of people who are not its members."""

    def member_joined(self, club: Club, person: User) -> None:
        """Give the person the results that a restored club has under their name."""
        import_module(MEMBERS).welcome(person=person, club=club)


class NamesJoined:
    """Members in an archive who wait for their person, when somebody says who it is."""

    def name_joined(self, club: Club, name: User, person: User) -> None:
        """The name is somebody: nobody is waited for any more."""
        import_module("championship.archive.models").ArchivedMember.objects.filter(club=club, person=name).delete()
