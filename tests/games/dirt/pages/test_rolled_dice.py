"""The dice of a turn on the stage page: the faces, which of them are new, and their text for screen readers."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest

from championship.games.dirt import rolled
from championship.platform import clock
from championship.runs.models import Run
from championship.runs.watch import selectors
from engine import registry
from tests.championship.runs.factories import desk_of, on_the_road, play, put, send, with_luck

pytestmark = pytest.mark.django_db

RULES = registry.get("dirt")
LONG = "1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2"


def seen_by(entry, run, *, later=timedelta()):
    """Return the dice on the page of this driver, so much later."""
    page = selectors.run_page(Run.objects.select_related("special_stage__rally").get(pk=run.pk), entry.driver)
    return rolled.on_page(page, RULES.view(page.run.state, None), now=clock.now() + later)


def dice_of(turn):
    return [die for move in turn.moves for die in move.dice]


def rolled_with(run, entry, *counts):
    """Roll so that the turn has these numbers of warnings, one after another."""
    for count in counts:
        with_luck(run, {"do": "roll"}, lambda state, count=count: state["turn"] and state["turn"]["warnings"] == count)
        play(run, entry, do="roll")


def test_what_was_rolled_last_is_new_and_what_before_it_is_not():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan=LONG, roll="one by one")
    rolled_with(run, ana, 0, 1)
    turn = seen_by(ana, run)["rolling"]
    assert [(die.shown.face, die.order, die.post) for die in dice_of(turn)] == [
        ("clear", 0, 2),
        ("warning", 1, 3),
        ("unrolled", 0, 0),
        ("unrolled", 0, 0),
    ]
    assert [move.now for move in turn.moves] == [False, False, True, False]
    assert [(lamp.lit, lamp.order) for lamp in turn.lamps] == [(True, 1), (False, 0), (False, 0)]
    assert turn.said == "Gear 2: 1 warning. 1 of 3 warnings."
    assert seen_by(bo, run)["rolled_now"][0].said == f"{ana.crew}: {turn.said}"


def test_a_minute_later_nothing_is_new_and_a_turn_that_is_over_moves_down():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan=LONG, roll="one by one")
    rolled_with(run, ana, 1)
    late = seen_by(ana, run, later=timedelta(minutes=1))
    assert not any(die.order for die in dice_of(late["rolling"]))
    play(run, ana, do="stop")
    assert seen_by(bo, run)["rolled_now"][0].outcome == ["The time card costs 50 s."]
    late = seen_by(bo, run, later=timedelta(minutes=1))
    assert late["rolled_now"] == []
    assert len(dice_of(late["rolled_before"][0])) == 1, "what was not rolled is not shown any more"


def test_flat_out_all_dice_are_new_one_after_another():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    put(run, ana, sisu=False)
    orders = {"do": "lay", "plan": LONG, "roll": "flat out"}
    with_luck(run, orders, lambda state: state["turn"] and sum(map(sum, state["turn"]["faces"])) == 4)
    play(run, ana, **orders)
    turn = seen_by(ana, run)["rolling"]
    assert [die.order for die in dice_of(turn)] == [1, 2, 3, 4]
    assert {die.throw for die in dice_of(turn)} == {1}
    assert [lamp.order for lamp in turn.lamps] == [1, 2, 3]
    assert turn.lost
    assert not turn.over
    assert turn.said == "All dice: 4 warnings. 4 warnings, 3 are too many. Control is lost."


def test_a_flying_start_that_fails_is_no_loss_of_control():
    """D7: a driver who has the SISU token is asked first."""
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan="2:1.2.l 3:1.3.l", roll="one by one")
    with_luck(run, {"do": "roll"}, lambda state: state["turn"] and state["turn"]["phase"] == "lost")
    play(run, ana, do="roll")
    turn = seen_by(ana, run)["rolling"]
    assert not turn.lost
    assert turn.said == "Gear 2: 1 warning. 1 of 3 warnings. The flying start fails."


def test_a_turn_rolled_in_one_go_falls_throw_by_throw():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    put(run, ana, space="1.2.l", gear=2, started=True, on_track=True)
    orders = {"do": "standing", "plan": "3:1.3.l 1b:2.1.i1"}
    with_luck(run, orders, lambda state: state["turn"] is None)
    play(run, ana, **orders)
    turn = seen_by(bo, run)["rolled_now"][0]
    assert [[die.order for die in move.dice] for move in turn.moves] == [[1], [2, 2]]
    assert turn.over


def test_what_was_secured_shows_no_face_to_tumble():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    put(run, ana, tokens=1)
    play(run, ana, do="lay", plan=LONG, roll="one by one")
    play(run, ana, do="secure")
    (die, *_rest) = dice_of(seen_by(ana, run)["rolling"])
    assert (die.shown.face, die.sides) == ("secured", ())


def test_a_cube_has_the_faces_of_its_die():
    """D1: one warning on gears 1 and 2, two on leader dice."""
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan=LONG, roll="one by one")
    rolled_with(run, ana, 0, 0, 1)
    for die, warnings in zip(dice_of(seen_by(ana, run)["rolling"]), (1, 1, 2), strict=False):
        assert [die.shown.face, *die.sides].count("warning") == warnings
        assert len(die.sides) == 5


def test_the_token_leaves_the_lamps_lit_and_says_that_they_do_not_count():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    send(desk, run, do="lay", plan=LONG, roll="one by one")
    rolled_with(run, ana, 1, 2)
    with_luck(run, {"do": "roll"}, lambda state: state["turn"] and state["turn"]["phase"] == "lost")
    play(run, ana, do="roll")
    html = desk.get(run.get_absolute_url()).content.decode()
    assert "Out of control!" in html
    assert "data-lost" in html
    send(desk, run, do="sisu")
    html = desk.get(run.get_absolute_url()).content.decode()
    assert "Out of control!" not in html
    assert "SISU: they do not count" in html
    assert unescape(re.search(r'data-count="(\d)"', html.split("data-rolled")[1]).group(1)) == "3"
