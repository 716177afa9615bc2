"""What has been driven in rallies, read from the rows of results: what officials set, what a border or a missed stage
says instead, and the heats.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import OuterRef, Subquery, Value

from championship.rallies.models import (
    Entry,
    Penalty,
    Rally,
    SpecialStage,
    StageTime,
    StartPlace,
    TimeByHand,
    TimeControlCard,
)
from championship.rallies.results import measures
from championship.rallies.results.classification import EntryStageResult

COMPLETE = (SpecialStage.Status.TIME_CONTROL, SpecialStage.Status.DONE)
BEHIND_ALL = (10**9,)
"""The rank of a car behind all others with the same result."""


@dataclass(frozen=True, slots=True)
class Given:
    """What officials have given and not lifted: penalties on whole rallies, by rally and entry id; penalties on stages,
    and results set by hand, by stage and entry id.
    """

    wide: Mapping[int, Mapping[int, int]]
    of_stage: Mapping[tuple[int, int], int]
    by_hand: Mapping[tuple[int, int], int]


def given_in(rallies: Mapping[int, Rally]) -> Given:
    """What officials have given in these rallies: one query."""
    wide: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    of_stage: dict[tuple[int, int], int] = defaultdict(int)
    by_hand: dict[tuple[int, int], int] = {}
    penalties = Penalty.objects.filter(rally__in=rallies, lifted_at=None).order_by()
    results = TimeByHand.objects.filter(special_stage__rally__in=rallies, lifted_at=None).order_by()
    rows = penalties.values_list("rally", "special_stage", "entry", "amount", Value(False)).union(
        results.values_list("special_stage__rally", "special_stage", "entry", "measure", Value(True)), all=True
    )
    for rally_id, stage_id, entry_id, amount, is_result in rows:
        if is_result:
            by_hand[stage_id, entry_id] = amount
        elif stage_id is None:
            wide[rally_id][entry_id] += amount
        else:
            of_stage[stage_id, entry_id] += amount
    return Given(wide, of_stage, by_hand)


def driven_in(
    rallies: Mapping[int, Rally],
    stages: Mapping[int, Sequence[SpecialStage]],
    entries: Mapping[int, Sequence[Entry]],
    given: Given,
) -> dict[int, dict[tuple[int, int], EntryStageResult]]:
    """The results of stages by rally id, then by stage number and entry id: one query. They contain what officials have
    given, and the cost of closed time controls.
    """
    by_hand, penalties = dict(given.by_hand), given.of_stage
    numbers = {stage.pk: (stage.rally_id, stage.number) for found in stages.values() for stage in found}
    cards = TimeControlCard.objects.filter(special_stage=OuterRef("special_stage"), entry=OuterRef("entry"))
    taken = cards.opened().values("amount")
    times = StageTime.objects.filter(special_stage__rally__in=rallies).annotate(taken=Subquery(taken))
    measured = {pk: rally.measure for pk, rally in rallies.items()}
    found: dict[int, dict[tuple[int, int], EntryStageResult]] = defaultdict(dict)
    shortened = {stage.pk for each in stages.values() for stage in each if stage.shortened_to is not None}
    # Plain rows, not model objects: a season has thousands of results, and objects take more time than the rest of the
    # page.
    columns = (
        *("special_stage", "entry", "measure", "rank", "retired"),
        *("taken", "reason", "stood_in", "feats", "at_border", "short_of_border", "at_table"),
    )
    for row in times.values_list(*columns):
        stage_id, entry_id, result, rank, retired, control, why, stood_in, feats, at_border, short, at_table = row
        rally_id, number = numbers[stage_id]
        cut = stage_id in shortened
        if cut:
            result, rank, retired = at_border, (), short
        set_by_hand = by_hand.pop((stage_id, entry_id), None)
        found[rally_id][number, entry_id] = EntryStageResult(
            result=result if set_by_hand is None else set_by_hand,
            retired=retired and set_by_hand is None,
            control=control or 0,
            penalties=penalties.get((stage_id, entry_id), 0),
            why=why if retired else "",
            by_hand=set_by_hand is not None,
            stood_in=stood_in,
            feats=tuple(feats),
            rank=tuple(rank),
            measure=measured[rally_id],
            shortened=cut,
            at_table=at_table,
        )
    for (stage_id, entry_id), measure in by_hand.items():
        rally_id, number = numbers[stage_id]
        found[rally_id][number, entry_id] = EntryStageResult(
            result=measure,
            by_hand=True,
            notional=True,
            penalties=penalties.get((stage_id, entry_id), 0),
            measure=measured[rally_id],
        )
    for pk, rally in rallies.items():
        if rally.missed:
            _charge_missed(rally, stages[pk], entries[pk], found[pk])
        if any(entry.late_added is not None for entry in entries[pk]):
            _charge_late(rally, stages[pk], entries[pk], found[pk])
    return found


def _charge_late(
    rally: Rally,
    stages: Sequence[SpecialStage],
    entries: Sequence[Entry],
    driven: dict[tuple[int, int], EntryStageResult],
) -> None:
    """Give late-comers who are to get a result for stages before their first one the worst result there, and what is
    added. It counts for each stage that is over and on which a car has finished. What they have driven stays.
    """
    for stage in stages:
        finished = [
            one.result
            for (number, _pk), one in driven.items()
            if number == stage.number and one.result is not None and not (one.retired or one.late)
        ]
        if stage.status not in COMPLETE or not finished:
            continue
        worst = finished[0]
        for result in finished:
            worst = measures.worst(worst, result, rally.measure)
        for entry in entries:
            first, added = entry.starts_from, entry.late_added
            if entry.status != Entry.Status.CONFIRMED or first is None or added is None or first <= stage.number:
                continue
            one = driven.get((stage.number, entry.pk))
            if one is None or one.missed:
                result = measures.with_added(worst, added, rally.measure)
                driven[stage.number, entry.pk] = EntryStageResult(
                    result, rank=BEHIND_ALL, measure=rally.measure, late=True
                )


def _charge_missed(
    rally: Rally,
    stages: Sequence[SpecialStage],
    entries: Sequence[Entry],
    driven: dict[tuple[int, int], EntryStageResult],
) -> None:
    """Give cars that have not finished a stage the worst result there, of all or of their class, with what the rally
    adds. It counts for each stage that is over and on which another car has a result. In a rally with heats only cars
    that have driven the part are charged. They come behind all who have finished with the same result.
    """
    by_class = rally.missed == Rally.Missed.CLASS
    confirmed = [entry for entry in entries if entry.status == Entry.Status.CONFIRMED]
    for stage in stages:
        if stage.status not in COMPLETE:
            continue
        worst: dict[str, int] = {}
        for entry in confirmed:
            one = driven.get((stage.number, entry.pk))
            if one is not None and one.result is not None and not one.retired:
                for name in ("", entry.car_class) if by_class and entry.car_class else ("",):
                    worst[name] = measures.worst(worst.get(name, one.result), one.result, rally.measure)
        for entry in confirmed if worst else ():
            one = driven.get((stage.number, entry.pk))
            charged = (one is None and rally.heats is None) or (one is not None and one.retired)
            if charged:
                slowest = worst.get(entry.car_class, worst[""]) if by_class else worst[""]
                result = measures.with_added(slowest, rally.missed_added, rally.measure)
                one = one or EntryStageResult(None, retired=True, measure=rally.measure)
                driven[stage.number, entry.pk] = replace(one, result=result, rank=BEHIND_ALL, missed=True)


def heats_of(rallies: Sequence[Rally]) -> dict[int, dict[tuple[int, int], int]]:
    """The heats by rally id, then by stage number and entry id: one query where a rally has heats, else none."""
    with_heats = [rally.pk for rally in rallies if rally.knockout]
    found: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    if with_heats:
        places = StartPlace.objects.filter(special_stage__rally__in=with_heats, heat__isnull=False)
        for pk, number, entry, heat in places.values_list(
            "special_stage__rally", "special_stage__number", "entry", "heat"
        ):
            found[pk][number, entry] = int(heat or 0)
    return found
