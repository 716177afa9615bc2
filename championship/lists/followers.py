"""What lists call in the apps above, inside the transaction (`championship.platform.followers`)."""

from __future__ import annotations

from typing import Protocol

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.platform.followers import Followers


class NameFollower(Protocol):
    """Stores what belongs to a name without an account."""

    def name_joined(self, club: Club, name: User, person: User) -> None:
        """All that a name without an account had in a club is now another person's."""
        ...


name_followers: Followers[NameFollower] = Followers()
