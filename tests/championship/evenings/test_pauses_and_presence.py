"""How often drivers pause an evening, who wants to be shown as here, who drops out, and that nobody stays ready."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import TestCase

from championship.archive.own_data import own_data
from championship.audit.models import Record
from championship.deadlines.services import brisk
from championship.evenings.arriving.services import CheckedIn, check_in
from championship.evenings.models import Agreement, DriverPause, Unseen
from championship.evenings.selectors import evening_page, stream_versions
from championship.evenings.services import agree, end_pause, show_presence, take_back
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.clock.evening_pace import EveningPace
from championship.rallies.clock.evening_rules import EveningRules
from championship.rallies.models import Entry, Rally, SpecialStage, StartPlace
from championship.rallies.results.selectors import results_of
from championship.rallies.services import (
    close_time_control,
    pause_rally,
    resume_rally,
    start_next_stage,
)
from championship.runs.models import Run, Seat, Turn
from championship.runs.play import drive_codrivers, hand_over_wheel, take_wheel
from championship.runs.watch.live import SPECTATOR
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.evening import in_an_evening
from tests.championship.runs.factories import careful_turn, open_turn, play
from tests.factories import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]


def fresh(rally):
    return Rally.objects.select_related("club").get(pk=rally.pk)


def with_rules(*names, here=(), **rules):
    """An evening with these rules, in which those of `here` have the page open: its rally, its entries."""
    run, entries = in_an_evening(*names)
    rally = run.special_stage.rally
    Rally.objects.filter(pk=rally.pk).update(evening_rules=EveningRules(**rules).plain())
    Seat.objects.filter(run=run, entry__crew__in=here).update(seen_open_at=clock.now())
    return fresh(rally), sorted(entries, key=lambda entry: entry.crew)


def paused(rally, entry):
    """Let a driver pause and go on, alone."""
    assert agree(by=entry.driver, rally=rally, subject="pause") is True
    assert agree(by=entry.driver, rally=rally, subject="resume") is True


def test_a_driver_alone_begins_so_many_pauses_and_organisers_as_many_as_they_like(at):
    rally, (ana, _bo) = with_rules("Ana", "Bo", here=["Ana"], pauses=2)
    for _pause in range(2):
        paused(rally, ana)
        at(clock.now() + timedelta(seconds=1))
    with pytest.raises(Refused, match="2 pauses"):
        agree(by=ana.driver, rally=rally, subject="pause")
    assert fresh(rally).paused_at is None
    page = signed_in(ana.driver).get(f"/rallies/{rally.key}/evening/").text
    assert "I want a pause" not in page
    for _pause in range(3):
        pause_rally(by=organiser_of(rally), rally=rally, reason="Pizza")
        resume_rally(by=organiser_of(rally), rally=rally)


def test_who_agrees_to_the_pause_of_another_has_not_begun_it(at):
    rally, (ana, bo) = with_rules("Ana", "Bo", here=["Ana", "Bo"], pauses=1)
    assert agree(by=bo.driver, rally=rally, subject="pause") is False
    page = signed_in(ana.driver).get(f"/rallies/{rally.key}/evening/").text
    assert "<strong>Bo</strong>" in page
    assert "I want a pause too" in page
    assert agree(by=ana.driver, rally=rally, subject="pause") is True
    assert [pause.entry for pause in DriverPause.objects.all()] == [bo]
    resume_rally(by=organiser_of(rally), rally=rally)
    at(clock.now() + timedelta(seconds=1))
    with pytest.raises(Refused):
        agree(by=bo.driver, rally=rally, subject="pause")
    assert agree(by=ana.driver, rally=rally, subject="pause") is False
    assert agree(by=bo.driver, rally=rally, subject="pause") is True, "Bo may agree"


def test_asking_and_taking_it_back_costs_nothing():
    rally, (ana, _bo) = with_rules("Ana", "Bo", here=["Ana", "Bo"], pauses=1)
    for _time in range(3):
        assert agree(by=ana.driver, rally=rally, subject="pause") is False
        take_back(by=ana.driver, rally=rally, subject="pause")
    assert not DriverPause.objects.exists()


def test_the_clock_ends_a_pause_of_drivers_once_and_no_other(at):
    rally, (ana, _bo) = with_rules("Ana", "Bo", here=["Ana"], pause_minutes=3)
    agree(by=ana.driver, rally=rally, subject="pause")
    pause = DriverPause.objects.get()
    assert evening_page(fresh(rally), SPECTATOR).pause_ends == clock.now() + timedelta(minutes=3)
    before = Turn.objects.get(ended_at=None).deadline
    assert end_pause(pause=pause.pk, now=clock.now()) is False
    at(pause.until)
    with TestCase.captureOnCommitCallbacks(execute=True):
        assert end_pause(pause=pause.pk, now=clock.now()) is True
    assert end_pause(pause=pause.pk, now=clock.now()) is False
    assert fresh(rally).paused_at is None
    assert Turn.objects.get(ended_at=None).deadline == before + timedelta(minutes=3), "no time is lost"


def test_the_clock_leaves_a_later_pause_of_organisers_alone(at):
    rally, (ana, _bo) = with_rules("Ana", "Bo", here=["Ana"], pause_minutes=3)
    agree(by=ana.driver, rally=rally, subject="pause")
    pause = DriverPause.objects.get()
    agree(by=ana.driver, rally=rally, subject="resume")
    at(clock.now() + timedelta(minutes=1))
    pause_rally(by=organiser_of(rally), rally=rally, reason="Pizza")
    at(pause.until)
    assert end_pause(pause=pause.pk, now=clock.now()) is False
    assert fresh(rally).paused_at is not None


def test_the_rules_may_leave_pauses_to_organisers():
    rally, (ana, _bo) = with_rules("Ana", "Bo", here=["Ana"], pauses=0)
    with pytest.raises(Refused, match="organisers"):
        agree(by=ana.driver, rally=rally, subject="pause")


# Presence ---------------------------------------------------------------------------------------------


def shown(rally):
    return {person.entry.crew: person for person in evening_page(fresh(rally), SPECTATOR).people}


@pytest.mark.parametrize("everywhere", [True, False])
def test_who_does_not_want_to_be_shown_is_neither_here_nor_missing_and_counts_all_the_same(everywhere, at):
    rally, (ana, bo, _cem) = with_rules("Ana", "Bo", "Cem", here=["Ana", "Bo"])
    assert shown(rally)["Ana"].here
    show_presence(by=ana.driver, shown=False, rally=None if everywhere else rally)
    show_presence(by=ana.driver, shown=False, rally=None if everywhere else rally)
    assert not shown(rally)["Ana"].here
    assert shown(rally)["Bo"].here
    assert [person.entry.crew for person in evening_page(rally, SPECTATOR).missing] == ["Cem"]
    assert agree(by=bo.driver, rally=rally, subject="pause") is False, "Ana is asked too"
    assert agree(by=ana.driver, rally=rally, subject="pause") is True
    show_presence(by=ana.driver, shown=True, rally=None if everywhere else rally)
    assert shown(rally)["Ana"].here


def test_no_stream_moves_with_somebody_who_does_not_want_to_be_shown():
    rally, (ana, bo) = with_rules("Ana", "Bo")
    show_presence(by=ana.driver, shown=False)
    topic = f"rally {rally.key}"
    before = stream_versions([topic])
    Seat.objects.filter(entry=ana).update(seen_open_at=clock.now())
    assert stream_versions([topic]) == before
    Seat.objects.filter(entry=bo).update(seen_open_at=clock.now())
    assert stream_versions([topic]) != before


def test_a_wish_for_another_rally_changes_nothing_here():
    rally, (ana, _bo) = with_rules("Ana", "Bo", here=["Ana"])
    other, _entries = with_rules("Cem", "Dag")
    show_presence(by=ana.driver, shown=False, rally=other)
    assert shown(rally)["Ana"].here


def test_the_wish_is_chosen_in_the_settings_and_for_an_evening():
    rally, (ana, _bo) = with_rules("Ana", "Bo", here=["Ana"])
    client, page = signed_in(ana.driver), f"/rallies/{rally.key}/evening/"
    assert "/me/presence/" in client.get("/me/").text
    assert client.post(f"{page}do/unseen/").status_code == 302
    assert "Show when I am here" in client.get(page).text
    assert client.post(f"{page}do/seen/").status_code == 302
    assert client.post("/me/presence/", {"shown": "no"}).status_code == 302
    assert "Nobody sees when you are here." in client.get("/me/presence/").text
    assert "Do not show that I am here" not in client.get(page).text
    assert any(name.startswith("evenings.unseen") for name in own_data(ana.driver))
    assert client.post("/me/presence/", {"shown": "yes"}).status_code == 302
    assert not Unseen.objects.exists()


# Ready ------------------------------------------------------------------------------------------------


def test_nobody_is_ready_any_more_when_the_next_stage_opens():
    rally, entries = with_rules("Ana", "Bo")
    Rally.objects.filter(pk=rally.pk).update(auto_start=False)
    for entry in entries:
        agree(by=entry.driver, rally=rally, subject="ready")
    Run.objects.filter(special_stage__rally=rally).update(status=Run.Status.FINISHED, finished_at=clock.now())
    stage = rally.stages.get(number=1)
    SpecialStage.objects.filter(pk=stage.pk).update(status="done", closed_at=clock.now())
    for position, entry in enumerate(entries, start=1):
        rally.stages.get(number=2).start_places.create(entry=entry, position=position)
    assert Agreement.objects.filter(subject="ready").count() == 2
    start_next_stage(by=organiser_of(rally), rally=rally)
    assert not Agreement.objects.filter(subject="ready").exists()


# Dropping out -----------------------------------------------------------------------------------------


def plays(run, entry):
    run.refresh_from_db()
    play(run, entry, **careful_turn(run))


def times_out(run, entry, at, *, times):
    """Let the time of this car run out so often; the others drive their turns."""
    left = times
    while left:
        turn = open_turn(run)
        if turn.seat.entry_id != entry.pk:
            plays(run, turn.seat.entry)
            continue
        while open_turn(run) == turn:  # a longer time without a tick would be made up
            at(clock.now() + timedelta(seconds=4))
            brisk.tick(now=clock.now())
        left -= 1


def to_the_finish(run):
    """Let the codriver drive everything that is left of a run, for drivers who have handed it over till its end."""
    for seat in Seat.objects.filter(run=run, codriver_since=None).select_related("entry__driver"):
        hand_over_wheel(by=seat.entry.driver, run=run, how_long="stage", turns_made=0)
    while Run.objects.get(pk=run.pk).status == Run.Status.RUNNING:
        drive_codrivers(run_id=run.pk)


def dropping(how, at, *, after=2, misses=2):
    """A run in which Ana has run out of time so often, by these rules."""
    run, entries = in_an_evening("Ana", "Bo", pace=EveningPace(turn=45))
    ana, bo = sorted(entries, key=lambda entry: entry.crew)
    rules = EveningRules(drop_after=after, dropped=how, late="given", late_added=30)
    Rally.objects.filter(pk=ana.rally_id).update(evening_rules=rules.plain())
    brisk.tick(now=clock.now())
    times_out(run, ana, at, times=misses)
    return run, ana, bo


def again(entry):
    return Entry.objects.select_related("driver", "rally").get(pk=entry.pk)


def test_after_so_many_time_outs_in_a_row_the_codriver_has_the_wheel_and_keeps_it(at):
    run, ana, _bo = dropping("codriver", at, misses=1)
    seat = Seat.objects.get(run=run, entry=ana)
    assert seat.codriver_since is None
    times_out(run, ana, at, times=1)
    seat.refresh_from_db()
    assert seat.codriver_since is not None
    assert again(ana).driven_by == "person", "who knows what was missed in this run learns it when it is over"
    to_the_finish(run)
    assert again(ana).driven_by == "codriver"
    assert Record.objects.filter(action="driver dropped out").count() == 1
    assert again(ana).starts_from == 1


def test_a_turn_that_the_driver_makes_begins_the_count_again(at):
    run, ana, _bo = dropping("codriver", at, after=2, misses=1)
    while open_turn(run).seat.entry_id != ana.pk:
        plays(run, open_turn(run).seat.entry)
    plays(run, ana)
    times_out(run, ana, at, times=1)
    assert Seat.objects.get(run=run, entry=ana).codriver_since is None


def test_who_takes_the_wheel_back_before_the_finish_has_not_dropped_out(at):
    run, ana, _bo = dropping("codriver", at)
    take_wheel(by=ana.driver, run=run)
    to_the_finish(run)
    assert again(ana).driven_by == "person"
    assert not Record.objects.filter(action="driver dropped out").exists()


def test_without_the_rule_nobody_drops_out(at):
    run, ana, _bo = dropping("codriver", at, after=0, misses=3)
    assert Seat.objects.get(run=run, entry=ana).codriver_since is None


def test_a_car_that_is_out_retires_starts_no_more_and_comes_back_as_a_late_comer(at):
    run, ana, bo = dropping("out", at)
    rally = run.special_stage.rally
    assert Turn.objects.get(missed=True, done="retired").seat.entry == ana
    to_the_finish(run)
    assert again(ana).starts_from is None
    if (first := rally.stages.get(number=1)).status == "time control":
        close_time_control(by=organiser_of(rally), special_stage=first)
    places = StartPlace.objects.filter(special_stage__rally=rally, special_stage__number=2)
    assert [place.entry for place in places] == [bo]
    assert {person.entry.crew: person.away for person in evening_page(fresh(rally), SPECTATOR).people} == {
        "Ana": True,
        "Bo": False,
    }
    assert "has dropped out" in signed_in(bo.driver).get(f"/rallies/{rally.key}/evening/").text
    assert check_in(by=ana.driver, rally=rally) == CheckedIn.NEXT
    assert (again(ana).starts_from, again(ana).late_added) == (3, 30)
    results = results_of(fresh(rally))
    assert results.by_stage[1][ana.pk].retired, "what was driven stays"
