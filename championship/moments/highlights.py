"""The highlights of stages: which sentences of a story become moments of the club.

The sweep chooses them for stages that are over and have none yet, a bounded number in each sweep, the newest first. So
stages of an older database get theirs, and those of a restored archive, without a migration that reads events.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Q, QuerySet

from championship.moments.models import Highlight, StageTold
from championship.rallies.models import SpecialStage
from championship.runs.watch import story
from championship.runs.watch.story import Told

MOST = 4
"""The most highlights of a stage: its last turning points."""
AT_ONCE = 20
"""The most stages whose highlights one sweep chooses."""
NOT_HERE = ("alone", "first", "only_one", "nobody", "tie")
"""Turning points that the moment of the results tells, besides the winner and who is out."""


class Highlights:
    """The scheduled action that chooses highlights. Its ids are stages."""

    name = "highlights of stages"

    def due(self, now: datetime) -> Sequence[int]:
        """Return stages that are over and have no highlights yet."""
        return list(_untold().order_by("-closed_at").values_list("pk", flat=True)[:AT_ONCE])

    def act(self, row_id: int, now: datetime) -> bool:
        """Choose the highlights of one stage."""
        return choose_highlights(special_stage=row_id, now=now)


def _untold() -> QuerySet[SpecialStage]:
    over = Q(status=SpecialStage.Status.DONE, rally__practice=False, rally__for_everybody=False, told=None)
    return SpecialStage.objects.filter(over)


@transaction.atomic
def choose_highlights(*, special_stage: int, now: datetime) -> bool:
    """Store the highlights of a stage, by its id. Returns whether it had none before and is over."""
    stage = (
        SpecialStage.objects.select_for_update(of=("self",)).select_related("rally").filter(pk=special_stage).first()
    )
    if stage is None or not _untold().filter(pk=stage.pk).exists():
        return False
    StageTold.objects.create(special_stage=stage, at=now)
    turning = [one for one in stories_of([stage])[stage.pk] if _is_highlight(one)]
    Highlight.objects.bulk_create(
        Highlight(special_stage=stage, number=number, run=one.run, event=one.number, kind=one.kind, at=one.at)
        for number, one in enumerate(turning[-MOST:], 1)
    )
    return True


def _is_highlight(one: Told) -> bool:
    return one.turning and one.kind not in NOT_HERE and not one.kind.startswith(("won", "out"))


def stories_of(stages: Iterable[SpecialStage]) -> Mapping[int, Sequence[Told]]:
    """Return the stories of stages that are over, by stage: everybody may watch these. Four queries at most."""
    return story.of_stages(stages, AnonymousUser())
