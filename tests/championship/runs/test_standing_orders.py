"""Standing orders: one post makes the whole turn as its driver decided beforehand. And giving up."""

import re

import pytest

from championship.platform.refusals import Refused
from championship.runs.models import Draft, Event, Run
from championship.runs.play import drive_due, play_turn, rebuild
from championship.runs.watch.proof import record_of
from engine import record, registry
from tests.championship.runs.factories import (
    alert_on,
    all_but_the_first_are_home,
    all_of,
    desk_of,
    driven_to_the_end,
    fresh_key,
    lay_draft,
    on_the_road,
    open_turn,
    play,
    post,
    put,
    with_luck,
)

pytestmark = pytest.mark.django_db

LONG = "1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2"
"""Four moves on stage 1/1, all within the limits."""
SO = {"do": "standing", "plan": LONG, "roll": "one by one", "stop_at": "2"}


def kinds(run):
    return list(run.events.order_by("number").values_list("kind", flat=True))


def test_one_post_makes_the_whole_turn():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    with_luck(run, {**SO, "stop_at": 2}, lambda state: state["drivers"][str(ana.start_number)]["space"] == "2.1.o2")
    assert post(desk_of(ana), run, **SO).status_code == 302
    assert run.posts.count() == 1
    assert kinds(run)[:9] == ["turn", *["roll", "move"] * 4]
    assert open_turn(run).number == 2
    run.refresh_from_db()
    assert rebuild(run=run) == run.state
    page = desk_of(ana).get(run.get_absolute_url()).content.decode()
    assert "Drives to 2.1 drift 2" in page


def test_the_turn_stops_at_the_number_of_warnings_in_the_orders():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    with_luck(run, {**SO, "stop_at": 1}, lambda state: state["drivers"][str(ana.start_number)]["space"] == "1.3.l")
    post(desk_of(ana), run, **{**SO, "stop_at": "1"})
    assert Event.objects.filter(run=run, kind="roll").count() == 2
    assert "loss" not in kinds(run)


def test_standing_orders_draw_the_same_as_single_steps():
    """Two runs with the same secret: one turn by one post, the other step by step."""
    (run, (ana,)), (other, (cem,)) = on_the_road("Ana"), on_the_road("Cem")
    for each in (run, other):
        Run.objects.filter(pk=each.pk).update(secret=bytes(range(32)))
    play(run, ana, do="standing", plan=LONG, roll="one by one", stop_at=2)
    play(other, cem, do="lay", plan=LONG, roll="one by one")
    while other.turns.count() == 1:
        half = other.state["turn"]
        play(other, cem, do="stop" if half["made"] and half["warnings"] >= 2 else "roll")
    told = [list(each.events.order_by("number").values_list("data", flat=True)) for each in (run, other)]
    assert told[0] == told[1]
    assert run.drawn == other.drawn
    assert run.state == other.state


def test_standing_orders_sent_twice_are_rolled_once():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    first = post(desk_of(ana), run, version=0, key="once", **SO)
    after = all_of(run)
    again = post(desk_of(ana), run, version=0, key="once", **SO)
    assert (first.status_code, again.status_code) == (302, 302)
    assert all_of(run) == after


def test_the_record_of_a_run_with_standing_orders_is_valid():
    run, (ana, bo) = on_the_road("Ana", "Bo", stages=("4/1",))
    rules = registry.get(run.game)
    for _turn in range(6):
        entry = open_turn(run).seat.entry
        orders = rules.autopilot(run.state, str(entry.start_number))
        play(run, entry, do="standing", plan=orders["plan"], roll=orders["roll"], as_laid=True, stop_at=None)
    driven_to_the_end(run, ana, bo)
    assert record.verify(record_of(run)) is None
    assert rebuild(run=run) == run.state


def test_a_loss_flat_out_waits_for_the_driver_unless_the_orders_keep_the_plan_as_laid():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    flat = {"do": "standing", "plan": LONG, "roll": "flat out"}
    with_luck(run, flat, lambda state: state["turn"] and state["turn"]["rule"] == "R2")
    post(desk_of(ana), run, **flat)
    assert run.turns.count() == 1
    assert "you choose where, and in which gear" in desk_of(ana).get(run.get_absolute_url()).content.decode()

    other, (cem, _dag) = on_the_road("Cem", "Dag")
    with_luck(other, flat, lambda state: state["turn"] and state["turn"]["rule"] == "R2")
    post(desk_of(cem), other, **flat, as_laid="on")
    assert "loss" in kinds(other)
    assert open_turn(other).number == 2


def test_sisu_is_played_in_the_gears_that_the_orders_name():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    orders = {"do": "standing", "plan": LONG, "roll": "one by one", "sisu_from": 2}
    with_luck(run, orders, lambda state: not state["drivers"][str(ana.start_number)]["sisu"])
    post(desk_of(ana), run, **orders)
    assert "sisu" in kinds(run)
    assert "loss" not in kinds(run)


def test_securing_costs_no_more_than_the_orders_allow():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    put(run, ana, tokens=9)
    post(desk_of(ana), run, **{**SO, "stop_at": "", "secure_at": "0", "secure_price": "2"})
    paid = [event.data["seconds"] for event in Event.objects.filter(run=run, kind="secure").order_by("number")]
    assert paid == [1, 2], "the third die costs 3 s: it is rolled"


def test_the_rest_of_a_turn_under_way_may_be_left_to_orders():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan=LONG, roll="one by one")
    with_luck(run, {"do": "roll"}, lambda state: not state["turn"]["warnings"])
    play(run, ana, do="roll")
    page = desk_of(ana).get(run.get_absolute_url()).content.decode()
    assert "Roll the rest in one go" in page
    assert '<input type="hidden" name="roll" value="one by one">' in page
    assert post(desk_of(ana), run, do="standing", roll="one by one", stop_at="1").status_code == 302
    assert open_turn(run).number == 2


# Storing orders ---------------------------------------------------------------------------------------


def shown_on(page, name):
    select = re.search(rf'<select name="{name}".*?</select>', page.content.decode(), re.S).group(0)
    return re.search(r'value="([^"]*)" selected', select).group(1)


def test_orders_are_stored_with_the_draft_and_remembered_after_it():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    lay_draft(desk, run, plan="1:1.2.l")
    assert shown_on(desk.get(run.get_absolute_url()), "stop_at") == "2", "what most will want"
    lay_draft(desk, run, do="orders", plan="1:1.2.l", roll="one by one", stop_at="1", sisu_from="4", secure_price="3")
    assert Draft.objects.get().orders == {"roll": "one by one", "stop_at": 1, "sisu_from": 4}
    lay_draft(desk, run, move="2:1.3.l")
    page = desk_of(ana).get(run.get_absolute_url())
    assert (shown_on(page, "stop_at"), shown_on(page, "sisu_from")) == ("1", "4")
    assert "stop at 1 warning, SISU in gear 4 or more" in page.content.decode()
    play(run, ana, do="standing", plan="1:1.2.l 2:1.3.l", roll="one by one", stop_at=1, sisu_from=4)
    while open_turn(run).seat.entry != ana:
        play(run, open_turn(run).seat.entry, do="standing", plan="1:1.2.r")
    assert Draft.objects.get().laid == ""
    page = desk_of(ana).get(run.get_absolute_url())
    assert page.context["meant"] == ["one by one", "stop at 1 warning", "SISU in gear 4 or more"]


def test_orders_outlast_turns_that_are_rolled_by_hand():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    lay_draft(desk_of(ana), run, do="orders", plan="1:1.2.l", roll="one by one", stop_at="1")
    play(run, ana, do="standing", plan="1:1.2.l")
    assert (Draft.objects.get().laid, Draft.objects.get().orders["stop_at"]) == ("", 1)
    page = desk_of(ana).get(run.get_absolute_url())
    assert page.context["plan"] == ""
    assert page.context["meant"] == ["one by one", "stop at 1 warning"]


def test_orders_outlast_turns_that_the_clock_makes():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    lay_draft(desk_of(ana), run, do="orders", plan="1:1.2.l", roll="one by one", stop_at="1")
    late = open_turn(run).deadline
    assert drive_due(turn_ids=[open_turn(run).pk], now=late) == 1
    assert (Draft.objects.get().laid, Draft.objects.get().orders["stop_at"]) == ("", 1)


# Nonsense ---------------------------------------------------------------------------------------------

NONSENSE = [
    {"roll": ""},
    {"roll": "both"},
    {"stop_at": "99"},
    {"stop_at": "-1"},
    {"stop_at": "two"},
    {"stop_at": "3"},
    {"secure_at": "x"},
    {"secure_price": "-1"},
    {"secure_price": "1e9"},
    {"secure_price": "9" * 5000},
    {"sisu_from": "7"},
    {"sisu_from": "0"},
    {"plan": ""},
    {"plan": "1:1.2.l 3:1.3.l"},
]


@pytest.mark.slow
@pytest.mark.parametrize("wrong", NONSENSE, ids=str)
def test_orders_that_make_no_sense_are_refused_and_nothing_is_rolled_or_stored(wrong):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    lay_draft(desk_of(ana), run, plan="1:1.2.l")
    before = all_of(run)
    answer = post(desk_of(ana), run, **{**SO, **wrong})
    assert answer.status_code == 422
    assert len(alert_on(answer)) > 10
    if wrong.get("plan") != "":
        assert lay_draft(desk_of(ana), run, **{**SO, "do": "orders", **wrong}).status_code == 422
    assert all_of(run) == before
    assert Draft.objects.get().orders == {}


@pytest.mark.parametrize("orders", [{"stop_at": "2"}, {"secure": [9]}, {"secure": [1]}, {"burn": 1}, {"sisu": True}])
def test_the_service_refuses_them_too(orders):
    run, (ana, _bo) = on_the_road("Ana", "Bo", options={"sisu": "none"})
    before = all_of(run)
    with pytest.raises(Refused):
        play_turn(
            by=ana.driver,
            run=run,
            orders={"do": "standing", "plan": LONG, **orders},
            version=0,
            key=fresh_key(),
        )
    assert all_of(run) == before


# Giving up --------------------------------------------------------------------------------------------


def test_nobody_retires_by_one_press():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    before = all_of(run)
    for sure in (None, "", "no", "on"):
        assert post(desk_of(ana), run, do="retire", sure=sure).status_code == 422
    assert all_of(run) == before
    assert "I give this stage up" in desk_of(ana).get(run.get_absolute_url()).content.decode()


@pytest.mark.parametrize("half_made", [False, True])
def test_a_driver_who_confirms_is_out_and_the_others_drive_on(half_made):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    if half_made:
        play(run, ana, do="lay", plan=LONG, roll="one by one")
    assert post(desk_of(ana), run, do="retire", sure="yes").status_code == 302
    run.refresh_from_db()
    assert run.state["drivers"][str(ana.start_number)]["retired"]
    assert open_turn(run).seat.entry == bo
    assert rebuild(run=run) == run.state


def test_the_last_car_that_gives_up_ends_the_stage():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    all_but_the_first_are_home(run)
    post(desk_of(ana), run, do="retire", sure="yes")
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert ana.times.get(special_stage=run.special_stage).retired
