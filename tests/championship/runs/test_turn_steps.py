"""A turn step by step through the page's forms: roll, secure, stop, SISU, accept, lay again, spare wheel.

Where a test depends on luck, `with_luck` gives the run a secret that brings it.
"""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from championship.runs.models import Event, Run
from championship.runs.play import rebuild
from engine import registry
from engine.chance import SECRET_BYTES, SeededChance
from tests.championship.runs.factories import (
    alert_on,
    all_but_the_first_are_home,
    all_of,
    desk_of,
    on_the_road,
    open_turn,
    post,
    put,
    send,
    too_fast,
    with_luck,
)

pytestmark = pytest.mark.django_db

LONG = "1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2"
"""Four moves on stage 1/1, all within the limits."""


def page_of(desk, run):
    return desk.get(run.get_absolute_url()).content.decode()


def me(run, entry):
    run.refresh_from_db()
    return run.state["drivers"][str(entry.start_number)]


def kinds(run, post_number):
    return list(run.events.filter(post__number=post_number).order_by("number").values_list("kind", flat=True))


def buttons(desk, run):
    """The buttons of the driver in the middle of a turn, without those for giving up and standing orders."""
    return set(re.findall(r'<button[^>]*name="do" value="(\w+)"', page_of(desk, run))) - {"retire", "standing"}


def warnings_come(run, count):
    """Give the run luck: its next roll brings the warnings of the turn to `count`."""
    with_luck(run, {"do": "roll"}, lambda state: state["turn"] and state["turn"]["warnings"] == count)


def test_one_by_one_each_roll_moves_the_car_one_space():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    send(desk, run, do="lay", plan=LONG, roll="one by one")
    assert me(run, ana)["space"] == "grid"
    assert buttons(desk, run) == {"roll", "sisu"}, "nobody stops before the first move (D9), or pays with nothing"
    warnings_come(run, 0)
    send(desk, run, do="roll")
    assert (me(run, ana)["space"], me(run, ana)["gear"]) == ("1.2.l", 1)
    warnings_come(run, 1)
    send(desk, run, do="roll")
    assert (me(run, ana)["space"], me(run, ana)["gear"]) == ("1.3.l", 2)
    assert buttons(desk, run) == {"roll", "stop", "sisu"}
    assert 'data-count="1"' in page_of(desk, run)
    assert run.turns.count() == 1, "it is one turn still"


def test_stopping_draws_the_time_card_of_the_gear_and_the_next_is_to_play():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    send(desk, run, do="lay", plan=LONG, roll="one by one")
    for _move in range(2):
        warnings_come(run, 0)
        send(desk, run, do="roll")
    assert send(desk, run, do="stop").status_code == 302
    assert me(run, ana)["cards"] == [40], "gear 2"
    assert kinds(run, 4) == ["card", "end of turn", "round"]
    assert open_turn(run).number == 2
    assert rebuild(run=run) == run.state


def test_stopping_before_the_first_move_is_refused():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    send(desk, run, do="lay", plan=LONG, roll="one by one")
    before = all_of(run)
    answer = post(desk, run, do="stop")
    assert answer.status_code == 422
    assert alert_on(answer).startswith("D9 ")
    assert all_of(run) == before


def test_securing_costs_seconds_won_before_and_more_with_each_die():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    put(run, ana, tokens=4)
    desk = desk_of(ana)
    send(desk, run, do="lay", plan=LONG, roll="one by one")
    assert "Secure for 1 s" in page_of(desk, run)
    send(desk, run, do="secure")
    assert me(run, ana)["tokens"] == 3
    assert "Secure for 2 s" in page_of(desk, run)
    send(desk, run, do="secure")
    assert me(run, ana)["tokens"] == 1
    assert "secure" not in buttons(desk, run), "the third costs 3 s"
    before = all_of(run)
    answer = post(desk, run, do="secure")
    assert answer.status_code == 422
    assert alert_on(answer).startswith("R3 ")
    assert "3 s" in alert_on(answer)
    assert all_of(run) == before
    assert not Event.objects.filter(run=run, kind="roll").exists()


def test_flat_out_wins_seconds_and_ends_the_turn_at_once():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    orders = {"do": "lay", "plan": LONG, "roll": "flat out"}
    with_luck(run, orders, lambda state: state["turn"] is None)
    assert send(desk_of(ana), run, **orders).status_code == 302
    assert me(run, ana)["tokens"] == 4
    assert me(run, ana)["space"] == "2.1.o2"
    assert open_turn(run).number == 2


def a_loss_flat_out(run, plan=LONG):
    """Orders to roll flat out with which Ana loses control by the third warning. The run gets the luck for it."""
    orders = {"do": "lay", "plan": plan, "roll": "flat out"}
    with_luck(run, orders, lambda state: state["turn"] and state["turn"]["rule"] == "R2")
    return orders


def test_after_a_loss_flat_out_the_dice_are_laid_again_up_to_where_control_is_lost():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    send(desk, run, **a_loss_flat_out(run))
    assert run.turns.count() == 1
    page = page_of(desk, run)
    assert "you choose where, and in which gear" in page
    assert me(run, ana)["space"] == "grid", "the car has not moved yet"
    for wrong, rule in (("", "R6"), ("6:1.2.l", "D4"), ("1:1.2.l", "R6"), ("1:1.2.l 3:1.3.l", "D4")):
        before = all_of(run)
        answer = post(desk, run, do="relay", plan=wrong)
        assert answer.status_code == 422
        assert alert_on(answer).startswith(f"{rule} "), wrong
        assert all_of(run) == before
    assert send(desk, run, do="relay", plan=losing_plan(desk, run)).status_code == 302
    assert me(run, ana)["gear"] == 0 or me(run, ana)["cards"] == [10], "a spin, a crash, or the card says SISU"
    assert "loss" in kinds(run, 2)
    assert open_turn(run).number == 2
    assert rebuild(run=run) == run.state


def losing_plan(desk, run):
    """A plan laid again with the links of the page, up to the move where control is lost."""
    plan = ""
    while not (shown := desk.get(run.get_absolute_url(), {"plan": plan}).context)["can_lay"]:
        move = next((move for move in shown["moves"] if move.loses), shown["moves"][0])
        plan = parse_qs(urlsplit(move.href).query)["plan"][0]
    return plan


def test_the_sisu_token_saves_a_turn_that_was_lost_flat_out():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    send(desk, run, **a_loss_flat_out(run))
    assert "sisu" in buttons(desk, run)
    assert "3 warnings do not count: control is kept" in page_of(desk, run)
    assert send(desk, run, do="sisu").status_code == 302
    assert me(run, ana)["space"] == "2.1.o2"
    assert me(run, ana)["sisu"] is False
    assert me(run, ana)["tokens"] == 4
    assert "loss" not in kinds(run, 2)


def test_the_sisu_token_is_not_offered_where_warnings_are_not_the_cause():
    """The car is too fast for a space of its plan: the token would be spent, and control lost all the same."""
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk, plan = desk_of(ana), too_fast(run, ana)
    send(desk, run, do="lay", plan=plan, roll="flat out")
    assert run.turns.count() == 1 and "Control is lost" in page_of(desk, run)
    assert "sisu" not in buttons(desk, run)
    assert me(run, ana)["sisu"] is True


def test_one_tap_chooses_where_control_is_lost():
    """Each button sends a whole re-lay. All of them are legal, and lead to different spots."""
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk, plan = desk_of(ana), too_fast(run, ana)
    send(desk, run, do="lay", plan=plan, roll="flat out")
    spots = desk.get(run.get_absolute_url()).context["spots"]
    assert len(spots) > 1 and len({(spot.space, spot.gear) for spot in spots}) == len(spots)
    tray = page_of(desk, run).split('class="tray relay"')[1]
    run.refresh_from_db()
    for spot in spots:
        assert f'name="plan" value="{spot.plan}"' in tray
        orders = {"do": "relay", "plan": spot.plan}
        state, _events = registry.get("dirt").play(
            run.state, str(ana.start_number), orders, SeededChance(bytes(SECRET_BYTES))
        )
        assert state["drivers"][str(ana.start_number)]["space"] == spot.space
    farthest = spots[0]
    assert send(desk, run, do="relay", plan=farthest.plan).status_code == 302
    assert "loss" in kinds(run, 2)
    assert me(run, ana)["space"] == farthest.space


def test_a_third_warning_one_by_one_may_be_accepted():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    send(desk, run, do="lay", plan=LONG, roll="one by one")
    for count in (1, 2, 3):
        warnings_come(run, count)
        send(desk, run, do="roll")
    assert run.turns.count() == 1
    assert buttons(desk, run) == {"sisu", "accept"}
    assert "One warning too many: loss of control" in page_of(desk, run)
    assert send(desk, run, do="accept").status_code == 302
    assert kinds(run, 5)[0] == "loss"
    assert me(run, ana)["sisu"] is True, "the token is kept"
    assert open_turn(run).number == 2


def test_a_third_warning_one_by_one_may_be_shrugged_off_once():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    send(desk, run, do="lay", plan=LONG, roll="one by one")
    for count in (1, 2, 3):
        warnings_come(run, count)
        send(desk, run, do="roll")
    assert send(desk, run, do="sisu").status_code == 302
    assert me(run, ana)["space"] == "2.1.o1"
    assert buttons(desk, run) == {"roll", "stop"}
    before = all_of(run)
    assert post(desk, run, do="sisu").status_code == 422
    assert all_of(run) == before
    send(desk, run, do="roll")
    assert me(run, ana)["space"] == "2.1.o2", "with three warnings the car drives on"
    assert "loss" not in kinds(run, 6)


def test_without_a_token_the_third_warning_loses_control_at_once():
    run, (ana, _bo) = on_the_road("Ana", "Bo", options={"sisu": "none"})
    desk = desk_of(ana)
    send(desk, run, do="lay", plan=LONG, roll="one by one")
    for count in (1, 2):
        warnings_come(run, count)
        send(desk, run, do="roll")
    with_luck(run, {"do": "roll"}, lambda state: state["turn"] is None)
    send(desk, run, do="roll")
    assert "loss" in kinds(run, 4)


TICKED = {"do": "lay", "plan": LONG, "roll": "flat out", "sisu": True}


def test_the_token_ticked_with_the_plan_is_played_where_it_keeps_control():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    shown = desk.get(run.get_absolute_url(), {"plan": "1:1.2.l"}).content.decode()
    assert 'name="sisu"' in shown and "Otherwise you keep it." in shown
    with_luck(run, TICKED, lambda state: not state["drivers"][str(ana.start_number)]["sisu"])
    send(desk, run, do="lay", plan=LONG, roll="flat out", sisu="on")
    assert me(run, ana)["sisu"] is False
    assert me(run, ana)["space"] == "2.1.o2"
    assert "Plays the SISU token" in page_of(desk, run)
    assert 'name="sisu"' not in desk.get(run.get_absolute_url(), {"plan": "1:1.2.l"}).content.decode()


def test_the_token_ticked_with_the_plan_stays_where_control_is_kept_without_it():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    with_luck(run, TICKED, lambda state: state["drivers"][str(ana.start_number)]["sisu"])
    send(desk_of(ana), run, do="lay", plan=LONG, roll="flat out", sisu="on")
    assert me(run, ana)["sisu"] is True
    assert me(run, ana)["space"] == "2.1.o2"
    shown = page_of(desk_of(bo), run)
    assert "Flat out with" in shown and "the SISU token" not in shown, "the log has nothing to say of it"


def test_the_token_ticked_with_the_plan_stays_where_it_cannot_help():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk, plan = desk_of(ana), too_fast(run, ana)
    send(desk, run, do="lay", plan=plan, roll="flat out", sisu="on")
    assert me(run, ana)["sisu"] is True
    assert kinds(run, 1)[-2:] == ["phase", "sisu stays"]
    assert "The SISU token would not keep control: it stays with the driver." in page_of(desk, run)


def test_between_two_rolls_the_token_is_held_ready():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    send(desk, run, do="lay", plan=LONG, roll="one by one")
    assert "only if a warning would end the turn" in page_of(desk, run)
    send(desk, run, do="sisu")
    assert me(run, ana)["sisu"] is True and buttons(desk, run) == {"roll"}
    assert "SISU is ready" in page_of(desk, run)
    for count in (1, 2, 3):
        warnings_come(run, count)
        send(desk, run, do="roll")
    assert me(run, ana)["sisu"] is False and buttons(desk, run) == {"roll", "stop"}
    assert "SISU: they do not count" in page_of(desk, run) and "SISU is ready" not in page_of(desk, run)


@pytest.mark.parametrize(("take", "damage", "seconds"), [("yes", 0, None), ("no", 1, 50)])
def test_in_gear_1_with_damage_the_spare_wheel_is_offered(take, damage, seconds):
    """E4. The damage is set on the dashboard without events."""
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    put(run, ana, kept=[["coast", "coast/ok"]])
    desk = desk_of(ana)
    send(desk, run, do="lay", plan="1:1.2.l", roll="one by one")
    send(desk, run, do="roll")
    page = page_of(desk, run)
    assert "Take the spare wheel" in page
    assert run.turns.count() == 1
    assert send(desk, run, do="spare", take=take).status_code == 302
    assert len(me(run, ana)["kept"]) == damage
    assert me(run, ana)["spare"] is (take == "no")
    assert me(run, ana)["cards"] == [run.options["spare_seconds"] if seconds is None else seconds]
    assert open_turn(run).number == 2


def test_the_last_move_over_the_line_ends_the_stage():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    move = all_but_the_first_are_home(run)
    put(run, ana, tokens=5)
    desk = desk_of(ana)
    send(desk, run, do="lay", plan=move, roll="one by one")
    with_luck(run, {"do": "roll"}, lambda state: state["over"])
    answer = desk.post(f"/runs/{run.key}/turn/", {"version": 1, "key": "k", "do": "roll"}, follow=True)
    assert answer.status_code == 200
    assert "The stage is over." in answer.content.decode()
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert run.finished_at is not None
    assert not run.turns.filter(ended_at=None).exists()
    assert ana.times.get(special_stage=run.special_stage).measure == sum(me(run, ana)["cards"]) - 5
