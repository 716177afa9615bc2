"""All times of a rally, read in a handful of queries however many cars and stages it has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from django.db.models import Exists, OuterRef, Subquery
from django.db.models.fields.json import KT

from championship.rallies.classification import Driven, Line, Remarks, classify, with_places_won
from championship.rallies.crews import CrewChange, changes_of
from championship.rallies.models import (
    Entry,
    Exclusion,
    Penalty,
    Rally,
    SpecialStage,
    StageTime,
    TimeByHand,
    TimeControlCard,
)
from championship.rallies.retiring import REASON, Retirement

COMPLETE = (SpecialStage.Status.TIME_CONTROL, SpecialStage.Status.DONE)


@dataclass(frozen=True)
class Results:
    """A rally's stages, its entries of any status, the confirmed ones by id in order of start number, and what was
    driven by (stage number, entry id).

    `rally_wide` holds penalties that belong to no stage, by entry id; they count in every overall classification.
    `excluded` are the ids of entries that officials have taken out of the classification; `changes` tells by entry id
    who drove a car in mid-rally.
    """

    rally: Rally
    stages: tuple[SpecialStage, ...]
    all_entries: Sequence[Entry]
    entries: Mapping[int, Entry]
    driven: Mapping[tuple[int, int], Driven]
    rally_wide: Mapping[int, int]
    excluded: frozenset[int] = frozenset()
    changes: Mapping[int, Sequence[CrewChange]] = field(default_factory=dict)

    @cached_property
    def by_stage(self) -> Mapping[int, Mapping[int, Driven]]:
        """What was driven by those who take part, by stage number, then entry id."""
        found: dict[int, dict[int, Driven]] = {stage.number: {} for stage in self.stages}
        for (number, entry_id), driven in self.driven.items():
            if entry_id in self.entries:
                found[number][entry_id] = driven
        return found

    @cached_property
    def complete(self) -> int:
        """The number of the last stage that every starter has a time on; 0 before."""
        return max((stage.number for stage in self.stages if stage.status in COMPLETE), default=0)

    @property
    def compared(self) -> bool:
        """Whether there is a classification before the latest one to compare it with."""
        return self.complete > 1

    @property
    def finished(self) -> bool:
        """Whether the classification is final."""
        return self.rally.status == Rally.Status.FINISHED

    def stage_totals(self, *, number: int) -> dict[int, int]:
        """Seconds on a stage with everything added, by entry id, of those who have a time."""
        here = self.by_stage.get(number, {})
        return {entry_id: driven.total for entry_id, driven in here.items() if driven.total is not None}

    def totals(self, *, through: int) -> dict[int, int]:
        """Seconds over stages 1 to `through`, by entry id, of those who have a time on all of them."""
        stages = [self.stage_totals(number=number) for number in range(1, through + 1)]
        return {
            entry_id: sum(stage[entry_id] for stage in stages) + self.rally_wide.get(entry_id, 0)
            for entry_id in self.entries
            if stages and all(entry_id in stage for stage in stages)
        }

    def stage_lines(self, number: int) -> list[Line]:
        """The stage's classification, so far; retired entries that have no time yet come last, without a place, and
        excluded ones behind them.
        """
        here = self.by_stage.get(number, {})
        remarks = {
            entry_id: Remarks(
                control=driven.control_seconds,
                penalties=driven.penalty_seconds,
                by_hand=(number,) if driven.by_hand else (),
                retired=(Retirement(number, driven.why),) if driven.retired else (),
                changes=self._changes(entry_id, number),
            )
            for entry_id, driven in here.items()
        }
        waiting = [
            Line(entry=self.entries[entry_id], place=None, seconds=None, remarks=remarks[entry_id])
            for entry_id, driven in here.items()
            if driven.total is None and entry_id not in self.excluded
        ]
        placed, out = self._parted(self.stage_totals(number=number), remarks)
        return placed + waiting + [line for line in out if line.entry.pk in here]

    def overall_lines(self, through: int) -> list[Line]:
        """The overall classification after stage `through`."""
        remarks: dict[int, Remarks] = {}
        for entry_id in self.entries:
            stages = [(number, self.driven.get((number, entry_id))) for number in range(1, through + 1)]
            driven = [(number, each) for number, each in stages if each is not None]
            remarks[entry_id] = Remarks(
                control=sum(each.control_seconds for _number, each in driven),
                penalties=sum(each.penalty_seconds for _number, each in driven) + self.rally_wide.get(entry_id, 0),
                by_hand=tuple(number for number, each in driven if each.by_hand),
                retired=tuple(Retirement(number, each.why) for number, each in driven if each.retired),
                changes=self._changes(entry_id, through),
            )
        placed, out = self._parted(self.totals(through=through), remarks)
        return placed + out

    def _changes(self, entry_id: int, through: int) -> tuple[CrewChange, ...]:
        """Who else drove the entry's car, up to that stage."""
        told = self.changes.get(entry_id, ())
        return tuple(change for change in told if change.special_stage.number <= through)

    def progress(self, through: int) -> list[Line]:
        """The overall classification after stage `through`, with the places won and lost on that stage."""
        lines = self.overall_lines(through)
        return with_places_won(lines, self.overall_lines(through - 1)) if through > 1 else lines

    def retirements(self, through: int) -> list[tuple[Entry, Retirement]]:
        """Who retired on stages 1 to `through`, in order of stage and start number."""
        return [
            (self.entries[entry_id], Retirement(number, driven.why))
            for number in range(1, through + 1)
            for entry_id, driven in sorted(
                self.by_stage.get(number, {}).items(), key=lambda item: self.entries[item[0]].start_number or 0
            )
            if driven.retired
        ]

    def _parted(self, totals: Mapping[int, int], remarks: Mapping[int, Remarks]) -> tuple[list[Line], list[Line]]:
        """The lines of who is classified, and those of who is excluded: with their times, without a place."""
        classified = {entry_id: seconds for entry_id, seconds in totals.items() if entry_id not in self.excluded}
        out = [
            Line(
                entry=self.entries[entry_id],
                place=None,
                seconds=totals.get(entry_id),
                remarks=remarks.get(entry_id, Remarks()),
                excluded=True,
            )
            for entry_id in self.entries
            if entry_id in self.excluded
        ]
        return classify(classified, self.entries, remarks), out

    @cached_property
    def overall(self) -> list[Line]:
        """The overall classification after the last complete stage; empty before the first."""
        return self.overall_lines(self.complete)


def results_of(rally: Rally) -> Results:
    """The rally's results, in five queries. What is sealed at an open time control is not read."""
    return results_of_rallies([rally])[rally.pk]


def results_of_rallies(rallies: Sequence[Rally]) -> dict[int, Results]:
    """Results by rally id, in five queries for all of them."""
    by_key = {rally.pk: rally for rally in rallies}
    stages: dict[int, list[SpecialStage]] = defaultdict(list)
    for stage in SpecialStage.objects.filter(rally__in=by_key).order_by("number"):
        stage.rally = by_key[stage.rally_id]
        stages[stage.rally_id].append(stage)
    entries: dict[int, list[Entry]] = defaultdict(list)
    excluded: dict[int, set[int]] = defaultdict(set)
    out = Exists(Exclusion.objects.filter(entry=OuterRef("pk"), lifted_at=None))
    found = Entry.objects.filter(rally__in=by_key).select_related("driver").annotate(out=out)
    for entry in found.order_by("start_number", "pk"):
        entry.rally = by_key[entry.rally_id]
        entries[entry.rally_id].append(entry)
        if entry.out:
            excluded[entry.rally_id].add(entry.pk)
    wide: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    of_stage: dict[tuple[int, int], int] = defaultdict(int)
    for penalty in Penalty.objects.filter(rally__in=by_key, lifted_at=None):
        if penalty.special_stage_id is None:
            wide[penalty.rally_id][penalty.entry_id] += penalty.seconds
        else:
            of_stage[penalty.special_stage_id, penalty.entry_id] += penalty.seconds
    driven = _driven(list(by_key), of_stage)
    changes = changes_of(by_key)
    return {
        rally.pk: Results(
            rally=rally,
            stages=tuple(stages[rally.pk]),
            all_entries=entries[rally.pk],
            entries={entry.pk: entry for entry in entries[rally.pk] if entry.status == Entry.Status.CONFIRMED},
            driven=driven[rally.pk],
            rally_wide=wide[rally.pk],
            excluded=frozenset(excluded[rally.pk]),
            changes={entry.pk: changes[entry.pk] for entry in entries[rally.pk] if entry.pk in changes},
        )
        for rally in rallies
    }


def _driven(
    rally_ids: Sequence[int], penalties: Mapping[tuple[int, int], int]
) -> dict[int, dict[tuple[int, int], Driven]]:
    """Stage times by rally id, then stage number and entry id: as driven or set by hand, with what was taken at time
    controls that are closed, and with penalties, given by stage and entry id.
    """
    by_hand = TimeByHand.objects.filter(
        special_stage=OuterRef("special_stage"), entry=OuterRef("entry"), lifted_at=None
    ).values("seconds")
    taken = TimeControlCard.objects.filter(
        special_stage=OuterRef("special_stage"),
        entry=OuterRef("entry"),
        special_stage__status=SpecialStage.Status.DONE,
    ).values("seconds")
    times = StageTime.objects.filter(special_stage__rally__in=rally_ids).annotate(
        taken=Subquery(taken), by_hand=Subquery(by_hand), why=KT(f"car__{REASON}")
    )
    found: dict[int, dict[tuple[int, int], Driven]] = defaultdict(dict)
    # Plain rows: a season has thousands of times, and as objects they cost more than all the rest of its page.
    for rally_id, number, stage_id, entry_id, seconds, retired, control, set_by_hand, why in times.values_list(
        "special_stage__rally", "special_stage__number", "special_stage", "entry", "seconds", "retired",
        "taken", "by_hand", "why",
    ):  # fmt: skip
        found[rally_id][number, entry_id] = Driven(
            seconds=seconds if set_by_hand is None else set_by_hand,
            retired=retired and set_by_hand is None,
            control_seconds=control or 0,
            penalty_seconds=penalties.get((stage_id, entry_id), 0),
            why=why or "",
            by_hand=set_by_hand is not None,
        )
    return found
