"""What accounts call in the apps above, inside the transaction (`championship.platform.followers`)."""

from __future__ import annotations

from typing import Protocol

from championship.accounts.models import User
from championship.platform.followers import Followers


class TimingFollower(Protocol):
    """Keeps times that depend on a person, such as the deadlines of their turns."""

    def person_timed(self, person: User) -> None:
        """The time of this person's deadlines or reminders has changed: they have another time zone, other holidays,
        or another time before a deadline at which they are reminded. Apps above that keep such a setting call this too.
        """
        ...


class ClosingFollower(Protocol):
    """Has something that must be settled before a person leaves."""

    def account_closing(self, person: User) -> None:
        """A person closes their account: withdraw them from what is under way.

        Raises: Refused when something must be settled first. The account then stays open.
        """
        ...


class ClosedFollower(Protocol):
    """Acts, or sends something, in the name of people."""

    def account_closed(self, person: User) -> None:
        """The person's account is closed, and may still be opened again. Nothing may act or be sent in their name."""
        ...


class EndFollower(Protocol):
    """Stores what only its owner has a use for."""

    def account_ended(self, person: User) -> None:
        """The person's closed account becomes final: delete what only they had a use for."""
        ...


class GuestFollower(Protocol):
    """Stores what guests drive."""

    def guest_signed_in(self, guest: User, person: User) -> None:
        """A guest turns out to be this person: all that the guest has becomes the person's. The guest is locked, and is
        deleted afterwards.
        """
        ...


timing_followers: Followers[TimingFollower] = Followers()
closing_followers: Followers[ClosingFollower] = Followers()
closed_followers: Followers[ClosedFollower] = Followers()
end_followers: Followers[EndFollower] = Followers()
guest_followers: Followers[GuestFollower] = Followers()
