"""What rallies call in the apps above, inside the transaction (`championship.platform.followers`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Protocol

from championship.platform.followers import Followers
from championship.rallies.models import Entry, Rally, SpecialStage


class RallyFollower(Protocol):
    """Prepares and plays the stages of rallies."""

    def rally_made(self, rally: Rally) -> None:
        """A rally was created with its stages."""
        ...

    def stage_ready(self, special_stage: SpecialStage) -> None:
        """A stage is on the road and its start list is final: open its runs."""
        ...

    def entry_handed_over(self, entry: Entry, *, full_time: bool) -> None:
        """A car is now driven by its driver or by the codriver, see `entry.driven_by`. `full_time`: an organiser has
        given the car back to its driver, who gets the whole time of a turn again.
        """
        ...

    def rally_timed(self, rally: Rally) -> None:
        """The timekeeping or a closing time of a rally has changed, or a pause has ended: deadlines of open turns
        change.
        """
        ...


rally_followers: Followers[RallyFollower] = Followers()


class EntryFollower(Protocol):
    """Knows drivers who may not enter a rally."""

    def kept_out(self, rally: Rally, drivers: Collection[int]) -> Mapping[int, str]:
        """Return why these drivers, by id, may not enter the rally; nothing for those who may."""
        ...


entry_followers: Followers[EntryFollower] = Followers()


def kept_out_of(rally: Rally, drivers: Collection[int]) -> dict[int, str]:
    """Return why these drivers, by id, may not enter a rally, as far as any follower knows."""
    found: dict[int, str] = {}
    for follower in entry_followers:
        found |= follower.kept_out(rally, drivers)
    return found


class StartFollower(Protocol):
    """Knows what has to happen before a rally starts at its set date."""

    def prepare_start(self, rally: Rally, *, now: datetime) -> bool:
        """Do what comes before the start. The rally is locked. Returns False when it may not start yet.

        Raises: Refused when it cannot start.
        """
        ...


start_followers: Followers[StartFollower] = Followers()
