"""A driver who was replaced gets the car back: nobody gains time when the same people drive in turns."""

from __future__ import annotations

from datetime import time, timedelta

import pytest
from django.utils.dateparse import parse_datetime

from championship.archive.tables import TABLES
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.runs import play as services
from championship.runs.models import Turn
from tests.championship.rallies.factories import drive, organiser_of, stage_of, started
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play
from tests.factories import make_member
from tests.moment import told as now

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def gives(entry, driver):
    """An organiser gives the car to this driver."""
    entry = Entry.objects.get(pk=entry.pk)
    services.replace_driver(
        by=organiser_of(entry.rally),
        entry=entry,
        driver=driver,
        instead_of=entry.driver_id,
        crew=driver.name,
        reason="They drive in turns.",
    )


def moment(text):
    return parse_datetime(f"{text}Z")


def test_who_comes_back_to_an_open_turn_has_what_was_left_and_so_has_the_one_in_between(at):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    eva, fay = (make_member(ana.rally.club, name=name) for name in ("Eva", "Fay"))
    at("2026-11-20T11:59")
    gives(ana, eva)
    assert open_turn(run).deadline == moment("2026-11-21T11:59"), "somebody new has all of the time"
    at("2026-11-20T17:59")
    gives(ana, ana.driver)
    turn = open_turn(run)
    assert (turn.deadline, turn.reasons, turn.stands_in) == (moment("2026-11-20T18:00"), [], False)
    for driver in (eva, ana.driver, eva):
        gives(ana, driver)
    assert open_turn(run).deadline == moment("2026-11-21T11:59"), "all the swaps gained nothing"
    gives(ana, fay)
    assert open_turn(run).deadline == now() + 24 * HOUR
    gives(ana, ana.driver)
    assert open_turn(run).deadline == moment("2026-11-20T18:00")
    play(run, Entry.objects.get(pk=ana.pk), **careful_turn(run))
    while open_turn(run).seat.entry_id != ana.pk:
        play(run, open_turn(run).seat.entry, **careful_turn(run))
    assert open_turn(run).deadline == now() + 24 * HOUR, "the next turn has all its time"


def test_only_time_that_counts_is_used_up(at):
    quiet = {"quiet_from": time(22), "quiet_to": time(6)}
    run, (ana, _bo) = on_the_road("Ana", "Bo", timekeeping=quiet)
    eva, olga = make_member(ana.rally.club, name="Eva"), organiser_of(ana.rally)
    at("2026-11-19T20:00")
    rallies.pause_rally(by=olga, rally=ana.rally, reason="Flood")
    at("2026-11-20T10:00")
    gives(ana, eva)
    at("2026-11-20T12:00")
    rallies.resume_rally(by=olga, rally=ana.rally)
    at("2026-11-20T14:00")
    gives(ana, ana.driver)
    assert open_turn(run).deadline == moment("2026-11-21T14:00"), "16 of 24 hours were left, and 8 of them are quiet"


def test_who_has_nothing_left_misses_nothing(at):
    run, (ana, _bo) = on_the_road("Ana", "Bo", timekeeping={"miss_penalty": 10})
    eva = make_member(ana.rally.club, name="Eva")
    at("2026-11-20T12:01")
    gives(ana, eva)
    gives(ana, ana.driver)
    turn = open_turn(run)
    at(now() + timedelta(minutes=1))
    services.act_on_deadlines(now=now())
    turn.refresh_from_db()
    assert (turn.done, turn.missed, turn.owed) == (Turn.Done.STOOD_IN, False, None)


def test_time_given_on_top_stays_with_the_driver_to_whom_it_was_given(at):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    olga, turn = organiser_of(ana.rally), open_turn(run)
    services.extend_turn(by=olga, turn=turn, hours=6, reason="Ana is ill.", seen=turn.deadline)
    at("2026-11-20T17:00")
    gives(ana, make_member(ana.rally.club, name="Eva"))
    turn = open_turn(run)
    assert turn.deadline == now() + 30 * HOUR
    services.extend_turn(by=olga, turn=turn, hours=5, reason="Eva is ill too.", seen=turn.deadline)
    gives(ana, ana.driver)
    turn = open_turn(run)
    assert (turn.deadline, turn.reasons) == (moment("2026-11-20T18:00"), ["extended"])


def test_swaps_put_nothing_into_a_bank(at):
    run, (ana, _bo) = on_the_road("Ana", "Bo", timekeeping={"pace": "bank", "bank_hours": 10, "increment_hours": 2})
    at("2026-11-19T20:00")
    gives(ana, make_member(ana.rally.club, name="Eva"))
    at("2026-11-19T21:00")
    gives(ana, ana.driver)
    at("2026-11-19T22:00")
    play(run, Entry.objects.get(pk=ana.pk), **careful_turn(run))
    assert Entry.objects.get(pk=ana.pk).bank_seconds == 3 * 3600


def test_another_pace_meanwhile_changes_what_was_left_as_it_would_have_in_an_open_turn(at):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    at("2026-11-20T11:00")
    gives(ana, make_member(ana.rally.club, name="Eva"))
    rallies.change_timekeeping(
        by=organiser_of(ana.rally), rally=ana.rally, turn_hours=48, reminder_hours=4, settings={}
    )
    gives(ana, ana.driver)
    assert open_turn(run).deadline == now() + 25 * HOUR


def test_swaps_put_off_the_end_of_time_control_once_only(at):
    rally, (ana, bo) = started("Ana", "Bo")
    drive(rally, 1, {ana: 200, bo: 201})
    eva = make_member(rally.club, name="Eva")
    at(now() + 24 * HOUR - timedelta(minutes=1))
    gives(ana, eva)
    closes = now() + 24 * HOUR
    assert stage_of(rally, 1).control_deadline == closes
    at(now() + 20 * HOUR)
    for driver in (ana.driver, eva):
        gives(ana, driver)
        assert stage_of(rally, 1).control_deadline == closes
    row = stage_of(rally, 1).awaited_cards.get(entry=ana)
    assert (row.person, row.left_seconds) == (eva, 4 * 3600)


def test_an_archive_says_nothing_of_what_was_left_to_whom(at):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    gives(ana, make_member(ana.rally.club, name="Eva"))
    gives(ana, ana.driver)
    turn = open_turn(run)
    [table] = [table for table in TABLES if table.model is Turn]
    assert table.adjust is not None
    written = table.adjust({"terms": turn.terms})["terms"]
    assert set(turn.terms) - set(written) == {"earlier"}
