"""Followers of rallies for tests: none, one that notes what it is told, and one that refuses."""

import pytest

from championship.platform.refusals import Refused
from championship.rallies.followers import rally_followers
from championship.rallies.models import Entry, Rally, SpecialStage


def nobody_follows(patch: pytest.MonkeyPatch) -> None:
    """Take all followers of rallies away, also those that the test registers from now on, until the patch is undone."""
    patch.setattr(rally_followers, "_by_class", {})


class Heard:
    """Notes what rallies tell: the rallies made and timed, the stages that are ready, and the cars handed over, each as
    who drives it and whether with the full time.
    """

    def __init__(self) -> None:
        self.made: list[Rally] = []
        self.ready: list[SpecialStage] = []
        self.handed_over: list[tuple[str, bool]] = []
        self.timed: list[Rally] = []

    def rally_made(self, rally: Rally) -> None:
        self.made.append(rally)

    def stage_ready(self, special_stage: SpecialStage) -> None:
        self.ready.append(special_stage)

    def entry_handed_over(self, entry: Entry, *, full_time: bool) -> None:
        self.handed_over.append((entry.driven_by, full_time))

    def rally_timed(self, rally: Rally) -> None:
        self.timed.append(rally)


class Refusing(Heard):
    """Refuses that a stage opens."""

    def stage_ready(self, special_stage: SpecialStage) -> None:
        raise Refused("no road")
