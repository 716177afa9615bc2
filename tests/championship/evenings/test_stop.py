"""The end of an evening at a set minute: who sets it, what happens to cars on the road, and that it happens once."""

from __future__ import annotations

from datetime import timedelta

import pytest

from championship.audit.models import Record
from championship.clubs.models import Role
from championship.deadlines.services import brisk
from championship.evenings.models import Question, Stop
from championship.evenings.services import ask
from championship.evenings.stop.services import NOTICE, Stops, end_evening, set_stop, take_stop_back
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.models import Entry, Rally, SpecialStage, StageTime
from championship.rallies.results.selectors import results_of
from championship.rallies.services import set_driven_by
from championship.runs.models import Run, Turn
from championship.runs.play import drive_codrivers
from championship.runs.watch.gaps import splits_of_each
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.evening import committed, in_an_evening
from tests.factories import make_member, signed_in

pytestmark = pytest.mark.django_db
SOON = NOTICE + timedelta(minutes=1)


def fresh(rally):
    return Rally.objects.get(pk=rally.pk)


def set_for(rally, how=Stop.How.SPLIT):
    return set_stop(by=organiser_of(rally), rally=rally, at=clock.now() + SOON, how=how)


def past_a_split(*names):
    """A run of an evening in which all cars have passed a split, and which goes on."""
    run, entries = in_an_evening(*names, stages=("1/3", "1/2"))
    for entry in entries:
        set_driven_by(by=entry.driver, entry=entry, driven_by=Entry.DrivenBy.CODRIVER)
    while not all(each.at[0] is not None for each in splits_of_each([run])[run.pk].seats.values()):
        assert drive_codrivers(run_id=run.pk, most=1)
        run.refresh_from_db()
    assert run.status == Run.Status.RUNNING
    return run


def test_only_organisers_set_it_and_give_notice():
    run, (ana, _bo) = in_an_evening("Ana", "Bo")
    rally, now = run.special_stage.rally, clock.now()
    olga = organiser_of(rally)
    with pytest.raises(Forbidden):
        set_stop(by=ana.driver, rally=rally, at=now + SOON, how="split")
    for at, how, field in (
        (now + timedelta(minutes=4), "split", "at"),
        (now - timedelta(days=1), "split", "at"),
        (now + timedelta(days=31), "split", "at"),
        (now + SOON, "both", "how"),
    ):
        with pytest.raises(Refused) as refused:
            set_stop(by=olga, rally=rally, at=at, how=how)
        assert refused.value.field == field
    assert not Stop.objects.exists()
    set_for(rally)
    set_for(rally, Stop.How.HOURS)
    assert Stop.objects.get().how == Stop.How.HOURS, "the later one counts"
    for _twice in range(2):
        take_stop_back(by=olga, rally=rally)
    assert not Stop.objects.exists()
    assert list(Record.objects.filter(action__startswith="evening ends").order_by("pk").values_list("action")) == [
        ("evening ends at",), ("evening ends at",), ("evening ends open",)
    ]  # fmt: skip
    Rally.objects.filter(pk=rally.pk).update(status=Rally.Status.CANCELLED)
    with pytest.raises(Stale):
        set_for(rally)


def test_the_second_clock_stops_the_stage_at_the_last_common_split_once(at):
    run = past_a_split("Ana", "Bo")
    rally, stage = run.special_stage.rally, run.special_stage
    told = splits_of_each([run])[run.pk].seats
    last = max(n for n in range(len(next(iter(told.values())).at)) if all(s.at[n] is not None for s in told.values()))
    stop = set_for(rally)
    assert not Stops().due(clock.now())
    assert not end_evening(stop=stop.pk, now=clock.now()), "not before its minute"
    now = stop.at
    at(now)
    with_effect = committed(brisk.tick, now=now)
    assert with_effect >= 1
    stop.refresh_from_db()
    stage.refresh_from_db()
    assert (stop.done_at, stop.stage_id, stop.border) == (now, stage.pk, last + 1)
    assert stage.shortened_to == last + 1 and stage.status != SpecialStage.Status.RUNNING
    assert not fresh(rally).keeps_seconds, "it goes on in hours"
    assert not Turn.objects.filter(run=run, ended_at=None).exists()
    results = results_of(fresh(rally))
    crews = {results.entries[entry].crew: one.result for entry, one in results.by_stage[1].items()}
    seats = {seat.entry.crew: told[seat.name].at[last] for seat in run.seats.select_related("entry")}
    assert crews == seats
    times = StageTime.objects.count()
    assert not end_evening(stop=stop.pk, now=now), "twice is once"
    assert (StageTime.objects.count(), Record.objects.filter(action="evening ended").count()) == (times, 1)
    page = signed_in(organiser_of(rally)).get(f"/rallies/{rally.key}/evening/")
    assert f"at split {last + 1}" in page.text
    desk = signed_in(run.seats.select_related("entry__driver")[0].entry.driver).get(run.get_absolute_url()).text
    assert f"the results are those at split {last + 1}" in desk and "It was cancelled" not in desk


def test_without_a_common_split_the_stage_counts_for_nothing(at):
    run, entries = in_an_evening("Ana", "Bo", stages=("1/3", "1/2"))
    stop = set_for(run.special_stage.rally)
    at(stop.at)
    assert committed(end_evening, stop=stop.pk, now=stop.at)
    stop.refresh_from_db()
    run.special_stage.refresh_from_db()
    assert stop.struck and run.special_stage.struck_at is not None
    desk = signed_in(entries[0].driver).get(run.get_absolute_url()).text
    assert "This was stopped, and counts for nothing." in desk and "It was cancelled" not in desk
    assert (
        "counts for nothing"
        in signed_in(organiser_of(fresh(run.special_stage.rally)))
        .get(f"/rallies/{run.special_stage.rally.key}/evening/")
        .text
    )


def test_cars_may_stay_where_they_are(at):
    run, _entries = in_an_evening("Ana", "Bo")
    rally = run.special_stage.rally
    ask(by=organiser_of(rally), rally=rally, subject="hours")
    stop = set_for(rally, Stop.How.HOURS)
    at(stop.at)
    assert committed(end_evening, stop=stop.pk, now=stop.at)
    run.refresh_from_db()
    assert run.status == Run.Status.RUNNING
    assert not fresh(rally).keeps_seconds
    assert Turn.objects.get(run=run, ended_at=None).deadline > stop.at + timedelta(hours=1)
    assert not Question.objects.exists()


def test_an_evening_that_is_over_already_is_left_alone(at):
    run, _entries = in_an_evening("Ana", "Bo")
    rally = run.special_stage.rally
    stop = set_for(rally)
    Rally.objects.filter(pk=rally.pk).update(evening_since=None)
    at(stop.at)
    assert end_evening(stop=stop.pk, now=stop.at)
    run.refresh_from_db()
    assert run.status == Run.Status.RUNNING and not Stop.objects.get().struck
    assert not Record.objects.filter(action="evening ended").exists()


def test_the_form_of_the_page_keeps_what_was_typed():
    run, _entries = in_an_evening("Ana", "Bo")
    rally = run.special_stage.rally
    olga, address = signed_in(organiser_of(rally)), f"/rallies/{run.special_stage.rally.key}/evening/stop/"
    for typed in ({}, {"stop-at": "soon"}, {"stop-at": "9999-99-99T00:00", "stop-how": "split"}, {"stop-at": "\x00"}):
        assert olga.post(address, typed).status_code == 422
    past = {"stop-at": "2001-01-01T10:00", "stop-how": "hours"}
    answer = olga.post(address, past)
    assert answer.status_code == 422 and "2001-01-01T10:00" in answer.text
    assert signed_in(make_member(rally.club, roles=[Role.DRIVER])).post(address, past).status_code == 403
    when = (clock.now() + SOON).strftime("%Y-%m-%dT%H:%M")
    assert olga.post(address, {"stop-at": when, "stop-how": "split"}).status_code == 302
    assert "It ends at" in signed_in(run.seats.first().entry.driver).get(f"/rallies/{rally.key}/evening/").text
    assert olga.post(f"/rallies/{rally.key}/evening/do/no-stop/").status_code == 302
    assert not Stop.objects.exists()
