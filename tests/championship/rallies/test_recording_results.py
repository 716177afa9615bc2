"""Recording stage times, and what follows from the last one."""

import pytest
from django.db import IntegrityError, transaction

from championship.clubs.models import Role
from championship.platform.refusals import Forbidden, Refused
from championship.rallies import services
from championship.rallies.models import Entry, Rally, SpecialStage, StageTime
from championship.rallies.results.selectors import results_of
from tests.championship.rallies.factories import (
    NEW_CAR,
    damaged,
    drive,
    make_rally,
    organiser_of,
    retirement_second,
    stage_of,
    started,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]


def test_a_time_is_recorded_once():
    rally, (ana, *_rest) = started()
    drive(rally, 1, {ana: 232})
    with pytest.raises(Refused):
        drive(rally, 1, {ana: 100})
    assert [time.measure for time in StageTime.objects.all()] == [232]
    with pytest.raises(IntegrityError), transaction.atomic():
        StageTime.objects.create(
            special_stage=stage_of(rally, 1), entry=ana, measure=1, detail={"cards_seconds": 1}, car={}
        )


@pytest.mark.parametrize("wrong", [-1, 100_001])
def test_no_stage_has_an_impossible_time(wrong):
    rally, (ana, *_rest) = started()
    with pytest.raises(ValueError, match="no result in seconds"):
        drive(rally, 1, {ana: wrong})
    assert not StageTime.objects.exists()


def test_only_a_retired_car_has_a_reason_for_it():
    rally, (ana, *_rest) = started()
    row = {"special_stage": stage_of(rally, 1), "entry": ana, "measure": 200, "car": {}, "reason": "wrecked"}
    with pytest.raises(IntegrityError), transaction.atomic():
        StageTime.objects.create(**row)


def test_a_time_needs_a_stage_on_the_road_and_a_place_on_its_start_list():
    rally, (ana, *_rest) = started()
    _other, (eve, *_) = started("Eve")
    with pytest.raises(Refused):
        drive(rally, 2, {ana: 232})
    with pytest.raises(Refused):
        drive(rally, 1, {eve: 232})
    assert not StageTime.objects.exists()


def test_the_last_time_ends_the_stage_and_the_last_stage_the_rally():
    rally, entries = started(stages=("1/1", "1/3"), options={"checkpoints": False})
    drive(rally, 1, dict.fromkeys(entries[:3], 200))
    assert stage_of(rally, 1).status == SpecialStage.Status.RUNNING
    drive(rally, 1, {entries[3]: 200})
    assert (stage_of(rally, 1).status, stage_of(rally, 2).status) == ("done", "running")
    drive(rally, 2, dict.fromkeys(entries, 200))
    rally.refresh_from_db()
    assert (rally.status, rally.finished_at is not None) == (Rally.Status.FINISHED, True)


def test_e7_a_retired_car_gets_the_slowest_time_and_a_minute_when_all_are_in():
    rally, (ana, bo, cem, dag) = started(stages=("1/1", "1/3"), options={"checkpoints": False})
    drive(rally, 1, {ana: 200, bo: None, cem: 260})
    lines = results_of(rally).stage_lines(1)
    assert [(line.entry.crew, line.place) for line in lines] == [("Ana", 1), ("Cem", 2), ("Bo", None)]
    drive(rally, 1, {dag: 240})
    lines = results_of(rally).stage_lines(1)
    assert [(line.entry.crew, line.total) for line in lines][-1] == ("Bo", 260 + retirement_second())
    assert lines[-1].retired_on == (1,)
    assert stage_of(rally, 2).start_places.filter(entry=bo).exists()


def test_e7_when_nobody_finishes_the_cards_so_far_and_a_minute_count():
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/3",))
    drive(rally, 1, {ana: None, bo: None})
    assert {line.total for line in results_of(rally).overall} == {200 + retirement_second()}
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED


def test_f3_service_repairs_and_without_it_damage_stays():
    cars = damaged(gear=2, brake=1, spare=False)
    serviced, (ana,) = started("Ana", stages=("1/1", "1/3"), options={"checkpoints": False})
    drive(serviced, 1, {ana: 200}, cars={ana: cars})
    assert Entry.objects.get(pk=ana.pk).car == NEW_CAR

    unserviced, (bo,) = started("Bo", stages=("1/3", "1/1"), options={"checkpoints": False})
    drive(unserviced, 1, {bo: 200}, cars={bo: cars})
    assert Entry.objects.get(pk=bo.pk).car == cars


def test_e7_a_retired_car_is_as_after_service_before_the_next_stage():
    rally, (ana,) = started("Ana", stages=("1/3", "1/1"), options={"checkpoints": False})
    drive(rally, 1, {ana: None}, cars={ana: damaged(gear=6, spare=False)})
    assert Entry.objects.get(pk=ana.pk).car == NEW_CAR


def test_f5_the_overall_classification_is_the_sum_of_stage_times():
    rally, (ana, bo, cem) = started("Ana", "Bo", "Cem", stages=("1/1", "1/3"), options={"checkpoints": False})
    drive(rally, 1, {ana: 200, bo: 190, cem: 195})
    drive(rally, 2, {ana: 190, bo: 200, cem: 200})
    lines = results_of(rally).overall
    assert [(line.place, line.entry.crew, line.total) for line in lines] == [
        (1, "Ana", 390),
        (1, "Bo", 390),
        (3, "Cem", 395),
    ]
    assert [line.entry.crew for line in results_of(rally).overall_lines(1)] == ["Bo", "Cem", "Ana"]


def test_penalties_of_a_stage_and_of_the_rally_count():
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/1", "1/3"), options={"checkpoints": False})
    olga = organiser_of(rally)
    drive(rally, 1, {ana: 200, bo: 205})
    services.give_penalty(by=olga, entry=ana, special_stage=stage_of(rally, 1), amount=10, reason="Jump start")
    services.give_penalty(by=olga, entry=bo, amount=-1, reason="Helped a crew")
    results = results_of(rally)
    assert [(line.entry.crew, line.total, line.added) for line in results.stage_lines(1)] == [
        ("Bo", 205, 0),
        ("Ana", 210, 10),
    ]
    assert [(line.entry.crew, line.total) for line in results.overall] == [("Bo", 204), ("Ana", 210)]


@pytest.mark.parametrize(
    ("typed", "field"),
    [({"amount": 0}, "amount"), ({"amount": 3601}, "amount"), ({"reason": " "}, "reason")],
)
def test_a_penalty_has_an_amount_and_a_reason(typed, field):
    rally, (ana, *_rest) = started()
    with pytest.raises(Refused) as refusal:
        services.give_penalty(**{"by": organiser_of(rally), "entry": ana, "amount": 5, "reason": "Late", **typed})
    assert refusal.value.field == field


@pytest.mark.parametrize("role", [Role.ORGANISER, Role.STEWARD])
def test_officials_who_drive_give_themselves_neither_bonus_nor_penalty(role):
    rally, (ana, bo, *_rest) = started()
    rally.club.memberships.filter(user=ana.driver).update(roles=[Role.DRIVER, role])
    with pytest.raises(Forbidden):
        services.give_penalty(by=ana.driver, entry=ana, amount=-60, reason="Well driven")
    with pytest.raises(Forbidden):
        services.give_penalty(by=ana.driver, entry=bo, amount=5, reason="Late")
    assert not ana.penalties.exists() and not bo.penalties.exists()


def test_drivers_give_no_penalties_and_nobody_before_the_start():
    _rally, (ana, bo, *_rest) = started()
    with pytest.raises(Forbidden):
        services.give_penalty(by=ana.driver, entry=bo, amount=5, reason="Late")
    waiting = make_rally()
    entry = services.enter_rally(by=organiser_of(waiting), rally=waiting, crew="Olga")
    with pytest.raises(Refused):
        services.give_penalty(by=organiser_of(waiting), entry=entry, amount=5, reason="Late")
