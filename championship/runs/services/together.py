"""Missed turns of many runs driven together: one transaction, a few queries for all of them.

Only what is plain is done here: a run that waits for nobody else, whose driver let the deadline pass, in a rally
where that costs nothing, and that waits for a person afterwards. All else is left to be driven one by one. What is
written is the same.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Count

from championship.notices.many import drop_many, enqueue_many
from championship.rallies.models import Rally, SpecialStage
from championship.runs.models import Draft, Event, Place, Post, Run, SentAhead, Turn
from championship.runs.services.posting import play_on
from championship.runs.services.timing import Facts, begin, facts_of, lasts
from championship.runs.services.waiting import TOLD, is_waited_for, letter_of, subjects_of
from engine import ruleset

logger = logging.getLogger(__name__)


SAVE_RUNS = """
    UPDATE runs_run
    SET state = fresh.state::jsonb, version = fresh.version, drawn = fresh.drawn, events_told = fresh.events_told
    FROM unnest(%s::bigint[], %s::text[], %s::int[], %s::int[], %s::int[])
        AS fresh(id, state, version, drawn, events_told)
    WHERE runs_run.id = fresh.id
"""


@dataclass(slots=True)
class Made:
    """A turn that the codriver has made: the run as it is then, what is to be written, and whose turn it is now."""

    run: Run
    turn: Turn
    posts: list[tuple[Post, list[Event]]]
    following: list[Place]


@transaction.atomic
def drive_together(turn_ids: Collection[int], *, now: datetime) -> set[int]:
    """Drive those of these turns that are plain; the ids of the turns that are driven. Runs that somebody holds, and
    all that is not plain, are left alone.
    """
    runs = _locked(turn_ids)
    turns = _alone(runs, now)
    facts = facts_of(list(turns.values()))
    places = defaultdict(list)
    for place in Place.objects.filter(run__in=turns).select_related("entry__driver"):
        place.run = runs[place.run_id]
        places[place.run_id].append(place)
    made = []
    for run_id, turn in turns.items():
        turn.run = turn.place.run = runs[run_id]
        try:
            one = _made(turn, places[run_id], facts, now)
        except Exception:
            logger.exception("turn %s is left to be driven on its own", turn.pk)
            continue
        if one is not None:
            made.append(one)
    if made:
        _write(made, facts, now)
    return {each.turn.pk for each in made}


def _locked(turn_ids: Iterable[int]) -> dict[int, Run]:
    """The runs of these turns that nobody else holds, locked, with stage and rally."""
    wanted = list(Turn.objects.filter(pk__in=list(turn_ids), ended_at=None).values_list("run_id", flat=True))
    found = Run.objects.select_for_update(skip_locked=True).filter(pk__in=wanted, status=Run.Status.RUNNING)
    runs = {run.pk: run for run in found.defer("stage", "entrants").order_by("pk")}
    wanted_stages = {run.special_stage_id for run in runs.values()}
    stages = SpecialStage.objects.filter(pk__in=wanted_stages).select_related("rally").defer("spec").in_bulk()
    for run in runs.values():
        run.special_stage = stages[run.special_stage_id]
    return runs


def _alone(runs: dict[int, Run], now: datetime) -> dict[int, Turn]:
    """The one open turn of each run, by run, where it is missed and everything about it is plain."""
    by_run = defaultdict(list)
    turns = Turn.objects.filter(run__in=runs, ended_at=None).select_related("place__entry__driver")
    for turn in turns:
        by_run[turn.run_id].append(turn)
    ahead = set(
        SentAhead.objects.filter(place__run__in=runs, state=SentAhead.State.WAITING).values_list(
            "place__run_id", flat=True
        )
    )
    return {
        run_id: open_turns[0]
        for run_id, open_turns in by_run.items()
        if len(open_turns) == 1 and run_id not in ahead and _plain(runs[run_id], open_turns[0], now)
    }


def _plain(run: Run, turn: Turn, now: datetime) -> bool:
    rally = run.special_stage.rally
    costs_nothing = not (rally.miss_seconds or rally.retire_after) and rally.after_miss == Rally.AfterMiss.TURN
    on_time = rally.pace == Rally.Pace.TURN and rally.paused_at is None and not rally.practice
    return costs_nothing and on_time and turn.overdue(now) and not turn.place.played and not turn.stands_in


def _made(turn: Turn, places: list[Place], facts: Facts, now: datetime) -> Made | None:
    """The turn made, in memory; None when it has another deadline by now, or what comes then is not plain."""
    if not lasts(turn, facts):
        return None
    run, driver = turn.run, turn.place.driver
    rules = ruleset.get(run.game)
    posts = []
    while rules.turns_made(run.state, driver) == turn.made_before:
        posts.append(play_on(run, turn, rules.autopilot(run.state, driver), by=None, key="", now=now))
    playing = rules.to_play(run.state)
    following = [place for place in places if place.driver in playing]
    if not playing or any(place.played or rules.choices(run.state, place.driver, "").forced for place in following):
        return None
    return Made(run, turn, posts, following)


def _write(made: list[Made], facts: Facts, now: datetime) -> None:
    """Posts, events, runs, the turns that ended and those that begin, and what drivers are told: as one by one."""
    Post.objects.bulk_create(post for each in made for post, _events in each.posts)
    Event.objects.bulk_create(event for each in made for _post, events in each.posts for event in events)
    _save_runs([each.run for each in made])
    ended = [each.turn for each in made]
    Turn.objects.filter(pk__in=[turn.pk for turn in ended]).update(ended_at=now, missed=True, done=Turn.Done.DRIVEN)
    drop_many(kinds=TOLD, subject_keys=[subject for turn in ended for subject in subjects_of(turn)])
    _drop_drafts(ended)
    begun = _begun(made, facts, now)
    Turn.objects.bulk_create(begun)
    said = {"done": Turn.Done.DRIVEN.value, "seconds": 0, "take_back_until": None}
    enqueue_many(
        [
            *(letter_of(turn, "turn driven for you", **said) for turn in ended),
            *(letter_of(turn, "turn waits") for turn in begun if is_waited_for(turn)),
        ]
    )


def _save_runs(runs: list[Run]) -> None:
    """What has moved on in these runs, in one statement: Django's own for many rows spends longer on writing it down
    than the database on doing it.
    """
    columns: list[Any] = [
        [run.pk for run in runs],
        [json.dumps(run.state) for run in runs],
        [run.version for run in runs],
        [run.drawn for run in runs],
        [run.events_told for run in runs],
    ]
    with connection.cursor() as cursor:
        cursor.execute(SAVE_RUNS, columns)


def _begun(made: list[Made], facts: Facts, now: datetime) -> list[Turn]:
    runs = [each.run.pk for each in made]
    counted = Turn.objects.filter(run__in=runs).order_by().values("run").annotate(n=Count("pk"))
    numbers = dict(counted.values_list("run", "n"))
    begun = []
    for each in made:
        rules = ruleset.get(each.run.game)
        for place in each.following:
            numbers[each.run.pk] += 1
            before = rules.turns_made(each.run.state, place.driver)
            turn = Turn(run=each.run, number=numbers[each.run.pk], place=place, made_before=before)
            begin(turn, now=now, facts=facts)
            begun.append(turn)
    return begun


def _drop_drafts(ended: list[Turn]) -> None:
    drivers = {(turn.run_id, turn.place.entry.driver_id) for turn in ended}
    drafts = Draft.objects.filter(run__in=[turn.run_id for turn in ended]).values_list("pk", "run_id", "person_id")
    over = [pk for pk, run_id, person_id in drafts if (run_id, person_id) in drivers]
    if over:
        kept = Draft.objects.filter(pk__in=over)
        kept.exclude(orders={}).update(plan="")
        kept.filter(orders={}).delete()
