"""What officials did to a rally's results, with the reasons: penalties and bonuses, exclusions, times set by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from championship.rallies.models import Entry, Exclusion, Penalty, Rally, TimeByHand
from championship.rallies.results import Results
from championship.rallies.templatetags.times import gap, stage_time


@dataclass(frozen=True, slots=True)
class Act:
    """One thing officials did. `stage` is None where it concerns the whole rally; `everywhere`: it counts in the
    classification of each stage too; `lifted`: it no longer holds.
    """

    entry: Entry
    stage: int | None
    what: str
    reason: str
    at: datetime
    lifted: bool
    everywhere: bool = False


def acts_of(results: Results) -> list[Act]:
    """All of them, oldest first, those that no longer hold among them, in three queries."""
    stages = {stage.pk: stage.number for stage in results.stages}
    acts = [*_penalties(results.rally, results, stages), *_rulings(results.rally, results, stages)]
    return sorted(acts, key=lambda act: act.at)


def on_stage(acts: Sequence[Act], number: int) -> list[Act]:
    """Those that concern the times of one stage, and exclusions, which take an entry out of every classification."""
    return [act for act in acts if act.stage == number or act.everywhere]


def through_stage(acts: Sequence[Act], number: int) -> list[Act]:
    """Those that concern the overall classification after that stage."""
    return [act for act in acts if act.stage is None or act.stage <= number]


def _penalties(rally: Rally, results: Results, stages: dict[int, int]) -> list[Act]:
    return [
        Act(
            entry=results.entries[penalty.entry_id],
            stage=None if penalty.special_stage_id is None else stages[penalty.special_stage_id],
            what=(_("Penalty %(seconds)s") if penalty.seconds > 0 else _("Bonus %(seconds)s"))
            % {"seconds": gap(penalty.seconds)},
            reason=penalty.reason_in_words,
            at=penalty.at,
            lifted=penalty.lifted_at is not None,
        )
        for penalty in Penalty.objects.filter(rally=rally)
        if penalty.entry_id in results.entries
    ]


def _rulings(rally: Rally, results: Results, stages: dict[int, int]) -> list[Act]:
    exclusions = [
        Act(
            entry=results.entries[each.entry_id],
            stage=None,
            what=_("Excluded from the classification"),
            reason=each.reason,
            at=each.at,
            lifted=each.lifted_at is not None,
            everywhere=True,
        )
        for each in Exclusion.objects.filter(entry__rally=rally)
        if each.entry_id in results.entries
    ]
    by_hand = [
        Act(
            entry=results.entries[each.entry_id],
            stage=stages[each.special_stage_id],
            what=_("Stage time set to %(time)s") % {"time": stage_time(each.seconds)},
            reason=each.reason,
            at=each.at,
            lifted=each.lifted_at is not None,
        )
        for each in TimeByHand.objects.filter(special_stage__rally=rally)
        if each.entry_id in results.entries
    ]
    return exclusions + by_hand
