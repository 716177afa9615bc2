"""Acts of officials on a rally's results, with their reasons: penalties, bonuses, exclusions, and results set by hand.
Acts that do not count any more are included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from championship.rallies.entries.impartiality import author_drives
from championship.rallies.models import Entry, Exclusion, Penalty, Rally, TimeByHand
from championship.rallies.results import measures
from championship.rallies.results.selectors import Results
from engine.contract import Measure


@dataclass(frozen=True, slots=True)
class Act:
    """One act of officials.

    `stage` is None when it concerns the whole rally. `everywhere`: it counts in the classification of each stage too.
    `lifted`: it does not count any more; `why_lifted` is the reason when an official has withdrawn it. `drove`: its
    author, or the official who withdrew it, drives in the rally.
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
        """The game's name for the stage that it concerns; "" when it concerns the whole rally."""
        return "" if self.stage is None else self.entry.rally.stage_called(self.stage)

    @property
    def in_words(self) -> str:
        """One line for papers and tables: the reason, whether its author drives, and why it was withdrawn."""
        parts = [self.reason, author_drives() if self.drove else ""]
        parts.append(_("withdrawn: %(reason)s") % {"reason": self.why_lifted} if self.why_lifted else "")
        return "; ".join(each for each in parts if each)


def acts_of(results: Results) -> list[Act]:
    """All acts, oldest first, with those that do not count any more: three queries. A result that was set by hand is
    left out as long as the stage is sealed, like a driven one.
    """
    stages = {stage.pk: stage.number for stage in results.stages}
    acts = [*_penalties(results.rally, results, stages), *_rulings(results.rally, results, stages)]
    return sorted(acts, key=lambda act: act.at)


def on_stage(acts: Sequence[Act], number: int) -> list[Act]:
    """The acts on the results of one stage, and exclusions, which remove an entry from all classifications."""
    return [act for act in acts if act.stage == number or act.everywhere]


def through_stage(acts: Sequence[Act], number: int) -> list[Act]:
    """The acts on the overall classification after that stage."""
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
    parts = {"time": measures.result(result, measure)}
    if measures.is_time(measure):
        return _("Stage time set to %(time)s") % parts
    return _("Result set to %(time)s") % parts
