"""A car that is handed to the codriver and taken back has the deadline that it would have had.

Every test begins on Thursday 19 November 2026, 12:00 UTC.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from championship.deadlines.services.sweeping import remind
from championship.notices.models import Notice
from championship.platform import clock
from championship.rallies import services as rally_services
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run, Turn
from championship.runs.play import act_on_deadlines
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import on_the_road, open_turn
from tests.championship.runs.test_rounds_together import all_started, open_turns

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

HOUR = timedelta(hours=1)
At = Callable[[Any], datetime]


@pytest.fixture
def hand(django_capture_on_commit_callbacks: Any) -> Callable[..., None]:
    """Returns a function that hands an entry to the codriver or the person, by default as its driver."""

    def by(entry: Entry, driven_by: str, by: Any = None) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            rally_services.set_driven_by(by=by or entry.driver, entry=entry, driven_by=driven_by)

    return by


@pytest.fixture
def paused(django_capture_on_commit_callbacks: Any) -> Callable[..., None]:
    """Returns a function that pauses or resumes the rally of a run."""

    def change(run: Run, *, on: bool) -> None:
        rally = run.special_stage.rally
        rally.refresh_from_db()
        with django_capture_on_commit_callbacks(execute=True):
            if on:
                rally_services.pause_rally(by=organiser_of(rally), rally=rally, reason="Snow on the pass")
            else:
                rally_services.resume_rally(by=organiser_of(rally), rally=rally)

    return change


def test_in_a_round_together_handing_over_and_back_does_not_move_the_deadline(at: At, hand: Any) -> None:
    run, (_ana, bo, _cy) = all_started("Ana", "Bo", "Cy")
    deadline = open_turns(run)[2].deadline
    at(deadline - HOUR)
    hand(bo, "codriver")
    hand(bo, "person")
    assert {turn.deadline for turn in open_turns(run).values()} == {deadline}
    assert open_turns(run)[2].to_come


def test_a_round_that_began_while_the_codriver_had_the_car_counts_from_its_beginning(at: At, hand: Any) -> None:
    run, (_ana, bo, _cy) = all_started("Ana", "Bo", "Cy")
    row = open_turns(run)[2]
    deadline = row.deadline
    Turn.objects.filter(pk=row.pk).update(deadline=row.since, terms={}, left_seconds=None, remind_at=None)
    Entry.objects.filter(pk=bo.pk).update(driven_by="codriver")
    at(deadline - HOUR)
    hand(bo, "person")
    assert open_turns(run)[2].deadline == deadline


def test_a_driver_who_takes_the_car_back_after_the_deadline_has_missed_nothing(at: At, hand: Any) -> None:
    run, (_ana, bo, _cy) = all_started("Ana", "Bo", "Cy")
    row = open_turns(run)[2]
    hand(bo, "codriver")
    at(row.deadline + HOUR)
    hand(bo, "person")
    for _ in range(3):
        act_on_deadlines(now=clock.now())
    row.refresh_from_db()
    assert (row.missed, row.done) == (False, "stood in")


def test_a_process_that_died_after_the_car_was_taken_back_costs_the_driver_nothing(at: At, hand: Any) -> None:
    """The sweep finds the row before anything else has updated it."""
    run, (_ana, bo, _cy) = all_started("Ana", "Bo", "Cy")
    row = open_turns(run)[2]
    hand(bo, "codriver")
    at(row.deadline + HOUR)
    rally_services.set_driven_by(by=bo.driver, entry=bo, driven_by="person")
    for _ in range(3):
        act_on_deadlines(now=clock.now())
    row.refresh_from_db()
    assert (row.missed, row.done) == (False, "stood in")


def test_during_a_pause_the_time_that_is_left_does_not_change(at: At, hand: Any, paused: Any) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo", turn_hours=24)
    at(open_turn(run).deadline - HOUR)
    paused(run, on=True)
    at(clock.now() + 50 * HOUR)
    hand(ana, "codriver")
    hand(ana, "person")
    at(clock.now() + 50 * HOUR)
    paused(run, on=False)
    assert open_turn(run).deadline == clock.now() + HOUR


def test_an_organiser_who_hands_a_car_back_gives_all_the_time_of_a_turn(at: At, hand: Any, paused: Any) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo", turn_hours=24)
    olga = organiser_of(ana.rally)
    at(open_turn(run).deadline - HOUR)
    paused(run, on=True)
    hand(ana, "codriver", olga)
    hand(ana, "person", olga)
    paused(run, on=False)
    assert open_turn(run).deadline == clock.now() + 24 * HOUR


def test_used_time_is_taken_from_the_bank_but_a_pause_is_not(at: At, hand: Any, paused: Any) -> None:
    bank = {"pace": "bank", "bank_hours": 48, "increment_hours": 6}
    run, (ana, _bo) = on_the_road("Ana", "Bo", timekeeping=bank)
    at(clock.now() + 10 * HOUR)
    paused(run, on=True)
    hand(ana, "codriver")
    at(clock.now() + 100 * HOUR)
    paused(run, on=False)
    act_on_deadlines(now=clock.now())
    assert run.turns.filter(seat__entry=ana).exclude(ended_at=None).exists()
    assert Entry.objects.get(pk=ana.pk).bank_seconds == 44 * 3600


def test_a_deadline_that_a_hand_back_left_old_is_updated_before_the_clock_acts(at: At, hand: Any, paused: Any) -> None:
    """The process dies right after the driver has taken the car back: on-commit callbacks do not run."""
    run, (ana, _bo) = on_the_road("Ana", "Bo", turn_hours=24)
    deadline = open_turn(run).deadline
    paused(run, on=True)
    hand(ana, "codriver")
    rally_services.set_driven_by(by=ana.driver, entry=ana, driven_by="person")
    Rally.objects.filter(pk=ana.rally_id).update(paused_at=None, pause_reason="")
    at(deadline - HOUR)
    assert open_turn(run).deadline < clock.now()
    assert act_on_deadlines(now=clock.now()) == 0
    assert open_turn(run).deadline > clock.now()


def test_a_driver_who_was_reminded_of_a_deadline_is_not_reminded_of_it_again(at: At, hand: Any, paused: Any) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo", turn_hours=24)
    at(open_turn(run).remind_at)
    assert remind(now=clock.now()) == 1
    paused(run, on=True)
    hand(ana, "codriver")
    hand(ana, "person")
    paused(run, on=False)
    assert remind(now=open_turn(run).deadline - timedelta(minutes=1)) == 0
    assert Notice.objects.filter(kind="turn closes soon", channel="mail").count() == 1
