"""Dirt & Dust as a game of the contract: posts (S9), sealed rounds (S3), absent drivers (S10), events, the result."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from engine.contract import Courses, GameError, Manners, OptionError, RuleError, offered
from engine.dust.cards import card_set_reading
from engine.dust.cards.faults import CardSetError
from tests.games.dust.engine.luck import Luck
from tests.games.dust.engine.random_sets import random_set
from tests.games.dust.engine.tables import GAME, STAGES, begun, post, random_start, random_step


def others_see(state: dict[str, Any], viewer: str | None, seat: str) -> str:
    """Return a viewer's view of the table, without whether `seat` has ended."""
    seen = GAME.view(state, viewer)
    del seen["next"], seen["drivers"][seat]["ended"]
    return json.dumps(seen, sort_keys=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_games_end_fold_and_keep_their_secrets(seed: int) -> None:
    """S1 to S4: legal play ends, folding the events gives the state, inputs are not changed, nothing leaks."""
    state, rng = random_start(seed)
    start, folded, luck, posts = state, state, Luck(seed), 0
    while seats := GAME.to_play(state):
        seat = rng.choice(seats)
        viewer = rng.choice([None, *(name for name in state["order"] if name != seat)])
        before, sight = json.dumps(state), others_see(state, viewer, seat)
        after, events = post(state, seat, random_step(state, seat, rng), luck=luck)
        assert json.dumps(state) == before, "play never changes what it is given"
        closed = any(event["kind"] == "closed" for event in events)
        if not closed and not state["training"]:
            assert others_see(after, viewer, seat) == sight, "a sealed turn shows nothing (S3)"
        for event in events:
            open_to_all = "only" not in event
            assert open_to_all or event["only"] == [seat]
            if event["kind"] in ("step", "resigned", "closed"):
                assert not {"hand", "deck"} & {
                    *event.get("set", ()),
                    *(f for d in event.get("drivers", {}).values() for f in d),
                }
                assert not any(kind == "cards" for _, kind, _ in event.get("drawn", ()))
            if event["kind"] == "hand":
                assert event["until"] == "over", "a hand is nobody else's business (U6)"
            if open_to_all and not state["training"]:
                assert event["kind"] in ("ended", "closed")
            assert open_to_all or event["until"] in ("phase", "over")
            assert event.get("closes", False) == (event["kind"] == "closed"), "the closing opens what was sealed (S4)"
            folded = GAME.apply(folded, event)
        state = after
        posts += 1
        assert posts < 6000
    assert folded == state
    assert json.loads(json.dumps(state)) == state, "the state is plain JSON"
    result = GAME.result(state)
    assert result is not None and [one.seat for one in result.seats] == start["order"]
    assert GAME.result(start) is None


@pytest.mark.parametrize("seed", range(1, 17, 2))
def test_s3_interleaved_and_one_by_one_end_the_same(seed: int) -> None:
    """No turn depends on another one of the same round, and chance does not depend on the order of posts (S7)."""

    def played(interleaved: bool) -> dict[str, Any]:
        state, order = random_start(seed)
        own = {name: Random(f"{seed} {name}") for name in state["order"]}
        luck = Luck(seed)
        while seats := GAME.to_play(state):
            seat = order.choice(seats) if interleaved else seats[0]
            state, _ = post(state, seat, random_step(state, seat, own[seat]), luck=luck)
        return state

    first, second = played(interleaved=False), played(interleaved=True)
    if first["training"]:
        return
    assert first == second


def test_s7_the_words_that_chance_is_asked_with() -> None:
    luck = Luck()
    state, _ = post(begun("ana", ghost="devil"), "ana", "prepare", luck=luck)
    words = [what for what, _ in luck.asked]
    assert words[:5] == [f"ana 1 cards {number}" for number in range(1, 6)]
    assert words[5:11] == [f"ghost 1 {kind} {number}" for number in (1, 2, 3) for kind in ("dice", "risk")]
    assert words[11:] == [f"ana 1 dice {number}" for number in (1, 2, 3)]
    assert [ends for _, ends in luck.asked[:6]] == [10, 9, 8, 7, 6, 6]
    state, _ = post(state, "ana", "risk", luck=luck)
    assert luck.asked[-1] == ("ana 1 risk 1", 6)
    state, _ = post(state, "ana", "end", luck=luck)
    asked = len(luck.asked)
    post(state, "ana", "prepare", luck=luck)
    assert luck.asked[asked][0].startswith(("ana 2 ", "ghost 2 ")), "numbers begin again in each round"


def test_s9_a_post_is_carried_out_up_to_the_first_step_that_draws() -> None:
    state, events = post(begun("ana bo"), "ana", "prepare", "risk", "end")
    assert (state["drivers"]["ana"]["phase"], state["drivers"]["ana"]["risk"]) == ("drive", 0)
    assert state["drivers"]["ana"]["draft"] == ["risk", "end"]
    assert events[-1]["kind"] == "draft" and events[-1]["only"] == ["ana"]
    assert GAME.view(state, "ana")["drivers"]["ana"]["draft"] == ["risk", "end"]
    assert "draft" not in GAME.view(state, "bo")["drivers"]["ana"]
    state, _ = post(state, "ana", "end")
    assert (state["drivers"]["ana"]["phase"], state["drivers"]["ana"]["draft"]) == ("done", [])


def test_s9_a_refused_step_refuses_the_post_and_says_which_it_was() -> None:
    state, _ = post(begun("ana bo"), "ana", "prepare")
    before = json.dumps(state)
    card = state["drivers"]["ana"]["hand"][0]
    with pytest.raises(RuleError) as refused:
        post(state, "ana", f"play {card} 1", "place 7", "end")
    assert (refused.value.rule, refused.value.move) == ("N1", 2)
    assert json.dumps(state) == before


@pytest.mark.parametrize(
    "orders",
    [
        {},
        {"do": "fly"},
        {"do": "steps"},
        {"do": "steps", "steps": []},
        {"do": "steps", "steps": "end"},
        {"do": "steps", "steps": [1]},
    ],
)
def test_s8_orders_that_are_no_steps(orders: dict[str, Any]) -> None:
    with pytest.raises(RuleError, match="S8"):
        GAME.play(begun(), "ana", orders, Luck())


def test_s8_a_post_has_an_end() -> None:
    with pytest.raises(RuleError, match="S8"):
        post(begun(), "ana", *["prepare"] * 1000)


def test_choices_go_on_from_a_draft() -> None:
    state, _ = post(begun("ana bo"), "ana", "prepare")
    card = state["drivers"]["ana"]["hand"][0]
    ways = GAME.choices(state, "ana", [f"play {card} 1"])
    assert all(way.orders["steps"][0] == f"play {card} 1" for way in ways.ways)
    assert not any(way.text.endswith(" 1") and way.text.startswith("play") for way in ways.ways)
    waiting = GAME.choices(state, "ana", ["risk"])
    assert (waiting.forced, waiting.ways) == ("S9", ())
    with pytest.raises(RuleError) as refused:
        GAME.choices(state, "ana", ["end", "place 9"])
    assert (refused.value.rule, refused.value.move) == ("S2", 2)
    ended = GAME.choices(state, "ana", ["end"])
    assert (ended.forced, ended.ways) == ("P10", ()), "what others did shows nowhere before the end is sent"


def test_q3_choices_list_every_form_of_prepare() -> None:
    state = begun("ana")
    assert [way.text for way in GAME.choices(state, "ana").ways] == ["prepare"]
    state, _ = post(state, "ana", "prepare")
    state, _ = post(state, "ana", "end")
    forms = [way.text for way in GAME.choices(state, "ana").ways]
    assert len(forms) == len(set(forms)) > 1
    for form in forms:
        post(state, "ana", form)


def test_a_driver_resigns_at_any_time_and_is_out() -> None:
    state, events = GAME.play(begun("ana bo cy"), "ana", GAME.resign(begun(), "ana"), Luck())
    assert (GAME.to_play(state), GAME.phase(state, "ana")) == (("bo", "cy"), "out")
    assert events[0]["only"] == ["ana"] and events[1] == {"kind": "ended", "seat": "ana"}
    with pytest.raises(RuleError, match="S2"):
        GAME.play(state, "ana", {"do": "resign"}, Luck())
    state, _ = post(state, "bo", "prepare")
    state, _ = post(state, "bo", "end")
    state, events = GAME.play(state, "cy", {"do": "resign"}, Luck())
    assert (state["round"], GAME.to_play(state)) == (2, ("bo",)), "the round closes with the last one"
    state, _ = GAME.play(state, "bo", {"do": "resign"}, Luck())
    result = GAME.result(state)
    assert result is not None
    assert {(one.measure, one.status, one.reason, one.rank) for one in result.seats} == {
        (None, "retired", "resigned", (1,))
    }


def test_f4_f5_the_result_is_in_points() -> None:
    state, luck = begun("ana bo", cards="5"), Luck(3)
    while seats := GAME.to_play(state):
        state, _ = GAME.play(state, seats[0], GAME.autopilot(state, seats[0], "greedy"), luck)
    result = GAME.result(state)
    assert result is not None and (GAME.measure.unit, GAME.measure.better) == ("points", "most")
    view = GAME.view(state, None)
    by_rank = sorted(result.seats, key=lambda one: one.rank)
    for one in result.seats:
        assert one.measure == view["drivers"][one.seat]["points"]
    places = [view["drivers"][one.seat]["place"] for one in by_rank]
    assert places == sorted(places)
    assert all(isinstance(one["hand"], list) for one in view["drivers"].values()), "at the end all is open"


def test_f6_o5_the_character_is_kept_and_tokens_stay_where_damage_carries() -> None:
    for carries, flipped in ((True, 2), (False, 0)):
        state = begun("ana", damaged=2, damage_carries=carries)
        state, _ = GAME.play(state, "ana", {"do": "resign"}, Luck())
        result = GAME.result(state)
        assert result is not None and result.seats[0].luggage == {"character": "harry", "flipped": flipped}
    course = GAME.library()["oldtown"]
    luggage = {"character": "aiko", "flipped": 3}
    state = GAME.setup(course, [{"id": "ana", "luggage": luggage}], {"damaged": 1})
    assert (state["drivers"]["ana"]["driver"], state["drivers"]["ana"]["flipped"]) == ("aiko", 3)


def test_turns_are_counted_as_they_end() -> None:
    state, _ = post(begun("ana bo"), "ana", "prepare")
    assert GAME.turns_made(state, "ana") == 0
    state, _ = post(state, "ana", "end")
    assert (GAME.turns_made(state, "ana"), GAME.turns_made(state, "bo")) == (1, 0)


def test_s3_u6_what_others_see() -> None:
    state, _ = post(begun("ana bo"), "ana", "prepare")
    card = state["drivers"]["ana"]["hand"][0]
    state, _ = post(state, "ana", f"play {card} 1")
    for viewer in ("bo", None, "somebody"):
        seen = GAME.view(state, viewer)["drivers"]["ana"]
        assert (seen["hand"], seen["deck"], seen["board"], seen["dice"]) == (0, 10, {}, [])
        assert (seen["phase"], seen["ended"]) == ("prepare", False)
    mine = GAME.view(state, "ana")["drivers"]["ana"]
    assert (len(mine["hand"]), list(mine["board"]), mine["phase"]) == (4, ["1"], "drive")
    state, _ = post(state, "ana", "end")
    assert GAME.view(state, "bo")["drivers"]["ana"]["ended"]
    state, _ = post(state, "bo", "prepare")
    state, _ = post(state, "bo", "end")
    seen = GAME.view(state, "bo")["drivers"]["ana"]
    assert (seen["hand"], seen["discard"]) == (4, [card]), "when the round has closed: what lay on slot 1"


def test_t3_on_the_training_stage_nothing_is_sealed_but_hands() -> None:
    state, events = post(begun("ana bo", "training"), "ana", "prepare")
    assert "only" not in events[0] and events[1]["only"] == ["ana"]
    seen = GAME.view(state, "bo")["drivers"]["ana"]
    assert (seen["hand"], len(seen["dice"])) == (5, 3)


def test_phases() -> None:
    document = random_set(1)
    for card in document["card"]:
        card["effects"] = [{"do": "risk"}, {"do": "keys 1"}, {"passive": True, "do": "void"}]
    document["dice"]["risk"] = ["1/0"]
    state = begun("ana bo", document=document)
    assert GAME.phase(state, "ana") == "prepare"
    state, _ = post(state, "ana", "prepare")
    assert GAME.phase(state, "ana") == "drive"
    die = state["drivers"]["ana"]["dice"][0]
    state, _ = post(state, "ana", f"play {state['drivers']['ana']['hand'][0]} {die[1]}", f"use {die[1]} p")
    assert GAME.phase(state, "ana") == "card"
    state, _ = post(state, "ana", "do 1")
    assert GAME.phase(state, "ana") == "risk"
    state, _ = post(state, "ana", "accept", "done", "end")
    assert GAME.phase(state, "ana") == "done"


def test_o1_to_o5_options_are_declared() -> None:
    assert GAME.clean_options({}) == {
        "pool": "basic", "cards": "10", "damaged": 0, "ghost": "none", "damage_carries": False,
        "characters": "dealt", **{f"pile_{number}": "basic" for number in range(1, 10)},
    }  # fmt: skip
    for wrong in ({"cards": "6"}, {"damaged": 3}, {"ghost": "casper"}, {"weather": True}):
        with pytest.raises(OptionError):
            GAME.clean_options(wrong)
    assert (GAME.seats.least, GAME.seats.most) == (1, 4)


def test_courses_and_manners_are_offered() -> None:
    courses = offered(GAME, Courses)
    assert courses is not None and set(courses.library()) == set(STAGES)
    assert offered(GAME, Manners) is not None


def test_a_course_may_bring_another_card_set() -> None:
    from importlib.resources import files

    text = files("engine.dust").joinpath("data/cards.toml").read_text("utf-8").replace("Crew Ready", "Crew Steady")
    course = GAME.read_course({"stage": "harrow", "text": text})
    assert course["digest"] != card_set_reading.own().digest
    state = GAME.setup(course, [{"id": "ana"}], {})
    assert (state["digest"], state["stage"]) == (course["digest"], "harrow")
    assert GAME.read_course(course) == course
    with pytest.raises(CardSetError, match=r"line \d+: ready"):
        GAME.read_course({"stage": "harrow", "text": text.replace('do = "traction 1"', 'do = "fly"', 1)})
    for wrong in ({"stage": "nowhere"}, {}, None):
        with pytest.raises(ValueError):
            GAME.read_course(wrong)


def test_a_run_folds_without_its_card_set() -> None:
    """A stored run can be folded after the set has changed, because events contain their changes."""
    state, luck = begun("ana bo", cards="5"), Luck(5)
    folded = {**state, "set": {}, "digest": ""}
    while seats := GAME.to_play(state):
        state, events = GAME.play(state, seats[0], GAME.autopilot(state, seats[0], "greedy"), luck)
        for event in events:
            folded = GAME.apply(folded, event)
    assert {**folded, "set": state["set"], "digest": state["digest"]} == state


def test_a_mixed_pool_stands_in_the_course() -> None:
    nine = ["quick-swap", *card_set_reading.own().pools["basic"][1:]]
    course = {**GAME.library()["oldtown"], "pool": nine}
    assert GAME.setup(course, [{"id": "ana"}], {})["pool"] == nine


def test_o1_options_mix_the_piles_one_by_one() -> None:
    own = card_set_reading.own()
    chosen = {"pool": "mixed", "pile_1": "advanced", "pile_9": "advanced"}
    course, entrants = GAME.library()["oldtown"], [{"id": "ana"}]
    advanced, basic = own.pools["advanced"], own.pools["basic"]
    assert GAME.setup(course, entrants, chosen)["pool"] == [advanced[0], *basic[1:8], advanced[8]]
    assert GAME.setup(course, entrants, {**chosen, "pool": "basic"})["pool"] == list(basic)
    with pytest.raises(GameError, match="training"):
        GAME.setup(GAME.library()["training"], entrants, chosen)


def test_both_editions_of_our_own_set_are_open_to_everybody() -> None:
    for edition in range(len(card_set_reading.EDITIONS)):
        course = GAME.read_course({"stage": "saltwind", "set": card_set_reading.own_document(edition)})
        assert not GAME.is_private(course)


def test_s3_the_ghosts_dice_are_the_drivers_alone_until_the_stage_is_over() -> None:
    state, _ = post(begun("ana", ghost="devil"), "ana", "prepare")
    assert len(GAME.view(state, "ana")["ghost"]["dice"]) == 3
    assert GAME.view(state, None)["ghost"]["dice"] == []
