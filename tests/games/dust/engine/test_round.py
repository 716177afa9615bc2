"""A round of one driver: set-up (U), dice phase (D), driving (P, N, M, A), preparation (Q)."""

from __future__ import annotations

import pytest

from tests.games.dust.engine.scenes import (
    OWN,
    after,
    card_set,
    document,
    laid,
    legal,
    probe,
    refused,
    run,
    stopped,
)

BOARD = laid(s3="bolts")


# Set-up


def test_u3_u4_the_start() -> None:
    found = document(drivers={"ana": {"driver": "sofia"}})
    del found["drivers"][0]["start"]
    from engine.dust import scenario

    ana = scenario.play(found)[0]["drivers"]["ana"]
    assert {ana[name] for name in ("speed", "popularity", "keys", "traction", "risk", "hits", "flipped")} == {0}
    assert (ana["space"], ana["hand"], len(ana["deck"])) == ("A3", [], 10)
    assert ana["deck"].count("ready") == 2 and ana["deck"].count("sofia-nerves") == 1


def test_u2_six_stage_cards_lie_open_as_far_as_there_are_so_many() -> None:
    assert run(drivers={"ana": {}})["visible"] == [1, 2, 3, 4, 5, 6]
    assert run(drivers={"ana": {}}, round=7)["visible"] == [7, 8, 9, 10]
    assert refused("place 7", traction=10) == "N1"


def test_u5_a_pile_has_eight_copies() -> None:
    assert set(run(drivers={"ana": {}})["piles"].values()) == {8}


# Dice phase


def test_d1_d4_the_popularity_die() -> None:
    def holder(**popularity: int) -> str | None:
        drivers = {name: {"popularity": value} for name, value in popularity.items()}
        found: str | None = run(drivers=drivers)["holder"]
        return found

    assert holder(ana=1, bo=3) == "bo"
    assert holder(ana=3, bo=3, cy=1) is None, "nobody on a tie"
    assert holder(ana=0) is None, "at least 1"
    assert holder(ana=1) == "ana"


@pytest.mark.parametrize(("face", "popularity", "dice"), [("1", 0, ["f1"]), ("2", 0, ["f2"]), ("-", 1, [])])
def test_d4_it_costs_what_it_shows_never_below_0(face: str, popularity: int, dice: list[str]) -> None:
    found = run(("ana", ["prepare"]), drivers={"ana": {"popularity": 1}}, chance={"ana": {"popularity": face}})
    ana = found["drivers"]["ana"]
    assert ana["popularity"] == popularity
    assert ana["dice"] == [*dice, "p1", "p2", "p3"]


def test_d3_the_risk_dice_come_before_the_popularity_die() -> None:
    """15 popularity and 2 symbols: the limit applies before the die is paid."""
    chance = {"ana": {"popularity": "2", "risk": ["3/2"]}}
    found = run(("ana", ["prepare"]), drivers={"ana": {"popularity": 15, "risk": 1}}, chance=chance)
    assert found["drivers"]["ana"]["popularity"] == 13


def test_s6_the_order_of_chance() -> None:
    """Cards, three player dice, the popularity die, the risk dice: each list in the order of the draws."""
    start = {"deck": ["bolts", "ready", "turbo"], "popularity": 1, "risk": 2}
    chance = {"ana": {"dice": "654", "popularity": "1", "risk": ["1/0", "2/0"], "cards": ["turbo", "bolts", "ready"]}}
    ana = run(("ana", ["prepare"]), drivers={"ana": start}, chance=chance)["drivers"]["ana"]
    assert (ana["dice"], ana["hits"], ana["hand"]) == (["f1", "p4", "p5", "p6"], 3, ["bolts", "ready", "turbo"])


def test_d2_three_player_dice_the_popularity_die_and_every_risk_die_of_the_pool() -> None:
    chance = {"ana": {"dice": "456", "popularity": "1", "risk": ["1/0", "1/0", "2/0"]}}
    ana = run(("ana", ["prepare"]), drivers={"ana": {"popularity": 1, "risk": 3}}, chance=chance)["drivers"]["ana"]
    assert (ana["dice"], ana["hits"], ana["risk"]) == (["f1", "p4", "p5", "p6"], 4, 3)


# Driving


def test_p1_any_order_as_often_as_possible_one_after_the_other() -> None:
    steps = [
        "buy tyre-change",
        "tune p3=4",
        "play ready 4",
        "use 4 p",
        "do 1",
        "done",
        "buy tyre-change",
        "play ready 1",
    ]
    ana = after(*steps, "use 1 p", "done", "place 1", "done", "tune p2=1", "use 1 p", keys=9, hand=["ready", "ready"])
    assert (ana["spent"], ana["aside"], ana["markers"]) == (["p1", "p1", "p4"], ["tyre-change"] * 2, {"1": 1})


def test_p11_a_card_may_break_a_rule_in_the_ways_of_chapter_e() -> None:
    """No steering in the upper row (A1) and a hand limit (Q3): an effect moves the car there and draws more cards."""
    cards = probe("move left 1; draw 1")
    ana = after("use 3 p", "do 1", cards=cards, board=BOARD, hand=["ready"] * 5, deck=["turbo"], drawn=["turbo"])
    assert (ana["space"], len(ana["hand"])) == ("A2", 6)


def test_p2_p3_p5_play_use_close() -> None:
    ana = after("play ready 3", "use 3 p", hand=["ready"])
    assert (ana["hand"], ana["dice"], ana["spent"]) == ([], ["p1", "p2"], ["p3"])
    assert ana["open"] == {"card": "ready", "left": [1, 2, 3]}
    assert after("play ready 3", "use 3 p", "do 1", "do 2", "done", hand=["ready"])["open"] is None


def test_p5_with_the_last_effect_the_card_closes_by_itself() -> None:
    assert after("use 3 p", "do 2", "do 1", cards=probe("keys 1", "keys 1"), board=BOARD)["open"] is None


def test_p5_a_card_whose_effects_are_all_passive_closes_at_once() -> None:
    ana = after("use 3 p", cards=probe({"passive": True, "do": "keys 1"}), board=BOARD)
    assert (ana["open"], ana["spent"]) == (None, ["p3"])
    assert after("use 3 p", cards=card_set({"bolts": {"effects": []}}), board=BOARD)["open"] is None


def test_p6_a_mandatory_effect_whose_condition_holds() -> None:
    cards = probe({"must": True, "when": "brake", "do": "keys 1"}, "shift")
    assert after("use 3 p", "done", cards=cards, board=BOARD)["open"] is None
    assert refused("use 3 p", "do 2 B5", "done", cards=cards, board=BOARD) == "P6"
    assert "done" not in legal("use 3 p", "do 2 B5", cards=cards, board=BOARD)


def test_p6_on_a_team_card_the_order_is_free() -> None:
    cards = probe({"must": True, "do": "keys 1"}, "traction 1")
    assert after("use 3 p", "do 2", "do 1", cards=cards, board=BOARD)["keys"] == 1


def test_p7_a_card_is_used_again_by_another_die() -> None:
    ana = after("use 3 p", "do 1", "use 3 p", "do 1", cards=probe("keys 1"), board=BOARD, dice="133")
    assert (ana["keys"], ana["spent"]) == (2, ["p3", "p3"])


def test_p8_a_covered_card_is_not_used() -> None:
    board = {"3": {"card": "bolts", "covered": True}}
    assert refused("use 3 p", board=board) == "P8"
    assert refused("passive 3", board=board, cards=probe({"passive": True, "do": "keys 1"})) == "P8"


def test_p9_an_open_card_that_is_covered_or_gone_keeps_its_effects() -> None:
    cards = probe("cover any", "keys 1", "discard this", "discard this")
    ana = after("use 3 p", "do 1 3", "do 2", cards=cards, board=BOARD)
    assert ana["keys"] == 1
    ana = after("use 3 p", "do 3", "do 2", cards=cards, board=BOARD)
    assert (ana["keys"], ana["discard"]) == (1, ["bolts"])
    assert refused("use 3 p", "do 3", "do 4", cards=cards, board=BOARD) == "E6"


def test_p9_this_card_is_followed_in_a_swap_and_not_replaced_by_another() -> None:
    cards = probe("swap", "discard this", "return", "remove this")
    board = laid(s3="bolts", s5="ready")
    ana = after("use 3 p", "do 1 3 5", "do 2", cards=cards, board=board)
    assert (ana["discard"], list(ana["board"])) == (["bolts"], ["3"])
    assert refused("use 3 p", "do 2", "do 3 turbo 3", "do 4", cards=cards, board=board, removed=["turbo"]) == "E6"


def test_p9_this_card_in_a_void_is_the_card_it_stands_on() -> None:
    cards = card_set(
        {"ready": [{"passive": True, "do": "void; discard this"}], "bolts": [{"do": "keys 1"}, {"do": "risk"}]}
    )
    board = laid(s3="bolts", s5="ready")
    ana = after("use 3 p", "do 2", "void 5", "do 1", cards=cards, board=board, risk=["1/0"])
    assert (ana["discard"], ana["keys"], list(ana["board"])) == (["ready"], 1, ["3"])


def test_p10_cards_stay_in_hand_and_dice_are_lost() -> None:
    found = run(("ana", ["prepare", "end"]), drivers={"ana": {"hand": ["ready"]}})
    assert (found["drivers"]["ana"]["hand"], found["drivers"]["ana"]["dice"]) == (["ready"], [])


# Reconnaissance


def test_n1_n4_a_marker_is_paid_and_the_card_resolved() -> None:
    ana = after("place 4", traction=5)
    assert (ana["traction"], ana["markers"], ana["space"]) == (2, {"4": 1}, "A2")
    assert ana["open"] == {"card": 4, "left": [1, 2]}
    assert after("place 4", traction=5, flipped=3)["traction"] == 1, "one more with token 3"


def test_n4_the_lowest_effect_closes_the_card_too() -> None:
    assert after("place 4", "do 2 B3", traction=5)["open"] is None
    assert after("place 4", "do 1", "done", traction=5)["open"] is None
    assert after("place 5", cards=card_set(stage=[{}, {}, {}, {}, {"effects": []}]))["open"] is None


def test_n2_three_markers_on_each_card_with_the_star() -> None:
    cards = card_set(stage=[{"star": True, "effects": []}, {"effects": []}])
    assert refused("place 2", "place 2", cards=cards) == "N2"
    ana = after("place 1", "place 2", "place 2", "place 2", "place 1", "place 1", cards=cards)
    assert (ana["markers"], ana["star"]) == ({"1": 3, "2": 3}, True)
    assert refused("place 1", "place 1", "place 1", "place 1", cards=cards) == "N2"


def test_n2_the_star_lasts_when_its_card_has_gone() -> None:
    cards = card_set(stage=[{"star": True, "effects": []}, {"effects": []}])
    found = run(
        ("ana", ["prepare", "place 1", "end"]),
        ("ana", ["prepare", "place 2", "place 2"]),
        cards=cards,
        drivers={"ana": {}},
    )
    assert found["drivers"]["ana"]["markers"] == {"2": 2}


def test_n5_each_further_marker_is_paid_and_resolved_in_full() -> None:
    cards = card_set(stage=[{"cost": 2, "move": "left 1", "effects": [{"do": "keys 1"}]}])
    ana = after("place 1", "do 1", "place 1", "do 1", cards=cards, traction=5, star=True)
    assert (ana["traction"], ana["space"], ana["keys"]) == (1, "A1", 2)


def test_n6_conditions_are_looked_at_after_the_move() -> None:
    cards = card_set(stage=[{"move": "left 2", "effects": [{"when": "red", "do": "keys 1"}]}])
    assert after("place 1", "do 1", cards=cards)["keys"] == 1


# The track


@pytest.mark.parametrize(
    ("move", "flipped", "space", "end", "risk"),
    [
        ("left 1", 0, "A3", "A2", 0),
        ("left 1", 1, "A3", "A1", 0),
        ("right 1", 1, "B3", "B5", 0),
        ("right 1", 5, "B3", "B6", 0),
        ("left 0", 1, "A3", "A2", 0),
        ("left 3", 0, "A3", "A1", 1),
        ("right 9", 5, "B3", "B10", 1),
        ("left 1", 0, "A1", "A1", 1),
        ("right 2", 0, "A3", "A5", 0),
    ],
)
def test_m2_orders_to_move(move: str, flipped: int, space: str, end: str, risk: int) -> None:
    cards = card_set(stage=[{"move": move, "effects": []}])
    ana = after("place 1", cards=cards, space=space, flipped=flipped, risk=["0/0"], traction=1)
    assert (ana["space"], ana["risk"]) == (end, risk)


def test_m2_a_card_without_a_move_gives_none_whatever_the_tokens() -> None:
    from copy import deepcopy

    from engine.dust.cards import card_set_reading

    plain = deepcopy(card_set_reading.own_document())
    plain["stages"]["saltwind"]["cards"][0] = {"cost": 0}
    assert after("place 1", cards=card_set_reading.of_document(plain), flipped=5, traction=1)["space"] == "A3"


# Special actions


def test_a1_steering_costs_a_traction_a_space_and_tokens_do_not_count() -> None:
    ana = after("steer right 3", space="B2", traction=5, flipped=5)
    assert (ana["space"], ana["traction"]) == ("B5", 2)


def test_a2_tuning_costs_a_key_a_pip() -> None:
    ana = after("tune p3=6", keys=4)
    assert (ana["dice"], ana["keys"]) == (["p1", "p2", "p6"], 1)
    assert after("tune p2=1", keys=1)["dice"] == ["p1", "p1", "p3"]


def test_a3_a_risk_for_two_traction() -> None:
    ana = after("risk", "risk", risk=["1/0", "2/0"])
    assert (ana["traction"], ana["risk"], ana["hits"]) == (4, 2, 3)


def test_a4_once_a_round_by_card_and_by_copies() -> None:
    cards = card_set(
        {
            "ready": [{"passive": True, "do": "keys 1"}],
            "bolts": [{"passive": True, "do": "remove any"}, {"do": "return"}],
        }
    )
    board = laid(s3="bolts", s4="ready", s5="ready")
    assert after("passive 4", "passive 5", cards=cards, board=board)["keys"] == 2
    assert refused("passive 4", "passive 4", cards=cards, board=board) == "A4"
    assert after("passive 4", cards=cards, board=board)["board"]["4"]["used"]
    back = ("passive 4", "passive 3 4", "use 3 p", "do 2 ready 4")
    assert after(*back, "passive 4", cards=cards, board=board)["keys"] == 2, "there are two copies"
    assert refused(*back, "passive 4", "passive 5", cards=cards, board=board) == "A4"


def test_q1_marks_of_passive_effects_come_off() -> None:
    cards = probe({"passive": True, "do": "keys 1"})
    found = run(
        ("ana", ["prepare", "passive 3", "end"]),
        ("ana", ["prepare", "passive 2"]),
        cards=cards,
        drivers={"ana": {"board": BOARD}},
    )
    assert found["drivers"]["ana"]["keys"] == 2


# Preparation


def test_q3_the_hand_is_filled_up_to_the_limit() -> None:
    deck = ["bolts"] * 8
    assert len(after(deck=deck, drawn=["bolts"] * 5)["hand"]) == 5
    assert len(after(deck=deck, drawn=["bolts"] * 3, flipped=4)["hand"]) == 3
    ana = after(prepare="prepare ready ready", hand=["ready"] * 3, deck=deck, drawn=["bolts"] * 4)
    assert (ana["hand"], ana["discard"]) == ([*["bolts"] * 4, "ready"], ["ready", "ready"])


def test_q3_what_is_refused() -> None:
    assert refused("prepare turbo", prepare=None, hand=["ready"]) == "Q3"
    assert refused("prepare ready ready", prepare=None, hand=["ready"]) == "Q3"
    assert refused("prepare", prepare=None, hand=["ready"] * 6) == "Q3"
    assert refused("prepare ready", prepare=None, hand=["ready"] * 5, flipped=4) == "Q3"


def test_q4_what_was_given_up_may_be_drawn_again_from_an_empty_deck() -> None:
    ana = after(prepare="prepare ready", hand=["ready"], drawn=["ready"])
    assert (ana["hand"], ana["discard"], ana["deck"]) == (["ready"], [], [])


def test_q1_cards_move_right_and_the_last_is_discarded() -> None:
    board = {"6": "ready", "2": {"card": "bolts", "covered": True}, "1": "turbo"}
    ana = run(("ana", ["prepare", "end"]), drivers={"ana": {"board": board}})["drivers"]["ana"]
    assert ana["board"]["5"]["card"] == "ready"
    assert ana["board"]["1"] == {"card": "bolts", "covered": True, "used": False}
    assert ana["discard"] == ["turbo"]


def test_c3_the_order_of_slots_is_data() -> None:
    cards = card_set(team_board={"slots": [1, 2, 3, 4, 5, 6]})
    ana = run(("ana", ["prepare", "end"]), cards=cards, drivers={"ana": {"board": laid(s1="ready", s6="turbo")}})
    assert list(ana["drivers"]["ana"]["board"]) == ["2"]
    assert ana["drivers"]["ana"]["discard"] == ["turbo"]


def test_q2_a_turn_is_prepared_once() -> None:
    assert refused("prepare") == "Q2"
    assert stopped(("ana", ["prepare", "end", "prepare", "prepare"]), drivers={"ana": {}}) == "Q2"


def test_c1_limits_come_from_the_set() -> None:
    cards = card_set({"bolts": [{"do": "keys 9"}]}, limits={"keys": 7, "hand": 2})
    ana = after("use 3 p", "do 1", cards=cards, board=BOARD, deck=["ready"] * 3, drawn=["ready"] * 2)
    assert (ana["keys"], ana["hand"]) == (7, ["ready", "ready"])
    assert OWN.limits.keys == 10


def test_a4_removed_copies_count_among_those_that_are_owned() -> None:
    cards = card_set({"ready": [{"passive": True, "do": "keys 1; remove this"}]})
    assert after("passive 4", "passive 5", cards=cards, board=laid(s4="ready", s5="ready"))["keys"] == 2
