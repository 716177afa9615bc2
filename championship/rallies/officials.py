"""What officials did to a rally's results, with the reasons: penalties and bonuses, exclusions, times set by hand;
and what of it counts no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from championship.rallies import measures
from championship.rallies.impartiality import author_drives
from championship.rallies.models import Entry, Exclusion, Penalty, Rally, TimeByHand
from championship.rallies.results import Results
from engine.contract import Measure


@dataclass(frozen=True, slots=True)
class Act:
    """One thing officials did. `stage` is None where it concerns the whole rally; `everywhere`: it counts in the
    classification of each stage too; `lifted`: it no longer holds, and `why_lifted` says why where an official has
    withdrawn it. `drove`: its author, or who withdrew it, drives in the rally.
    """

    entry: Entry
    stage: int | None
    what: str
    reason: str
    at: datetime
    lifted: bool
    everywhere: bool = False
    why_lifted: str = ""
    drove: bool = False

    @property
    def stage_called(self) -> str:
        """What the game calls the stage that it concerns; empty where it concerns the whole rally."""
        return "" if self.stage is None else self.entry.rally.stage_called(self.stage)

    @property
    def in_words(self) -> str:
        """Why, whether its author drives, and why it was withdrawn: one line for papers and tables."""
        told = [self.reason, author_drives() if self.drove else ""]
        told.append(_("withdrawn: %(reason)s") % {"reason": self.why_lifted} if self.why_lifted else "")
        return "; ".join(each for each in told if each)


def acts_of(results: Results) -> list[Act]:
    """All of them, oldest first, those that no longer hold among them, in three queries. A time that was set by hand is
    sealed like the one that was driven.
    """
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
            what=(_("Penalty %(seconds)s") if penalty.amount > 0 else _("Bonus %(seconds)s"))
            % {"seconds": measures.gap(penalty.amount, rally.measure)},
            reason=penalty.reason_in_words,
            at=penalty.at,
            lifted=penalty.lifted_at is not None,
            why_lifted=withdrawal.reason if withdrawal else "",
            drove=penalty.author_drives or (withdrawal is not None and withdrawal.author_drives),
        )
        for penalty in Penalty.objects.filter(rally=rally).select_related("withdrawal")
        for withdrawal in [getattr(penalty, "withdrawal", None)]
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
            drove=each.author_drives,
        )
        for each in Exclusion.objects.filter(entry__rally=rally)
        if each.entry_id in results.entries
    ]
    by_hand = [
        Act(
            entry=results.entries[each.entry_id],
            stage=stages[each.special_stage_id],
            what=_set_to(each.measure, rally.measure),
            reason=each.reason,
            at=each.at,
            lifted=each.lifted_at is not None,
            drove=each.author_drives,
        )
        for each in TimeByHand.objects.filter(special_stage__rally=rally)
        if each.entry_id in results.entries and stages[each.special_stage_id] not in results.sealed
    ]
    return exclusions + by_hand


def _set_to(result: int, measure: Measure) -> str:
    told = {"time": measures.result(result, measure)}
    if measure.unit == "seconds":
        return _("Stage time set to %(time)s") % told
    return _("Result set to %(time)s") % told
