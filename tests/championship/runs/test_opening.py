"""Opening a stage: who drives in which run, in which car, and with which secret."""

import hashlib

import pytest
from django.db import IntegrityError, transaction

from championship.rallies import services as rally_services
from championship.rallies.models import SpecialStage
from championship.runs.models import Run, Seat, Turn
from championship.runs.play import open_runs
from tests.championship.rallies.factories import damaged, drive, enter, hand_in, make_rally, organiser_of, stage_of
from tests.championship.runs.factories import on_the_road, open_turn, starters

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("cars", "sizes"), [(1, [1]), (6, [6]), (7, [6, 1]), (13, [6, 6, 1])])
def test_a_convoy_takes_six_cars_a_run_in_starting_order(cars, sizes):
    run, _entries = on_the_road(*[f"Driver {n}" for n in range(cars)])
    stage = run.special_stage
    runs = stage.runs.order_by("number")
    assert [run.number for run in runs] == list(range(1, len(sizes) + 1))
    assert [run.seats.count() for run in runs] == sizes
    started = [entry for run in runs for entry in starters(run)]
    assert started == [place.entry for place in stage.start_places.select_related("entry").order_by("position")]
    assert Turn.objects.filter(ended_at=None).count() == len(sizes)
    for run in runs:
        assert open_turn(run).seat.entry == starters(run)[0]
        assert run.state["starters"] == [str(entry.start_number) for entry in starters(run)]


def test_on_the_open_road_everybody_drives_alone_and_at_once():
    run, _entries = on_the_road(*[f"Driver {n}" for n in range(7)], mode="open road")
    runs = run.special_stage.runs.all()
    assert [run.seats.count() for run in runs] == [1] * 7
    assert Turn.objects.filter(ended_at=None).count() == 7


def test_a_run_keeps_the_stage_the_options_and_the_version_of_the_rules():
    run, _entries = on_the_road("Ana", options={"sisu": "none", "time_card_1": 45})
    rally = run.special_stage.rally
    assert (run.game, run.ruleset_version) == ("dirt", rally.ruleset_version)
    assert run.options == rally.options
    assert (run.options["sisu"], run.options["time_card_1"]) == ("none", 45)
    assert {**run.stage, "last": None} == {**run.special_stage.spec, "last": None}


def test_only_the_last_stage_is_the_last():
    first, (ana,) = on_the_road("Ana", stages=("1/1", "1/2"), options={"checkpoints": False})
    assert first.stage["last"] is False
    drive(ana.rally, 1, {ana: 200})
    assert Run.objects.get(special_stage__number=2).stage["last"] is True
    only, _bo = on_the_road("Bo", stages=("1/1",))
    assert only.stage["last"] is True


def test_each_run_has_a_secret_of_its_own_and_publishes_its_sha_256():
    run, _entries = on_the_road(*[f"Driver {n}" for n in range(7)])
    secrets = [bytes(run.secret) for run in run.special_stage.runs.all()]
    assert len(set(secrets)) == 2
    assert [len(secret) for secret in secrets] == [32, 32]
    for one in run.special_stage.runs.all():
        assert one.commitment == hashlib.sha256(bytes(one.secret)).hexdigest()


def test_cars_take_their_damage_from_stage_to_stage():
    """After 1/1 there is service, after 1/3 there is none. Times are recorded without driving the runs."""
    run, entries = on_the_road("Ana", "Bo", stages=("1/3", "1/1", "1/2"))
    ana, bo = sorted(entries, key=lambda entry: entry.start_number)
    rally = run.special_stage.rally
    drive(rally, 1, {ana: 200, bo: 210}, cars={ana: damaged(gear=2, coast=1)})
    hand_in(rally, 1, ana, bo)
    second = Run.objects.get(special_stage__number=2)
    cars = {entrant["id"]: entrant["luggage"] for entrant in second.entrants}
    assert cars[str(ana.start_number)]["damage"] == {"gear": 2, "coast": 1, "brake": 0}
    assert cars[str(bo.start_number)]["damage"] == {"gear": 0, "coast": 0, "brake": 0}
    assert len(second.state["drivers"][str(ana.start_number)]["kept"]) == 3
    drive(rally, 2, {ana: 200, bo: 210}, cars={ana: damaged(gear=2)})
    hand_in(rally, 2, ana, bo)
    third = Run.objects.get(special_stage__number=3)
    assert all(entrant["luggage"]["damage"]["gear"] == 0 for entrant in third.entrants)


def test_the_next_stage_starts_in_the_order_of_the_times():
    run, entries = on_the_road("Ana", "Bo", "Cem", options={"checkpoints": False})
    ana, bo, cem = entries
    drive(run.special_stage.rally, 1, {ana: 200, bo: 300, cem: 250})
    second = Run.objects.get(special_stage__number=2)
    places = stage_of(run.special_stage.rally, 2).start_places.order_by("position")
    assert starters(second) == [place.entry for place in places.select_related("entry")]
    assert {starters(second)[0], starters(second)[-1]} == {ana, bo}


def test_an_option_that_is_newer_than_the_rally_has_its_default():
    """The rally was made by an earlier version of the game, which did not know the option."""
    rally = make_rally()
    enter(rally, "Ana", "Bo")
    assert rally.options.pop("flying_start") is True
    rally.options["leader_dice"] = False
    rally.save(update_fields=["options"])
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    run = Run.objects.get()
    assert (run.options["flying_start"], run.options["leader_dice"]) == (True, False)
    assert run.state["options"] == run.options


def test_a_stage_cannot_be_opened_twice():
    run, _entries = on_the_road("Ana", "Bo")
    with pytest.raises(IntegrityError), transaction.atomic():
        open_runs(special_stage=run.special_stage)
    assert Run.objects.count() == 1
    assert Seat.objects.count() == 2


def test_runs_open_with_the_stage_or_not_at_all():
    """When the game cannot set the stage up, the start of the rally is rolled back."""
    rally = make_rally()
    enter(rally, "Ana")
    rally.stages.update(spec={})
    with pytest.raises(KeyError), transaction.atomic():
        rally_services.start_rally(by=organiser_of(rally), rally=rally)
    rally.refresh_from_db()
    assert rally.status == "entries"
    assert stage_of(rally, 1).status == SpecialStage.Status.PLANNED
    assert not Run.objects.exists()


def test_nobody_clears_the_open_road_for_others() -> None:
    """D6: against the clock, alone on the road, there are coast dice and no leader dice."""
    rally = make_rally(mode="open road")
    enter(rally, "Ana", "Bo")
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    assert [run.state["leader"] for run in Run.objects.all()] == [None, None]
    convoy, _entries = on_the_road("Cem", "Dag")
    assert convoy.state["leader"] is not None
