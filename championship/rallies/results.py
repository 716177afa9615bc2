"""All results of a rally, read in a handful of queries however many cars and stages it has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from django.db.models import Exists, OuterRef, Subquery

from championship.rallies import measures
from championship.rallies.classification import Driven, Line, Remarks, classify, with_places_won
from championship.rallies.driver_changes import CrewChange, changes_of
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
from championship.rallies.retirement_reasons import Retirement
from engine import registry
from engine.contract import Alone, Measure, offered

COMPLETE = (SpecialStage.Status.TIME_CONTROL, SpecialStage.Status.DONE)


@dataclass(frozen=True)
class Results:
    """A rally's stages, its entries of any status, the confirmed ones by id in order of start number, and what was
    driven by (stage number, entry id).

    `rally_wide` holds penalties that belong to no stage, by entry id; they count in every overall classification.
    `excluded` are the ids of entries that officials have taken out of the classification; `changes` tells by entry id
    who drove a car in mid-rally. `sealed`: how many times are in, by number, of stages that are on the road with shared
    luck, where a result tells what awaits others; those results are nowhere else in here.
    """

    rally: Rally
    stages: tuple[SpecialStage, ...]
    all_entries: Sequence[Entry]
    entries: Mapping[int, Entry]
    driven: Mapping[tuple[int, int], Driven]
    rally_wide: Mapping[int, int]
    excluded: frozenset[int] = frozenset()
    changes: Mapping[int, Sequence[CrewChange]] = field(default_factory=dict)
    sealed: Mapping[int, int] = field(default_factory=dict)

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

    @property
    def measure(self) -> Measure:
        """What the rally is won by."""
        return self.rally.measure

    def stage_totals(self, *, number: int) -> dict[int, int]:
        """Results of a stage with everything added, by entry id, of those who have one."""
        here = self.by_stage.get(number, {})
        return {entry_id: driven.total for entry_id, driven in here.items() if driven.total is not None}

    def winners(self, number: int) -> list[int]:
        """Ids of the entries with the best result of a stage, everything added; who is excluded is none of them."""
        here = self.by_stage.get(number, {})
        keys = {
            entry_id: measures.key_of(driven.total, driven.rank, self.measure)
            for entry_id, driven in here.items()
            if driven.total is not None and entry_id not in self.excluded
        }
        best = min(keys.values(), default=None)
        return [entry_id for entry_id, key in keys.items() if key == best]

    def totals(self, *, through: int) -> dict[int, int]:
        """What stages 1 to `through` come to, by entry id, of those who have a result on all of them.

        Where the most win, no result counts as nothing for who has one on another of these stages.
        """
        stages = [self.by_stage.get(number, {}) for number in range(1, through + 1)]
        found = {}
        for entry_id in self.entries:
            driven = [stage[entry_id] for stage in stages if entry_id in stage]
            with_result = sum(each.result is not None for each in driven)
            whole = with_result == through or (with_result and self.measure.better == "most")
            if len(driven) == through and whole:
                driven_to = sum(measures.with_added(each.result or 0, each.added, self.measure) for each in driven)
                found[entry_id] = measures.with_added(driven_to, self.rally_wide.get(entry_id, 0), self.measure)
        return found

    def stage_lines(self, number: int) -> list[Line]:
        """The stage's classification, so far; retired entries that have no time yet come last, without a place, and
        excluded ones behind them.
        """
        here = self.by_stage.get(number, {})
        remarks = {
            entry_id: Remarks(
                control=driven.control,
                penalties=driven.penalties,
                by_hand=(number,) if driven.by_hand else (),
                retired=(Retirement(number, driven.why, self.rally.words),) if driven.retired else (),
                changes=self._changes(entry_id, number),
                stood_in=(number,) if driven.stood_in else (),
            )
            for entry_id, driven in here.items()
        }
        ranks = {entry_id: driven.rank for entry_id, driven in here.items()}
        placed, out = self._parted(self.stage_totals(number=number), remarks, ranks)
        waiting = self._behind([entry_id for entry_id, driven in here.items() if driven.total is None], remarks)
        return placed + waiting + [line for line in out if line.entry.pk in here]

    def overall_lines(self, through: int) -> list[Line]:
        """The overall classification after stage `through`; who has no total comes last, without a place."""
        remarks: dict[int, Remarks] = {}
        for entry_id in self.entries:
            stages = [(number, self.driven.get((number, entry_id))) for number in range(1, through + 1)]
            driven = [(number, each) for number, each in stages if each is not None]
            remarks[entry_id] = Remarks(
                control=sum(each.control for _number, each in driven),
                penalties=sum(each.penalties for _number, each in driven) + self.rally_wide.get(entry_id, 0),
                by_hand=tuple(number for number, each in driven if each.by_hand),
                retired=tuple(
                    Retirement(number, each.why, self.rally.words) for number, each in driven if each.retired
                ),
                changes=self._changes(entry_id, through),
                stood_in=tuple(number for number, each in driven if each.stood_in),
            )
        totals, here = self.totals(through=through), self.by_stage.get(through, {})
        ranks = {entry_id: driven.rank for entry_id, driven in here.items()} if through == 1 else {}
        placed, out = self._parted(totals, remarks, ranks, summed=through > 1)
        return placed + self._behind([entry_id for entry_id in here if entry_id not in totals], remarks) + out

    def _behind(self, entry_ids: Iterable[int], remarks: Mapping[int, Remarks]) -> list[Line]:
        """The lines of entries that have no result: those that finished, then those that retired."""
        lines = [
            Line(entry=self.entries[entry_id], place=None, total=None, remarks=remarks[entry_id])
            for entry_id in entry_ids
            if entry_id not in self.excluded
        ]
        return sorted(lines, key=lambda line: (len(line.retired_on), line.entry.start_number or 0))

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
            (self.entries[entry_id], Retirement(number, driven.why, self.rally.words))
            for number in range(1, through + 1)
            for entry_id, driven in sorted(
                self.by_stage.get(number, {}).items(), key=lambda item: self.entries[item[0]].start_number or 0
            )
            if driven.retired
        ]

    def _parted(
        self,
        totals: Mapping[int, int],
        remarks: Mapping[int, Remarks],
        ranks: Mapping[int, tuple[int, ...]],
        *,
        summed: bool = False,
    ) -> tuple[list[Line], list[Line]]:
        """The lines of who is classified, and those of who is excluded: with their results, without a place."""
        classified = {entry_id: total for entry_id, total in totals.items() if entry_id not in self.excluded}
        out = [
            Line(
                entry=self.entries[entry_id],
                place=None,
                total=totals.get(entry_id),
                remarks=remarks.get(entry_id, Remarks()),
                excluded=True,
                summed=summed,
            )
            for entry_id in self.entries
            if entry_id in self.excluded
        ]
        lines = classify(classified, self.entries, remarks, measure=self.measure, ranks=ranks, summed=summed)
        return lines, out

    @cached_property
    def overall(self) -> list[Line]:
        """The overall classification after the last complete stage; empty before the first."""
        return self.overall_lines(self.complete)


def results_of(rally: Rally, viewer_id: int | None = None, *, all_in: bool = False) -> Results:
    """The rally's results, in five queries. What is sealed at an open time control is not read.

    Of a stage on the road with shared luck there are results for a viewer who has come in on it, and for nobody else;
    `all_in`: every car of it has, and the stage is about to be over.
    """
    return results_of_rallies([rally], viewer_id, all_in=all_in)[rally.pk]


def results_of_rallies(
    rallies: Sequence[Rally], viewer_id: int | None = None, *, all_in: bool = False
) -> dict[int, Results]:
    """Results by rally id as one viewer may know them (None: as anybody), in five queries for all of them."""
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
            wide[penalty.rally_id][penalty.entry_id] += penalty.amount
        else:
            of_stage[penalty.special_stage_id, penalty.entry_id] += penalty.amount
    driven = _driven(by_key, of_stage)
    changes = changes_of(by_key)
    sealed: dict[int, dict[int, int]] = {}
    for rally in () if all_in else rallies:
        sealed[rally.pk] = _seal(stages[rally.pk], entries[rally.pk], driven[rally.pk], viewer_id)
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
            sealed=sealed.get(rally.pk, {}),
        )
        for rally in rallies
    }


def is_sealed(stage: SpecialStage) -> bool:
    """Whether a time of the stage tells those who still drive it what they will draw."""
    alone = offered(registry.get(stage.rally.game), Alone)
    under_way = stage.status == SpecialStage.Status.RUNNING
    return under_way and alone is not None and alone.shares_draws(stage.rally.all_options)


def _seal(
    stages: Sequence[SpecialStage],
    entries: Sequence[Entry],
    driven: dict[tuple[int, int], Driven],
    viewer_id: int | None,
) -> dict[int, int]:
    """Take out of `driven` what the viewer may not know yet; how many times that were, by stage number."""
    own = {entry.pk for entry in entries if viewer_id is not None and entry.driver_id == viewer_id}
    sealed = {}
    for stage in stages:
        if is_sealed(stage):
            here = [(number, entry_id) for number, entry_id in driven if number == stage.number]
            if own.isdisjoint(entry_id for _number, entry_id in here):
                sealed[stage.number] = len(here)
                for key in here:
                    del driven[key]
    return sealed


def _driven(
    rallies: Mapping[int, Rally], penalties: Mapping[tuple[int, int], int]
) -> dict[int, dict[tuple[int, int], Driven]]:
    """Results of stages by rally id, then stage number and entry id: as driven or set by hand, with what was taken at
    time controls that are closed, and with penalties, given by stage and entry id.
    """
    by_hand = TimeByHand.objects.filter(
        special_stage=OuterRef("special_stage"), entry=OuterRef("entry"), lifted_at=None
    ).values("measure")
    cards = TimeControlCard.objects.filter(special_stage=OuterRef("special_stage"), entry=OuterRef("entry"))
    taken = cards.opened().values("amount")
    times = StageTime.objects.filter(special_stage__rally__in=rallies).annotate(
        taken=Subquery(taken), by_hand=Subquery(by_hand)
    )
    measured = {pk: rally.measure for pk, rally in rallies.items()}
    found: dict[int, dict[tuple[int, int], Driven]] = defaultdict(dict)
    # Plain rows: a season has thousands of results, and as objects they cost more than all the rest of its page.
    columns = (
        *("special_stage__rally", "special_stage__number", "special_stage", "entry", "measure", "rank", "retired"),
        *("taken", "by_hand", "reason", "stood_in"),
    )
    for row in times.values_list(*columns):
        rally_id, number, stage_id, entry_id, result, rank, retired, control, set_by_hand, why, stood_in = row
        found[rally_id][number, entry_id] = Driven(
            result=result if set_by_hand is None else set_by_hand,
            retired=retired and set_by_hand is None,
            control=control or 0,
            penalties=penalties.get((stage_id, entry_id), 0),
            why=why,
            by_hand=set_by_hand is not None,
            stood_in=stood_in,
            rank=tuple(rank),
            measure=measured[rally_id],
        )
    return found
