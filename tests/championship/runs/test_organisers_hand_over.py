"""An organiser hands a car over from the desk, for one turn, for the stage or for good, and gives it back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from championship.clubs.models import Role
from championship.notices.models import Notice
from championship.notices.notice_text import in_words
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.models import CrewChange, Penalty
from championship.runs.models import Run, Seat, Turn
from championship.runs.play import act_on_deadlines, hand_car_over, take_car_back, take_wheel
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.championship.runs.desk_forms import Desk, codriven, logged, seat_of
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play
from tests.factories import make_member, make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

HOUR = timedelta(hours=1)


# The three lengths of time -----------------------------------------------------------------------------


def test_for_one_turn_it_is_logged_and_the_driver_is_told(at: Any) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = Desk(ana)
    assert f"The codriver drives one turn for {ana.crew}." in desk.hand_over("turn", reason="Is ill").text
    told = {"driven_by": "codriver", "stage": 1, "how_long": "turn", "reason": "Is ill"}
    assert logged() == [("Olga Organiser", told)]
    page = signed_in(ana.driver).get(ana.rally.get_absolute_url()).text
    assert "An organiser has handed over one turn of yours." in page and "Take the wheel back" in page
    assert "codriver: one turn" in desk.row()
    codriven(run)
    assert list(run.turns.exclude(ended_at=None).values_list("missed", "done")) == [(False, "given")]
    assert not seat_of(ana).codriver_drives and not Penalty.objects.exists() and not CrewChange.objects.exists()
    letter = Notice.objects.filter(kind="turn driven for you", recipient=ana.driver)[0]
    assert letter.context["done"] == "given"
    browser = signed_in(ana.driver)
    for shown in (browser.get(run.get_absolute_url()).text, browser.get(reverse("runs:mine")).text):
        assert "The codriver drove because an organiser had handed the car over" in shown
    assert "codriver: one turn" not in desk.row()


def test_the_letter_says_who_handed_the_turn_over(at: Any) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    Desk(ana).hand_over("turn")
    codriven(run)
    letter = Notice.objects.filter(kind="turn driven for you", recipient=ana.driver)[0]
    assert "an organiser has handed your turn to the codriver" in in_words(letter).text


def test_until_the_stage_is_over_results_and_log_name_the_organiser() -> None:
    run, (ana,) = on_the_road("Ana", stages=("1/1", "1/1"))
    desk = Desk(ana)
    assert "until this is over: Stage 1" in desk.hand_over("stage", reason="Is ill").text
    assert logged() == [("Olga Organiser", {"driven_by": "codriver", "stage": 1, "reason": "Is ill"})]
    change = CrewChange.objects.get()
    assert (change.by.name, change.reason, change.driver) == ("Olga Organiser", "Is ill", None)
    page = signed_in(ana.driver).get(ana.rally.get_absolute_url()).text
    assert "An organiser has handed the car over: the codriver drives until Stage 1 is over." in page
    assert "codriver: Stage 1" in desk.row()
    codriven(run)
    assert run.status == Run.Status.FINISHED
    assert ana.rally.stages.get(number=1).status == "time control", "the card stays with the driver"
    assert not Notice.objects.filter(kind="turn driven for you").exists(), "the page says it all the time"


def test_for_good_as_before_and_back_again(django_capture_on_commit_callbacks: Any) -> None:
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = Desk(ana)
    with django_capture_on_commit_callbacks(execute=False):
        assert f"The codriver drives for {ana.crew}." in desk.hand_over("rally", manner="bold", reason="Away").text
    ana.refresh_from_db()
    assert (ana.driven_by, ana.manner) == ("codriver", "bold")
    assert "Back to the driver" in desk.row() and "For how long?" not in desk.row()
    assert f"{ana.crew} drives again." in desk.take_back().text
    ana.refresh_from_db()
    assert ana.driven_by == "person"
    assert [details["driven_by"] for _who, details in logged()] == ["codriver", "person"]


@pytest.mark.parametrize("how_long", ["turn", "stage"])
def test_a_car_that_an_organiser_gives_back_has_all_its_time_again(how_long: str, at: Any) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = Desk(ana)
    at(clock.now() + HOUR)
    desk.hand_over(how_long)
    at(clock.now() + HOUR)
    assert f"{ana.crew} drives again." in desk.take_back().text
    assert open_turn(run).deadline == clock.now() + 24 * HOUR and not seat_of(ana).codriver_drives
    assert [details["driven_by"] for _who, details in logged()] == ["codriver", "person"]
    assert Notice.objects.filter(kind="turn waits", recipient=ana.driver, subject_key__contains="turn 1").exists()
    assert "The driver has the wheel." in desk.take_back().text


def test_its_driver_takes_the_car_back_with_the_time_that_was_left(at: Any) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    deadline = open_turn(run).deadline
    Desk(ana).hand_over("stage")
    at(clock.now() + HOUR)
    take_wheel(by=ana.driver, run=run)
    assert open_turn(run).deadline == deadline and not seat_of(ana).codriver_drives


def test_an_organiser_gives_back_what_the_driver_had_handed_over() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    hand_car_over(by=ana.driver, entry=ana, how_long="stage", turns_made=0)
    assert "You have handed the car over" in signed_in(ana.driver).get(run.get_absolute_url()).text
    Desk(ana).take_back()
    assert not seat_of(ana).codriver_drives
    assert [who for who, _details in logged()] == [ana.crew, "Olga Organiser"]


def test_the_next_turn_of_a_car_that_is_not_to_play() -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    desk = Desk(bo)
    assert "The next turn only" in desk.row() and "This turn only" in Desk(ana).row()
    play(run, ana, **careful_turn(run))
    desk.hand_over("turn")
    assert seat_of(bo).handed_over == "turn" and open_turn(run).seat.entry == ana
    play(run, ana, **careful_turn(run))
    codriven(run)
    assert Turn.objects.get(run=run, seat__entry=bo).done == Turn.Done.GIVEN


def test_an_organiser_who_drives_hands_over_the_own_car_as_its_driver(at: Any) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    ana.rally.club.memberships.filter(user=ana.driver).update(roles=[Role.DRIVER, Role.ORGANISER])
    deadline = open_turn(run).deadline
    desk = Desk(ana, ana.driver)
    desk.hand_over("turn")
    assert not seat_of(ana).by_organiser and logged() == []
    at(clock.now() + HOUR)
    desk.take_back()
    assert open_turn(run).deadline == deadline, "nobody gains time by handing the own car over"


# The form ----------------------------------------------------------------------------------------------


def test_the_form_is_the_drivers_with_the_smallest_choice_and_no_choice_before_the_start() -> None:
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    row = Desk(ana).row()
    assert 'name="how_long" value="turn" checked' in row and row.count('name="how_long"') == 3
    assert "Until Stage 1 is over" in row and "For good, until somebody takes the wheel back" in row
    assert 'name="manner"' in row and 'name="reason"' in row
    rally = make_rally()
    (dag,) = enter(rally, "Dag")
    row = Desk(dag).row()
    assert 'name="how_long" value="rally" checked' in row and row.count('name="how_long"') == 1
    Desk(dag).hand_over("rally")
    dag.refresh_from_db()
    assert dag.driven_by == "codriver"


@pytest.mark.parametrize("how_long", ["turn", "stage"])
def test_a_car_that_is_not_on_the_road_is_refused_in_words(how_long: str) -> None:
    rally = make_rally()
    (ana,) = enter(rally, "Ana")
    answer = Desk(ana).hand_over(how_long, reason="Is ill")
    assert answer.status_code == 409
    assert "This car is not on the road now: it can be handed over for good only." in Desk(ana).row(answer.text)


def test_what_was_typed_is_kept_beside_the_refusal() -> None:
    _run, (ana, bo) = on_the_road("Ana", "Bo")
    desk = Desk(ana)
    answer = desk.hand_over("stage", manner="bold", reason="x" * 201)
    row = desk.row(answer.text)
    assert answer.status_code == 422 and 'role="alert"' in row and '<details class="hand-over" open>' in row
    assert "x" * 201 in row and 'value="stage" checked' in row and 'value="bold" selected' in row
    assert 'aria-invalid="true"' in row and " open>" not in Desk(bo).row(answer.text)
    for typed in ({"how_long": "week"}, {"how_long": "turn", "manner": "reckless"}):
        assert desk.hand_over(**typed).status_code == 422
    assert not Seat.objects.exclude(handed_over="").exists() and logged() == []


def test_a_turn_that_was_made_meanwhile_is_refused_and_the_same_form_twice_hands_over_one_turn() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = Desk(ana)
    seen = f"{open_turn(run).pk} open"
    for _twice in range(2):
        assert desk.hand_over("turn", seen=seen).status_code == 200
    codriven(run)
    assert desk.hand_over("turn", seen=seen).status_code == 200
    assert not seat_of(ana).codriver_drives, "the codriver has driven that turn already"
    assert len(logged()) == 1
    seen = f"{open_turn(run).pk} open"
    play(run, ana, **careful_turn(run))
    answer = desk.hand_over("turn", seen=seen)
    assert answer.status_code == 409 and "This car has driven on meanwhile. Look again." in desk.row(answer.text)
    for nonsense in ("0 made now", "x open", "-1 open", "9" * 30 + " open", f"{open_turn(run).pk} open"):
        assert desk.hand_over("turn", seen=nonsense).status_code == 409
    assert not seat_of(ana).codriver_drives


def test_a_car_that_the_codriver_has_since_a_missed_deadline(at: Any) -> None:
    after_miss = {"after_miss": "stage", "hand_back_hours": 12}
    run, (ana, _bo) = on_the_road("Ana", "Bo", timekeeping=after_miss)
    at(open_turn(run).deadline)
    act_on_deadlines(now=clock.now())
    assert seat_of(ana).codriver_since and not seat_of(ana).handed_over
    desk = Desk(ana)
    assert desk.row().count('name="how_long"') == 1, "for good only"
    answer = desk.take_back()
    assert answer.status_code == 422 and "only the driver can take it back" in answer.text
    with pytest.raises(Stale, match="has the wheel already"):
        hand_car_over(by=organiser_of(ana.rally), entry=ana, how_long="stage", turns_made=1)


def test_the_desk_asks_one_query_for_all_cars() -> None:
    counted = []
    for names in (("Ana", "Bo"), ("Ana", "Bo", "Cem", "Dag", "Eva")):
        _run, entries = on_the_road(*names)
        desk = Desk(entries[0])
        with CaptureQueriesContext(connection) as queries:
            assert "For how long?" in desk.shown
        counted.append(sum("newest_turn" in query["sql"] for query in queries))
    assert counted == [1, 1]


# Who may -----------------------------------------------------------------------------------------------


def test_only_organisers_of_the_club_and_only_its_own_entries() -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    steward = make_member(ana.rally.club, roles=[Role.STEWARD])
    for who, status in ((bo.driver, 403), (steward, 403), (make_user(), 404)):
        desk = Desk(ana, who)
        assert desk.hand_over("stage", seen="0 open").status_code == status
        assert desk.take_back().status_code == status
    other = make_rally(by=organiser_of(ana.rally), club=ana.rally.club)
    olga = signed_in(organiser_of(ana.rally))
    for name in ("runs:desk_hand_over", "runs:desk_take_back"):
        assert olga.post(reverse(name, args=[other.key, ana.pk]), {"how_long": "stage"}).status_code == 404
        assert olga.get(reverse(name, args=[ana.rally.key, ana.pk])).status_code == 405
    assert not run.seats.exclude(handed_over="").exists()


def test_the_services_check_the_organiser_themselves() -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    for how_long in ("turn", "stage", "rally"):
        with pytest.raises(Forbidden):
            hand_car_over(by=bo.driver, entry=ana, how_long=how_long, turns_made=0)
    with pytest.raises(Forbidden):
        take_car_back(by=bo.driver, entry=ana)
    hand_car_over(by=ana.driver, entry=ana, how_long="stage", turns_made=0)
    with pytest.raises(Forbidden):
        take_car_back(by=bo.driver, entry=ana)
    run.seats.update(codriver_since=None, handed_over="")
    Run.objects.update(status="finished", finished_at=clock.now())
    for act in (lambda: hand_car_over(by=bo.driver, entry=ana, how_long="turn", turns_made=0),
                lambda: take_car_back(by=bo.driver, entry=ana)):  # fmt: skip
        with pytest.raises(Forbidden):
            act()
    with pytest.raises(Stale, match="The driver has the wheel"):
        take_car_back(by=organiser_of(ana.rally), entry=ana)
    with pytest.raises(Stale, match="You have the wheel"):
        take_car_back(by=ana.driver, entry=ana)


@pytest.mark.parametrize("how_long", ["turn", "stage"])
def test_an_organiser_who_drives_needs_the_one_who_does_not(how_long: str) -> None:
    _run, (ana, bo) = on_the_road("Ana", "Bo")
    rally = ana.rally
    rally.club.memberships.filter(user=bo.driver).update(roles=[Role.DRIVER, Role.ORGANISER])
    desk = Desk(ana, bo.driver)
    answer = desk.hand_over(how_long)
    assert answer.status_code == 403 and "You drive in this rally" in desk.row(answer.text)
    rally.club.memberships.filter(user=organiser_of(rally)).update(roles=[Role.OWNER])
    assert desk.hand_over(how_long).status_code == 200
    [(who, details)] = logged()
    assert who == bo.crew and details["author_drives"] is True


def test_a_reason_that_is_too_long_is_refused_by_the_service() -> None:
    _run, (ana, _bo) = on_the_road("Ana", "Bo")
    with pytest.raises(Refused) as refused:
        hand_car_over(by=organiser_of(ana.rally), entry=ana, how_long="turn", turns_made=0, reason="x" * 201)
    assert refused.value.field == "reason"
    rallies.set_driven_by(by=ana.driver, entry=ana, driven_by="codriver")
    with pytest.raises(Stale):
        hand_car_over(by=organiser_of(ana.rally), entry=ana, how_long="turn", turns_made=0)
