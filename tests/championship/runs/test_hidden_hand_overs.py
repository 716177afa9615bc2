"""Where turns are hidden, nobody learns from an organiser's hand-over that a car has moved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from championship.audit.services import by_token
from championship.clubs.models import Role
from championship.runs.play import call_off, hand_car_over, take_car_back
from engine import registry
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs import sealed_toy
from tests.championship.runs.desk_forms import Desk, codriven, logged, seat_of
from tests.championship.runs.sealed_toy import pick, table

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def toy() -> Iterator[None]:
    registry.add(sealed_toy.SealedToy())
    yield
    registry.remove(sealed_toy.NAME)


def test_where_turns_are_hidden_the_log_tells_of_one_turn_when_the_phase_has_closed() -> None:
    run, crew = table("Ana", "Bo", "Cem")
    ana, olga = crew["Ana"], organiser_of(run.special_stage.rally)
    hand_car_over(by=olga, entry=ana, how_long="turn", turns_made=0, reason="Is ill")
    assert logged() == []
    codriven(run)
    assert not seat_of(ana).codriver_drives and logged() == []
    pick(run, crew["Bo"])
    assert logged() == [], "the log would tell that Ana's turn is made"
    with by_token("Bo's program"):
        pick(run, crew["Cem"])
    told = {"driven_by": "codriver", "stage": 1, "how_long": "turn", "reason": "Is ill"}
    assert logged() == [("Olga Organiser", told)] and seat_of(ana).unlogged is None


def test_where_turns_are_hidden_a_turn_that_was_given_back_is_told_of_when_the_phase_has_closed() -> None:
    run, crew = table("Ana", "Bo")
    ana, olga = crew["Ana"], organiser_of(run.special_stage.rally)
    hand_car_over(by=olga, entry=ana, how_long="turn", turns_made=0)
    take_car_back(by=olga, entry=ana)
    pick(run, crew["Bo"])
    assert logged() == []
    pick(run, ana)
    assert [details["driven_by"] for _who, details in logged()] == ["codriver", "person"]


def test_a_next_turn_that_waits_is_not_told_of_when_the_phase_before_closes() -> None:
    run, crew = table("Ana", "Bo")
    ana, olga = crew["Ana"], organiser_of(run.special_stage.rally)
    pick(run, ana)
    hand_car_over(by=olga, entry=ana, how_long="turn", turns_made=1)
    pick(run, crew["Bo"])
    assert logged() == [] and seat_of(ana).handed_over == "turn"
    codriven(run)
    assert logged() == []
    pick(run, crew["Bo"])
    assert len(logged()) == 1, "the run is over"


def test_what_was_not_told_yet_is_told_when_the_rally_is_called_off() -> None:
    run, crew = table("Ana", "Bo")
    rally = run.special_stage.rally
    hand_car_over(by=organiser_of(rally), entry=crew["Ana"], how_long="turn", turns_made=0)
    call_off(by=organiser_of(rally), rally=rally, reason="Snow.")
    assert len(logged()) == 1


def test_an_organiser_who_drives_in_a_hidden_run_sees_nothing_of_the_wheel_of_others() -> None:
    run, crew = table("Ana", "Bo", "Cem")
    ana, bo, rally = crew["Ana"], crew["Bo"], run.special_stage.rally
    rally.club.memberships.filter(user=bo.driver).update(roles=[Role.DRIVER, Role.ORGANISER])
    rally.club.memberships.filter(user=organiser_of(rally)).update(roles=[Role.OWNER])
    desk = Desk(ana, bo.driver)
    before = desk.row()
    assert before.count('name="how_long"') == 1 and "you may hand this car over for good only" in before
    assert Desk(bo, bo.driver).row().count('name="how_long"') == 3
    hand_car_over(by=ana.driver, entry=ana, how_long="turn", turns_made=0)
    assert desk.row() == before
    codriven(run)
    assert desk.row() == before
    for act in (desk.hand_over("turn", seen="0 open"), desk.hand_over("stage"), desk.take_back()):
        assert act.status_code == 403 and "another organiser must do this" in act.text


def test_a_turn_that_is_made_together_with_the_close_of_the_phase_before_is_not_told_of() -> None:
    """The codriver closes a phase for Bo, and makes Ana's next turn right after it."""
    run, crew = table("Ana", "Bo")
    ana, bo, olga = crew["Ana"], crew["Bo"], organiser_of(run.special_stage.rally)
    pick(run, ana)
    hand_car_over(by=olga, entry=ana, how_long="turn", turns_made=1)
    hand_car_over(by=bo.driver, entry=bo, how_long="turn", turns_made=0)
    codriven(run)
    assert not seat_of(ana).codriver_drives and not seat_of(bo).codriver_drives
    assert run.status == "running" and logged() == []
    pick(run, bo)
    assert len(logged()) == 1
