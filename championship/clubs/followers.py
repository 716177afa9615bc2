"""What clubs call in the apps above, inside the transaction (`championship.platform.followers`)."""

from __future__ import annotations

from typing import Protocol

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.platform.followers import Followers


class ClubClosingFollower(Protocol):
    """Has something under way in clubs."""

    def club_closing(self, club: Club, *, by: User, reason: str) -> None:
        """Its owner `by` closes a club: end what is waiting in it. `reason`: the owner's words, for the members.

        Raises: Refused when something must end first. The club then stays open.
        """
        ...


class JoiningFollower(Protocol):
    """Has something for people who join a club."""

    def member_joined(self, club: Club, person: User) -> None:
        """The person has just become a member of the club."""
        ...


club_closing_followers: Followers[ClubClosingFollower] = Followers()
joining_followers: Followers[JoiningFollower] = Followers()
