"""Handing the wheel to the codriver for one turn, for the rest of the stage or for good, and taking it back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.control.services.control_deadlines import close_overdue_time_controls
from championship.rallies.models import AwaitedCard, CrewChange, Entry, Penalty, Rally, SpecialStage, TimeControlCard
from championship.rallies.results.selectors import results_of
from championship.runs.models import Run, Seat, Turn
from championship.runs.play import act_on_deadlines, drive_codrivers, hand_over_wheel, take_wheel
from championship.runs.watch.selectors import run_page
from engine import registry
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play
from tests.factories import make_member, signed_in
from tests.games.dust.pages.scenes import on_the_road as dusty
from tests.games.formula_d.pages.tables import on_the_grid, playing

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

HOUR = timedelta(hours=1)
COSTLY = {"miss_penalty": 40, "after_miss": "stage", "hand_back_hours": 12, "retire_after": 2}
"""Rules under which every missed deadline shows."""


def hand_over(run: Run, entry: Entry, how_long: str, made: int = 0, manner: str = "") -> None:
    hand_over_wheel(by=entry.driver, run=run, how_long=how_long, turns_made=made, manner=manner)


def codriven(run: Run) -> None:
    while drive_codrivers(run_id=run.pk):
        pass
    run.refresh_from_db()


def seat_of(run: Run, entry: Entry) -> Seat:
    return run.seats.select_related("entry__driver", "run__special_stage__rally").get(entry=entry)


def done(run: Run, entry: Entry) -> list[tuple[bool, str]]:
    ended = run.turns.filter(seat__entry=entry).exclude(ended_at=None)
    return list(ended.order_by("number").values_list("missed", "done"))


def test_for_one_turn_the_codriver_drives_that_turn_and_no_other(at: Any) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo", timekeeping=COSTLY)
    hand_over(run, ana, "turn")
    codriven(run)
    assert done(run, ana) == [(False, "handed")]
    assert not seat_of(run, ana).codriver_drives, "the wheel is the driver's again"
    turn = open_turn(run)
    assert (turn.number, turn.seat.entry, turn.deadline) == (2, ana, clock.now() + 24 * HOUR)
    assert Notice.objects.filter(kind="turn waits", recipient=ana.driver, subject_key__endswith="turn 2").exists()
    assert not Penalty.objects.exists() and not CrewChange.objects.exists()


def test_the_next_turn_may_be_handed_over_before_it_comes() -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    play(run, ana, **careful_turn(run))
    hand_over(run, bo, "turn")
    assert open_turn(run).seat.entry == ana
    play(run, ana, **careful_turn(run))
    codriven(run)
    assert done(run, bo) == [(False, "handed")] and open_turn(run).seat.entry == ana
    assert not Notice.objects.filter(kind="turn waits", recipient=bo.driver).exists(), "nobody waits for Bo"


def test_a_deadline_that_passes_while_the_codriver_has_the_wheel_is_not_missed(at: Any) -> None:
    """The worker's message is lost, and the sweep drives the turn long after its driver's time would be over."""
    run, (ana, _bo) = on_the_road("Ana", "Bo", timekeeping=COSTLY)
    hand_over(run, ana, "turn")
    at(clock.now() + 40 * HOUR)
    assert act_on_deadlines(now=clock.now()) == 1
    assert done(run, ana) == [(False, "handed")]
    assert not Penalty.objects.exists() and not seat_of(run, ana).codriver_drives


def test_until_the_stage_is_over_the_codriver_drives_and_the_card_stays_with_the_driver(at: Any) -> None:
    run, (ana,) = on_the_road("Ana", stages=("1/1", "1/1"))
    at(clock.now() + HOUR)
    hand_over(run, ana, "stage")
    codriven(run)
    assert run.status == Run.Status.FINISHED
    rally = Rally.objects.get(pk=ana.rally_id)
    first = rally.stages.get(number=1)
    assert first.status == SpecialStage.Status.TIME_CONTROL and not TimeControlCard.objects.exists()
    rallies.submit_time_control(by=ana.driver, special_stage=first, decision=a_card(ana))
    second = Run.objects.get(special_stage__rally=rally, special_stage__number=2)
    assert not seat_of(second, ana).codriver_drives
    told = results_of(rally).stage_lines(1)[0].drivers_in_words()
    assert told == ["from stage 1 driven by the codriver", "the codriver stood in on stage 1"]
    changes = CrewChange.objects.order_by("pk").values_list("special_stage__number", "driver")
    assert list(changes) == [(1, None), (2, ana.driver_id)]


def a_card(entry: Entry) -> dict[str, Any]:
    """Decisions of time control that take nothing."""
    asked = signed_in(entry.driver).get(f"/rallies/{entry.rally.key}/stages/1/control/")
    return {name: 0 for name in asked.context["form"].fields if name == "penalties"}


@pytest.mark.parametrize("how_long", ["turn", "stage"])
def test_the_wheel_may_be_taken_back_at_any_time_with_the_time_that_was_left(how_long: str, at: Any) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    deadline = open_turn(run).deadline
    at(clock.now() + HOUR)
    hand_over(run, ana, how_long)
    assert open_turn(run).deadline == clock.now()
    with pytest.raises(Forbidden, match="has the wheel"):
        play(run, ana, **careful_turn(run))
    at(clock.now() + HOUR)
    take_wheel(by=ana.driver, run=run)
    assert open_turn(run).deadline == deadline, "nobody gains time by handing the car over"
    codriven(run)
    assert open_turn(run).seat.entry == ana
    with pytest.raises(Stale):
        take_wheel(by=ana.driver, run=run)


def test_one_form_hands_over_one_turn_however_often_it_is_sent() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    hand_over(run, ana, "turn", made=0)
    hand_over(run, ana, "turn", made=0)
    codriven(run)
    hand_over(run, ana, "turn", made=0)
    assert not seat_of(run, ana).codriver_drives, "the codriver has driven that turn already"
    play(run, ana, **careful_turn(run))
    with pytest.raises(Stale, match="driven on"):
        hand_over(run, ana, "turn", made=1)
    assert not seat_of(run, ana).codriver_drives


def test_what_is_refused_changes_nothing() -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    wrong: list[tuple[Any, dict[str, Any], type[Exception]]] = [
        (ana.driver, {"how_long": "week"}, Refused),
        (ana.driver, {"how_long": "turn", "manner": "reckless"}, Refused),
        (make_member(ana.rally.club), {"how_long": "turn"}, Forbidden),
    ]
    for by, asked, error in wrong:
        with pytest.raises(error):
            hand_over_wheel(by=by, run=run, turns_made=0, **asked)
    rallies.set_driven_by(by=bo.driver, entry=bo, driven_by="codriver")
    with pytest.raises(Stale):
        hand_over(run, bo, "stage")
    assert not run.seats.exclude(handed_over="").exists()


def test_a_car_handed_over_for_good_drops_an_earlier_hand_over(django_capture_on_commit_callbacks: Any) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    hand_over(run, ana, "stage")
    for whom in ("codriver", "person"):
        with django_capture_on_commit_callbacks(execute=False) as kept:
            rallies.set_driven_by(by=ana.driver, entry=ana, driven_by=whom)
        kept[0]() if whom == "person" else None
    assert not seat_of(run, ana).codriver_drives


def test_the_codriver_drives_in_the_manner_that_was_chosen() -> None:
    run, (ana,) = on_the_road("Ana", stages=("4/1",))
    orders = registry.get(run.game).autopilot(run.state, str(ana.start_number), "bold")
    assert orders != registry.get(run.game).autopilot(run.state, str(ana.start_number), "cautious")
    hand_over(run, ana, "turn", manner="bold")
    codriven(run)
    assert run.posts.filter(turn__isnull=False).order_by("number")[0].orders == orders


# For good ---------------------------------------------------------------------------------------------


def test_a_car_handed_over_for_good_leaves_the_card_to_its_driver_until_its_deadline(at: Any) -> None:
    run, (ana,) = on_the_road("Ana", stages=("1/1", "1/1"))
    at(clock.now() + HOUR)
    rallies.set_driven_by(by=ana.driver, entry=ana, driven_by="codriver")
    codriven(run)
    first = SpecialStage.objects.get(rally=ana.rally_id, number=1)
    assert first.status == SpecialStage.Status.TIME_CONTROL
    row = AwaitedCard.objects.get()
    assert row.deadline == clock.now() + 24 * HOUR
    assert Notice.objects.filter(kind="time control waits", recipient=ana.driver).exists()
    assert "Hand in your card" in signed_in(ana.driver).get(reverse("runs:mine")).text
    at(row.deadline + HOUR)
    assert close_overdue_time_controls(now=clock.now()) == 1
    assert TimeControlCard.objects.get().by is None


def test_time_control_waits_for_no_card_of_a_car_that_an_organiser_handed_over(at: Any) -> None:
    run, (ana,) = on_the_road("Ana", stages=("1/1", "1/1"))
    at(clock.now() + HOUR)
    rallies.set_driven_by(by=organiser_of(ana.rally), entry=ana, driven_by="codriver")
    codriven(run)
    assert SpecialStage.objects.get(rally=ana.rally_id, number=1).status == SpecialStage.Status.DONE


# The form ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["rally", "run"])
def test_the_form_asks_for_how_long_and_the_smallest_answer_is_chosen(page: str) -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    browser = signed_in(ana.driver)
    address = run.get_absolute_url() if page == "run" else ana.rally.get_absolute_url()
    shown = browser.get(address).text
    assert 'name="how_long" value="turn" checked' in shown and "This turn only" in shown
    assert shown.count('name="how_long"') == 3 and 'name="turns_made" value="0"' in shown
    assert "My next turn only" in signed_in(bo.driver).get(address).text
    target = reverse("runs:hand_over", args=[ana.rally.key, ana.pk])
    answer = browser.post(target, {"how_long": "stage", "turns_made": "0", "from": page}, follow=True)
    assert f"The codriver drives for {ana.crew} until this is over: Stage 1." in answer.text
    assert "Take the wheel back" in answer.text and seat_of(run, ana).handed_over == "stage"
    assert signed_in(bo.driver).post(target, {"how_long": "turn", "turns_made": "0"}).status_code == 404
    assert browser.post(reverse("runs:wheel", args=[run.key])).status_code == 302
    assert not seat_of(run, ana).codriver_drives


def test_for_good_from_the_form_and_back() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    browser = signed_in(ana.driver)
    target = reverse("runs:hand_over", args=[ana.rally.key, ana.pk])
    assert "until you take the wheel back" in browser.post(target, {"how_long": "rally"}, follow=True).text
    ana.refresh_from_db()
    assert ana.driven_by == "codriver"
    assert "Drive again yourself" in browser.get(ana.rally.get_absolute_url()).text
    assert "Drive again yourself" in browser.get(run.get_absolute_url()).text


def test_nobody_else_learns_that_a_single_turn_is_handed_over() -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    before = signed_in(bo.driver).get(f"/runs/{run.key}/changes/").headers.get("ETag")
    hand_over(run, ana, "turn")
    seen = {viewer: run_page(run, viewer.driver).seats[0].codriver_drives for viewer in (ana, bo)}
    assert list(seen.values()) == [True, False]
    assert signed_in(bo.driver).get(f"/runs/{run.key}/changes/").headers.get("ETag") == before
    hand_over(run, ana, "stage")
    assert run_page(run, bo.driver).seats[0].codriver_drives
    assert Turn.objects.filter(run=run).count() == 1


# The form on the page of a run ---------------------------------------------------------------------


def tables() -> dict[str, tuple[Run, Entry]]:
    """A run of each game, with the entry whose turn it is; at the end one whose driver waits."""
    (dirt, (ana, bo)), (dust, (cy, _di)) = on_the_road("Ana", "Bo"), dusty("Cy", "Di")
    race, _entries = on_the_grid("Eva", "Fox", start_roll=False)
    return {"dirt": (dirt, ana), "dust": (dust, cy), "formula_d": (race, playing(race)), "waiting": (dirt, bo)}


ENDS = {"dirt": 'id="plan"', "dust": 'id="send"', "formula_d": 'id="drive"', "waiting": "is to play."}
"""What the fold comes behind: the form of the turn."""


def test_the_fold_comes_right_behind_the_form_of_the_turn() -> None:
    for name, (run, entry) in tables().items():
        page = signed_in(entry.driver).get(run.get_absolute_url()).content.decode()
        panel = page.split('id="panel"')[1].split('id="rest"')[0]
        assert panel.count('id="hand-over"') == 1 and page.count('id="hand-over"') == 1, name
        fold = panel.index('id="hand-over"')
        assert panel.index(ENDS[name]) < fold, name
        later = 'id="ahead"' if name == "waiting" else 'class="giving-up"'
        assert fold < panel.index(later), name
        assert ('href="#hand-over"' in panel) == (name != "waiting"), name


def test_who_cannot_hand_over_finds_no_link_to_a_fold() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    hand_over(run, ana, "stage")
    for reader in (ana.driver, organiser_of(ana.rally)):
        page = signed_in(reader).get(run.get_absolute_url()).content.decode()
        assert "#hand-over" not in page and 'id="hand-over"' not in page
    assert "Take the wheel back" in signed_in(ana.driver).get(run.get_absolute_url()).content.decode()
