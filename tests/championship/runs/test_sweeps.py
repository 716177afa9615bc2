"""Sweeps and workers at the same time, on PostgreSQL with real threads: two beats, lost messages, chunks."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from championship.clubs.services.holidays import take_holiday
from championship.deadlines.models import Sweep
from championship.deadlines.services.sweeping import claim
from championship.deadlines.tasks import sweep
from championship.notices.models import Notice
from championship.rallies import services as rally_services
from championship.rallies.models import Entry
from championship.runs.models import Event, Post, Run, Turn
from championship.runs.play import act_on_deadlines, drive_due, rebuild
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import all_of, careful_turn, on_the_road, open_turn, play
from tests.championship.runs.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)


def due(*crews, **how):
    """Create runs of an open road, one for each crew, whose deadline has just passed. Returns the current time."""
    on_the_road(*crews, mode="open road", **how)
    now = timezone.now()
    Turn.objects.update(since=now - HOUR, counted_from=now - HOUR, deadline=now - SECOND)
    return now


def assert_driven_once(driven):
    """All `driven` runs have been driven one turn, once, and their events give their state."""
    for run in Run.objects.order_by("pk"):
        assert run.turns.filter(number=1, missed=True, done="driven").exists()
        assert run.turns.count() == 2
        assert run.turns.filter(ended_at=None).count() == 1
        assert list(run.posts.order_by("number").values_list("number", flat=True)) == list(range(1, run.version + 1))
        numbers = list(run.events.order_by("number").values_list("number", flat=True))
        assert numbers == list(range(1, run.events_told + 1))
        assert rebuild(run=run) == run.state
    assert Run.objects.count() == driven
    assert Notice.objects.filter(kind="turn driven for you").count() == driven


def test_of_two_beats_at_once_each_turn_is_given_to_one():
    now = due("Ana", "Bo", "Cem", "Dag", "Eva")
    taken = at_once(lambda: list(claim(now=now)), lambda: list(claim(now=now)))
    ids = [turn_id for chunks in taken for _customer, chunk in chunks for turn_id in chunk]
    assert sorted(ids) == sorted(Turn.objects.values_list("pk", flat=True))


def test_two_sweeps_at_once_with_their_workers_act_once():
    due("Ana", "Bo", "Cem", "Dag", "Eva")
    at_once(sweep.delay, sweep.delay)
    assert_driven_once(5)


def test_the_same_chunk_given_to_two_workers_is_driven_once():
    now = due("Ana", "Bo", "Cem", "Dag", "Eva")
    ids = list(Turn.objects.values_list("pk", flat=True))
    driven = at_once(lambda: drive_due(turn_ids=ids, now=now), lambda: drive_due(turn_ids=ids, now=now))
    assert sum(driven) == 5
    assert_driven_once(5)


def test_a_chunk_that_was_lost_is_taken_again_by_the_next_sweep():
    now = due("Ana", "Bo")
    assert [len(chunk) for _customer, chunk in claim(now=now)] == [2]
    assert list(claim(now=now + SECOND)) == [], "the worker has it"
    later = now + timedelta(minutes=1)
    [(_customer, chunk)] = claim(now=later)
    assert drive_due(turn_ids=chunk, now=later) == 2
    assert list(claim(now=later + timedelta(minutes=1))) == []


def test_turns_driven_together_leave_what_turns_driven_one_by_one_leave():
    """Two equal rallies with the same secrets: one is driven in a chunk, the other turn by turn."""
    now = due("Ana", "Bo", "Cem")
    together = list(Run.objects.order_by("pk").values_list("pk", flat=True))
    due("Ana", "Bo", "Cem")
    alone = list(Run.objects.exclude(pk__in=together).order_by("pk").values_list("pk", flat=True))
    Turn.objects.update(since=now - HOUR, counted_from=now - HOUR, deadline=now - SECOND, remind_at=None)
    for one, other in zip(together, alone, strict=True):
        run = Run.objects.get(pk=one)
        Run.objects.filter(pk=other).update(secret=run.secret, entrants=run.entrants, state=run.state)
        names = dict(run.seats.values_list("pk", "name"))
        Run.objects.get(pk=other).seats.update(name=next(iter(names.values())))
    assert drive_due(turn_ids=list(Turn.objects.filter(run__in=together).values_list("pk", flat=True)), now=now) == 3
    for turn_id in Turn.objects.filter(run__in=alone, number=1).values_list("pk", flat=True):
        assert drive_due(turn_ids=[turn_id], now=now) == 1
    for one, other in zip(together, alone, strict=True):
        assert comparable_rows(one) == comparable_rows(other)


def comparable_rows(run_id):
    """Everything stored about a run, except what always differs between two runs."""
    found = all_of(Run.objects.get(pk=run_id))
    always_different = {
        *("id", "run_id", "key", "special_stage_id", "number_of_run", "secret", "commitment", "opened_at"),
        *("post_id", "turn_id", "seat_id", "version_of"),
    }
    keep = {
        part: [{name: value for name, value in row.items() if name not in always_different} for row in rows]
        for part, rows in {**found, "run": [found["run"]]}.items()
        if part != "notices"
    }
    keep["run"][0].pop("number")
    kinds = Notice.objects.filter(subject_key__startswith=f"run {run_id} turn ").order_by("kind", "subject_key")
    keep["notices"] = [
        (notice.kind, notice.channel, notice.status, notice.subject_key.split(" turn ")[1], notice.thread != "")
        for notice in kinds
    ]
    keep["context"] = [
        {name: value for name, value in notice.context.items() if name != "turn"}
        for notice in kinds.filter(kind="turn driven for you")
    ]
    return keep


def test_turns_with_a_penalty_are_driven_too_by_the_rules_of_their_rally():
    now = due("Ana", timekeeping={"miss_penalty": 20})
    due("Bo")
    Turn.objects.update(since=now - HOUR, counted_from=now - HOUR, deadline=now - SECOND)
    assert drive_due(turn_ids=list(Turn.objects.values_list("pk", flat=True)), now=now) == 2
    assert sorted(Turn.objects.filter(missed=True).values_list("done", flat=True)) == ["driven", "penalised"]


def test_a_deadline_that_a_holiday_must_move_is_not_acted_on_in_a_chunk():
    now = due("Ana", "Bo")
    ana = Entry.objects.get(crew="Ana")
    Turn.objects.update(since=now - 30 * HOUR, counted_from=now - 30 * HOUR)
    tomorrow = now.date() + timedelta(days=1)  # today may be over before the holiday is taken
    taken = take_holiday(by=ana.driver, club=ana.rally.club, first_day=tomorrow, last_day=tomorrow)
    type(taken).objects.filter(pk=taken.pk).update(starts_at=now - 20 * HOUR)
    Turn.objects.update(since=now - 30 * HOUR, counted_from=now - 30 * HOUR, left_seconds=24 * 3600, deadline=now)
    drive_due(turn_ids=list(Turn.objects.values_list("pk", flat=True)), now=now)
    turn = Turn.objects.get(seat__entry=ana)
    assert (turn.ended_at, turn.missed) == (None, False)
    assert turn.deadline > now
    assert "holiday" in turn.reasons
    assert Turn.objects.filter(missed=True).count() == 1, "Bo's"


def test_a_driver_may_move_while_the_chunk_is_driven():
    now = due("Ana", "Bo")
    ana = Entry.objects.select_related("driver").get(crew="Ana")
    run = Run.objects.get(seats__entry=ana)
    ids = list(Turn.objects.values_list("pk", flat=True))
    at_once(lambda: drive_due(turn_ids=ids, now=now), lambda: play(run, ana, **careful_turn(run)))
    run.refresh_from_db()
    assert run.version == Post.objects.filter(run=run).count()
    assert Turn.objects.filter(run=run, number=1, ended_at__isnull=False).exists()
    assert rebuild(run=run) == run.state


def test_a_pause_at_the_moment_of_the_sweep_leaves_every_run_consistent():
    now = due("Ana", "Bo", "Cem")
    rally = Entry.objects.get(crew="Ana").rally
    by = organiser_of(rally)
    at_once(
        lambda: act_on_deadlines(now=now),
        lambda: rally_services.pause_rally(by=by, rally=rally, reason="Fog"),
    )
    for run in Run.objects.all():
        assert rebuild(run=run) == run.state
        assert run.turns.filter(ended_at=None).count() == 1
    assert act_on_deadlines(now=timezone.now()) == 0


def test_a_chunk_takes_as_many_queries_for_five_turns_as_for_two(django_assert_max_num_queries):
    counts = []
    for crews in (("Ana", "Bo"), ("Cem", "Dag", "Eva", "Fay", "Gil")):
        now = due(*crews)
        ids = list(Turn.objects.filter(seat__entry__crew__in=crews).values_list("pk", flat=True))
        with (
            transaction.atomic(),
            django_assert_max_num_queries(40) as counted,
        ):  # the queries for mail come after the commit
            assert drive_due(turn_ids=ids, now=now) == len(crews)
        counts.append(len(counted))
    assert counts[0] == counts[1]


def test_the_time_of_the_sweep_is_stored():
    due("Ana")
    sweep.delay()
    assert Sweep.objects.get().at <= timezone.now()
    assert Event.objects.exists()
    assert open_turn(Run.objects.get()).number == 2


def test_organisers_are_told_once_a_day_that_a_stage_runs_late():
    now = due("Ana", "Bo")
    rally = Entry.objects.select_related("rally").get(crew="Ana").rally
    for _chunk in range(2):
        waiting = list(Turn.objects.filter(ended_at=None).values_list("pk", flat=True))
        drive_due(turn_ids=waiting, now=now)
        Turn.objects.filter(ended_at=None).update(deadline=now)
    letters = Notice.objects.filter(kind="stage late", channel="mail")
    assert [letter.recipient for letter in letters] == [organiser_of(rally)]
    assert Turn.objects.filter(missed=True).count() == 4
