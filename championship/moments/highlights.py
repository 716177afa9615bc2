"""The highlights of stages: which sentences of a story become moments of the club.

The sweep chooses them for stages that are over and have none yet, a bounded number in each sweep, the newest first. So
stages of an older database get theirs, and those of a restored archive, without a migration that reads events.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from championship.rallies.models import SpecialStage
from championship.runs.watch import story
from championship.runs.watch.story import Told
from championship.runs.watch.story.beats import NEWS

MOST = 4
"""The most highlights of a stage: its last turning points."""
LEAST = 2
"""With fewer turning points than these, news become highlights too."""
FINISHES = ("first_in", "finish", "finish_level")
"""News that the results tell."""
NOT_HERE = ("alone", "first", "only_one", "nobody", "tie")
"""Turning points that the moment of the results tells, besides the winner and who is out."""


def untold() -> QuerySet[SpecialStage]:
    """Return the stages that are over and have no highlights yet."""
    over = Q(status=SpecialStage.Status.DONE, rally__practice=False, rally__for_everybody=False, told=None)
    return SpecialStage.objects.filter(over)


def _is_highlight(one: Told) -> bool:
    return one.kind not in (*NOT_HERE, *FINISHES) and not one.kind.startswith(("won", "out"))


def chosen(story_of_stage: Sequence[Told]) -> Sequence[Told]:
    """Return the highlights of a story in order: its last turning points, or else its last news."""
    told = [one for one in story_of_stage if _is_highlight(one)]
    turning = [one for one in told if one.turning]
    if len(turning) >= LEAST:
        return turning[-MOST:]
    return [one for one in told if one.weight >= NEWS][-LEAST:]


def stories_of(stages: Iterable[SpecialStage]) -> Mapping[int, Sequence[Told]]:
    """Return the stories of stages that are over, by stage: everybody may watch these. Four queries at most."""
    return story.of_stages(stages, AnonymousUser())
