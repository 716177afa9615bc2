"""Giving up (E8): in every phase of a turn, and its effect on the others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine import record
from engine.chance import SeededChance, commitment
from engine.contract import RuleError
from engine.dirt import legal_moves
from engine.dirt.codriver.decisions import orders as codriver_orders
from engine.dirt.scenario import play as play_scenario
from tests.games.dirt.engine.scenes import HAIRPIN, RULES, STRAIGHT, Scene, car

SECRET = bytes(range(32))


def laid(scene: Scene, plan: str, *dice: str, **lay: Any) -> Scene:
    """Return Ana's turn, planned and rolled so far."""
    scene.order("ana", "lay", plan=plan, **lay)
    for shown in dice:
        scene.order("ana", "roll", shown)
    return scene


def in_phase(phase: str) -> Scene:
    """Return a scene with Ana in that phase of her turn, and bo behind her."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 2, damage={"coast": 1}), car("bo", "1.2.r", 1))
    if phase == "rolling":
        laid(scene, "3:1.3.l 4:2.1.l", "!")
    elif phase == "lost":
        laid(scene, "3:1.3.l 4:2.1.l c:2.2.l", "!", "!", "!")
    elif phase == "relay":
        laid(scene, "3:1.3.l 4:2.1.l c:2.2.l", roll="flat out", dice="!!!")
    elif phase == "spare":
        laid(scene, "1:1.3.l", ".")
    assert legal_moves.choices(scene.state, "ana", "").phase == phase
    return scene


PHASES = pytest.mark.parametrize("phase", ["plan", "rolling", "lost", "relay", "spare"])


@PHASES
def test_E8_in_every_phase_the_driver_may_give_up(phase: str) -> None:
    """E8: no card, the turn is over, the next driver plays; the events of it fold."""
    scene = in_phase(phase)
    before = scene.state
    turns, cards = scene.car("ana")["turns"], scene.cards("ana")
    scene.events.clear()
    scene.order("ana", "retire")
    ana = scene.car("ana")
    assert (ana["retired"], ana["finished"], ana["cards"], ana["turns"]) == (True, False, cards, turns + 1)
    assert scene.next == "bo"
    assert scene.state["turn"] is None
    folded = before
    for event in scene.events:
        folded = RULES.apply(folded, json.loads(json.dumps(event)))
    assert folded == scene.state
    assert [event["kind"] for event in scene.events] == ["retire", "end of turn"]


@PHASES
def test_E8_is_not_named_among_the_ways_on(phase: str) -> None:
    """The ways to go on do not include giving up."""
    assert "retire" not in legal_moves.choices(in_phase(phase).state, "ana", "").orders


def test_E8_only_the_driver_who_is_to_play_gives_up() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.3.l", 1), car("bo", "1.2.l", 1))
    with pytest.raises(RuleError) as refusal:
        scene.order("bo", "retire")
    assert refusal.value.rule == "O1"
    scene.order("ana", "retire")
    with pytest.raises(RuleError):
        scene.order("ana", "retire")


def test_E8_the_stage_time_is_the_slowest_finishers_and_a_minute() -> None:
    """E8, E7: as for any other retirement."""
    scene = Scene(["202a", "203a"], car("ana", "2.1.l", 2), car("bo", "1.2.l", 1), leader_dice=False)
    scene.turn("ana", "2:2.2.l", ".").order("bo", "retire")
    assert (scene.car("bo")["stage_time"], scene.finishes["bo"].measure) == (100, None)
    assert scene.finishes["bo"].status == "retired"


def test_E8_its_time_is_open_while_others_drive() -> None:
    scene = Scene(STRAIGHT, "ana", "bo").order("ana", "retire")
    assert scene.car("ana")["stage_time"] is None
    assert RULES.result(scene.state) is None


@pytest.mark.parametrize(("place", "tiles"), [(None, 4), ("1.3.l", 4), ("2.1.l", 3), ("4.1.l", 1)])
def test_E8_where_nobody_finishes_the_tiles_given_up_count(place: str | None, tiles: int) -> None:
    """E8: a loss of control for each of these tiles, besides the cards and E7's minute."""
    scene = Scene(STRAIGHT, car("ana", place), loss_seconds=70).order("ana", "retire")
    assert scene.car("ana")["stage_time"] == tiles * 70 + 60
    assert scene.finishes["ana"].detail["cards_seconds"] == tiles * 70


def test_E8_giving_up_on_the_grid_does_not_rank_ahead_of_crashing_out() -> None:
    """E8: bo never drove; ana lost her last gear die on tile 2."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3, damage={"gear": 5}), "bo", leader_dice=False)
    lost: dict[str, Any] = {"cards": ["crash 1/1/2"], "tokens": ["gear"]}
    scene.turn("ana", "3:1.3.l c:2.1.l c:2.2.l", "!!!", **lost).order("bo", "retire")
    assert (scene.car("ana")["stage_time"], scene.car("bo")["stage_time"]) == (120, 300)


def test_E8_everybody_gives_up() -> None:
    scene = Scene(STRAIGHT, "ana", "bo", "cy")
    for driver in ("ana", "bo", "cy"):
        scene.order(driver, "retire")
    assert scene.next is None
    assert all(finish.status == "retired" for finish in scene.finishes.values())
    assert scene.events[-1] == {"kind": "over", "driver": "cy", "retired": dict.fromkeys(("ana", "bo", "cy"), 300)}


def test_E8_the_leader_who_gives_up_still_counts_as_opening_the_round() -> None:
    """E8, D6: bo rolls a coast die in this round, and leader dice in the next, which bo opens."""
    scene = Scene(STRAIGHT, car("ana", "1.3.l", 2), car("bo", "1.2.l", 2))
    scene.order("ana", "retire").turn("bo", "c:1.3.l", ".")
    assert scene.rolls() == ["coast"]
    scene.turn("bo", "c:2.1.l", ".")
    assert scene.rolls() == ["coast", "leader"]


def test_E8_a_driver_who_has_not_started_is_left_out_of_the_start() -> None:
    """E8, O2: ana's turn on the grid is the first; bo and cy start in their own rounds."""
    scene = Scene(STRAIGHT, "ana", "bo", "cy", leader_dice=False).order("ana", "retire")
    assert (scene.round, scene.state["round"]) == (["bo"], 2)
    scene.turn("bo", "1:1.2.l", ".")
    assert scene.round == ["bo", "cy"]


def test_E8_the_car_is_off_the_road() -> None:
    """E8, M6, M7, M8: in the bend it forced bo into its path and its gear; now it blocks nobody."""
    scene = Scene(HAIRPIN, car("ana", "2.2.o1", 2), car("bo", "2.1.l", 1), leader_dice=False)
    scene.state["queue"] = ["bo"]
    held = scene.legal("bo")
    assert not any(move.endswith((":2.2.i1", ":2.2.o1")) for move in held)
    scene.state["queue"] = ["ana", "bo"]
    scene.order("ana", "retire")
    assert {"1:2.2.i1", "1:2.2.o1", "2:2.2.o1"} <= scene.legal("bo")


def test_E8_a_car_beside_the_track_gives_up_and_lets_go_of_its_space() -> None:
    """E8, E6: also when it would have to wait for its space."""
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 0, beside=True), "bo")
    scene.state["drivers"]["bo"].update(space="1.2.l", gear=1, started=True)
    scene.state["queue"] = ["ana", "bo"]
    scene.order("ana", "retire")
    assert scene.car("ana")["retired"]
    assert scene.cards("ana") == []
    assert scene.turn("bo", "1:1.3.l", ".").place("bo") == ("1.3.l", 1)


def test_E8_what_was_rolled_before_stays() -> None:
    """E8: the space that was reached, tokens earned flat out; damage from a shortcut's token is repaired with the rest
    (E7).
    """
    scene = in_phase("relay").order("ana", "retire")
    assert (scene.place("ana"), scene.car("ana")["tokens"]) == (("1.2.l", 2), 3)
    assert in_phase("rolling").order("ana", "retire").place("ana") == ("1.3.l", 3)
    worn = scene.order("bo", "retire").finishes["ana"].luggage
    assert worn["damage"]["coast"] == 1
    mended = RULES.after_stage(worn, service=False, retired=True, options=scene.state["options"])
    assert mended["damage"] == {"gear": 0, "coast": 0, "brake": 0}


def test_E8_is_written_into_a_record_and_found_true() -> None:
    """E8: a verification that draws again from the secret finds no difference, but detects a retirement written in by
    hand.
    """
    kept = a_record()
    assert record.verify(kept) is None
    state = record.fold(json.loads(json.dumps(kept)))[1]
    assert (state["drivers"]["ana"]["retired"], state["drivers"]["bo"]["finished"]) == (True, True)
    retired = next(turn for turn in kept["turns"] if turn["orders"] == {"do": "retire"})
    retired["events"][0]["seconds"] = 0
    assert "retire" in (record.verify(kept) or "")


def a_record() -> dict[str, Any]:
    """Ana gives up in the middle of her second turn; bo drives to the finish."""
    scene, chance = Scene("1/1", "ana", "bo"), SeededChance(SECRET)
    start, turns = scene.state, []
    while scene.next:
        orders = codriver_orders(scene.state, scene.next, "club")
        if scene.next == "ana" and scene.car("ana")["turns"] == 1 and scene.state["turn"]:
            orders = {"do": "retire"}
        elif scene.next == "ana" and orders["do"] == "lay":
            orders["roll"] = "one by one"
        driver = scene.next
        scene.state, events = RULES.play(scene.state, driver, orders, chance)
        turns.append({"driver": driver, "orders": orders, "events": list(events)})
    given = {"commitment": commitment(SECRET), "phrases": [], "secret": SECRET.hex()}
    return record.write(
        rules=RULES,
        stage=scene.stage,
        entrants=scene.entrants,
        options=start["options"],
        turns=turns,
        chance=given,
        form=1,
    )


def test_E8_in_a_scenario_file() -> None:
    document = {"stage": "1/1", "drivers": [{"id": "ana"}], "turns": [{"driver": "ana", "retire": True}]}
    shown, legal = play_scenario(document)
    assert legal
    assert (shown["drivers"]["ana"]["retired"], shown["next"]) == (True, None)
    assert shown["drivers"]["ana"]["stage_time"] == 60 * len(RULES.library()["1/1"]["tiles"]) + 60
