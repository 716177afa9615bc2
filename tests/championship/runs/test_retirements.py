"""The results say why a car retired, for every kind of reason."""

import pytest
from django.test import Client

from championship.platform import clock
from championship.rallies.models import StageTime
from championship.runs.models import Run
from championship.runs.play import act_on_deadlines
from tests.championship.rallies.factories import damaged, drive, hand_in, started
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play

pytestmark = pytest.mark.django_db


def reasons(rally, number: int) -> dict[str, str]:
    """The reasons of retirements on that stage, by crew."""
    times = StageTime.objects.filter(special_stage__rally=rally, special_stage__number=number, retired=True)
    return {time.entry.crew: time.reason for time in times.select_related("entry")}


def test_giving_up_and_missing_deadlines_are_different_reasons(at):
    run, (ana, bo) = on_the_road("Ana", "Bo", timekeeping={"retire_after": 2})
    play(run, open_turn(run).seat.entry, do="retire")
    for _ in range(2):
        at(open_turn(run).deadline)
        act_on_deadlines(now=clock.now())
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert reasons(ana.rally, 1) == {ana.crew: "gave_up", bo.crew: "missed"}
    page = Client().get(f"/rallies/{ana.rally.key}/stages/1/").content.decode()
    assert "retired: gave up" in page
    assert "retired: missed deadlines" in page
    page = Client().get(f"/rallies/{ana.rally.key}/stages/1/overall/").content.decode()
    assert "retired on stage 1: gave up" in page


def test_a_car_without_a_gear_die_is_wrecked_or_cannot_start():
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/3", "1/1"))
    drive(rally, 1, {ana: 200, bo: 210}, cars={ana: damaged(gear=6), bo: damaged()})
    hand_in(rally, 1, ana, bo)
    run = Run.objects.get(special_stage__rally=rally, special_stage__number=2)
    run.state["drivers"][str(bo.start_number)] |= {"kept": [["gear", "gear/?"]] * 6, "gear": 3}
    run.save()
    play(run, bo, **careful_turn(run))
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert reasons(rally, 2) == {"Ana": "not_started", "Bo": "wrecked"}
