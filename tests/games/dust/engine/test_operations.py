"""The effect of each operation (E7), its payment (E4), and its conditions (E3)."""

from __future__ import annotations

import pytest

from tests.games.dust.engine.scenes import after, card_set, laid, legal, probe, refused, run

BOARD = laid(s3="bolts")


def used(text: str, *words: str, cards: object = None, board: object = BOARD, **start: object) -> dict[str, object]:
    """Return Ana's state after she has used `bolts` on slot 3 and its one effect."""
    step = " ".join(("do 1", *words))
    return after("use 3 p", step, cards=probe(text), board=board, **start)  # type: ignore[arg-type]


def test_e2_gains() -> None:
    ana = used("keys 2; traction 3; popularity 4; speed 5")
    assert (ana["keys"], ana["traction"], ana["popularity"], ana["speed"]) == (2, 3, 4, 5)


def test_d6_what_is_over_is_lost() -> None:
    ana = used("keys 5; traction 5; popularity 9; speed 90", keys=8, traction=10, speed=20)
    assert (ana["keys"], ana["traction"], ana["popularity"], ana["speed"]) == (10, 10, 9, 110)
    assert used("popularity 9; popularity 9")["popularity"] == 15


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("keys 2 per risk", 4),
        ("keys 1 per removed", 3),
        ("keys 2 per 2 removed", 2),
        ("keys 1 per removed max 2", 2),
        ("keys 3 per removed max 4", 4),
        ("keys 1 per empty", 5),
        ("keys 1 per 2 empty", 2),
        ("keys 1 per 9 empty", 0),
        ("keys 1 per dice", 2),
        ("keys 1 per paid", 0),
    ],
)
def test_e7_gains_per_thing(text: str, keys: int) -> None:
    """Two risk dice in the pool, three removed cards, five empty slots, two active dice left."""
    drivers = {"ana": {"board": BOARD, "removed": ["ready"] * 3, "risk": 2}}
    chance = {"ana": {"risk": ["0/0", "0/0"]}}
    found = run(("ana", ["prepare", "use 3 p", "do 1"]), cards=probe(text), drivers=drivers, chance=chance)
    assert found["drivers"]["ana"]["keys"] == keys


def test_e4_pay_is_paid_first() -> None:
    cards = probe({"pay": "keys 2", "do": "keys 1; traction 1 per paid"})
    ana = after("use 3 p", "do 1", cards=cards, board=BOARD, keys=2)
    assert (ana["keys"], ana["traction"]) == (1, 2)
    assert refused("use 3 p", "do 1", cards=cards, board=BOARD, keys=1) == "E4"


def test_e4_all_needs_at_least_one() -> None:
    cards = probe({"pay": "traction all", "do": "keys 1 per 2 paid"})
    assert after("use 3 p", "do 1", cards=cards, board=BOARD, traction=5)["keys"] == 2
    assert after("use 3 p", "do 1", cards=cards, board=BOARD, traction=5)["traction"] == 0
    assert refused("use 3 p", "do 1", cards=cards, board=BOARD) == "E4"


def test_e7_lose_takes_what_there_is() -> None:
    ana = used("lose keys 3; lose traction 2; lose popularity 1", keys=2, traction=5)
    assert (ana["keys"], ana["traction"], ana["popularity"]) == (0, 3, 0)


@pytest.mark.parametrize(
    ("text", "word", "start", "end"),
    [
        ("move left 2", "", "A3", "A1"),
        ("move right 2", "", "B3", "B5"),
        ("move 2", "left", "A3", "A1"),
        ("move 2", "right", "A3", "A5"),
        ("shift", "B5", "A3", "B5"),
        ("shift", "B6", "A3", "B6"),
        ("shift", "A5", "B9", "A5"),
        ("shift", "A5", "B10", "A5"),
        ("centre", "", "B1", "A3"),
        ("centre", "", "A5", "A3"),
    ],
)
def test_m3_m4_m5_the_car_moves(text: str, word: str, start: str, end: str) -> None:
    assert used(text, *word.split(), space=start)["space"] == end


def test_m3_tokens_do_not_lengthen_a_move_of_a_card() -> None:
    assert used("move left 1", flipped=5)["space"] == "A2"


def test_m4_a_row_is_changed_to_one_of_two_spaces_below() -> None:
    steps = legal("use 3 p", cards=probe("shift"), board=BOARD, space="A2")
    assert [step for step in steps if step.startswith("do")] == ["do 1 B3", "do 1 B4", "done"]


def test_r8_repair_takes_up_to_n_dice() -> None:
    drivers = {"ana": {"board": BOARD, "risk": 2, "hits": 3, "flipped": 1}}
    chance = {"ana": {"risk": ["0/0"] * 2}}
    ana = run(("ana", ["prepare", "use 3 p", "do 1"]), cards=probe("repair 3"), drivers=drivers, chance=chance)
    assert (ana["drivers"]["ana"]["risk"], ana["drivers"]["ana"]["hits"], ana["drivers"]["ana"]["flipped"]) == (0, 3, 1)


def test_e7_boost_rolls_a_die_that_is_active() -> None:
    assert used("boost", dice="1236")["dice"] == ["b6", "p1", "p2"]
    assert used("keys 1; boost; risk", dice="1236", risk=["1/0"])["hits"] == 1


def test_e7_ten_boost_dice_a_round() -> None:
    cards = card_set({"bolts": [{"do": "boost"}]}, dice={"boost_supply": 1})
    assert refused("use 3 p", "do 1", "use 3 b", "do 1", cards=cards, board=BOARD, dice="1233") == "E6"
    again = ("use 3 p", "do 1", "end")
    board = run(
        ("ana", ["prepare", *again]),
        ("ana", ["prepare", "use 2 p", "do 1"]),
        cards=cards,
        drivers={"ana": {"board": BOARD}},
        chance={"ana": {"dice": "123" + "4" + "123" + "5"}},
    )
    assert board["drivers"]["ana"]["dice"] == ["b5", "p1", "p3"], "the next round has ten more (Q1)"


def test_e7_set_one_turns_an_active_die_also_to_what_it_shows() -> None:
    assert used("set one 5 6", "p1=6")["dice"] == ["p2", "p6"]
    assert used("set one 2 6", "p2=2")["dice"] == ["p1", "p2"]


def test_e7_set_all_turns_all_that_may() -> None:
    chance = {"ana": {"popularity": "2"}}
    drivers = {"ana": {"board": BOARD, "popularity": 2}}
    for value, dice in (("6", ["f2", "p6", "p6"]), ("1", ["f1", "p1", "p1"])):
        found = run(
            ("ana", ["prepare", "use 3 p", "do 1"]), cards=probe(f"set all {value}"), drivers=drivers, chance=chance
        )
        assert found["drivers"]["ana"]["dice"] == dice
        assert found["drivers"]["ana"]["spent"] == ["p3"], "used dice stay"


def test_e7_nudge() -> None:
    assert used("nudge", "p2=3")["dice"] == ["p1", "p3"]
    assert refused("use 3 p", "do 1 p1=0", cards=probe("nudge"), board=BOARD) == "E5"
    assert refused("use 3 p", "do 1 p1=3", cards=probe("nudge"), board=BOARD) == "E6"


def test_e7_reroll_rolls_an_active_die_again() -> None:
    assert used("reroll", "p1", dice="1236")["dice"] == ["p2", "p6"]
    drivers = {"ana": {"board": BOARD, "popularity": 2}}
    table = run(
        ("ana", ["prepare", "use 3 p"]), cards=probe("reroll"), drivers=drivers, chance={"ana": {"popularity": "1"}}
    )
    assert table["drivers"]["ana"]["dice"] == ["f1", "p1", "p2"]
    steps = legal("use 3 p", cards=probe("reroll"), board=BOARD)
    assert steps == ["do 1 p1", "do 1 p2", "done"]


def test_e7_discard() -> None:
    board = laid(s3="bolts", s5="ready")
    assert used("discard this", board=board)["discard"] == ["bolts"]
    assert used("discard any", "5", board=board)["discard"] == ["ready"]
    assert used("discard any", "3", board=board)["discard"] == ["bolts"], "any may be this card"
    covered = {**board, "5": {"card": "ready", "covered": True}}
    assert used("discard all", board=covered)["discard"] == ["bolts", "ready"], "covered cards are active (P8)"


def test_e7_remove_and_return() -> None:
    board = laid(s3="bolts", s5="ready")
    assert used("remove this", board=board)["removed"] == ["bolts"]
    assert used("remove any", "5", board=board)["removed"] == ["ready"]
    ana = used("return", "turbo", "6", removed=["turbo", "turbo"])
    assert (ana["removed"], ana["board"]["6"]) == (["turbo"], {"card": "turbo", "covered": False, "used": False})


def test_c3_e7_cover_left_covers_the_leftmost_not_covered_yet() -> None:
    board = {**laid(s3="bolts", s1="ready", s5="turbo"), "6": {"card": "ready", "covered": True}}
    shown = used("cover left 2", board=board)["board"]
    assert [slot for slot in "123456" if slot in shown and shown[slot]["covered"]] == ["3", "5", "6"]
    shown = used("cover left 9", board=board)["board"]
    assert all(one["covered"] for one in shown.values())
    shown = used("cover any", "1", board=board)["board"]
    assert shown["1"]["covered"]


def test_e7_swap_changes_places_covered_or_not_and_dice_stay() -> None:
    board = {"3": "bolts", "6": {"card": "ready", "covered": True}}
    ana = used("swap", "6", "3", board=board)
    assert ana["board"]["3"] == {"card": "ready", "covered": True, "used": False}
    assert ana["board"]["6"]["card"] == "bolts"
    assert (ana["dice"], ana["spent"]) == (["p1", "p2"], ["p3"])
    assert legal("use 3 p", cards=probe("swap"), board=board) == ["do 1 3 6", "done"], "the lower slot first"


def test_b5_take_orders_a_card_of_that_printed_cost() -> None:
    ana = used("take 1-2", "suspension", flipped=2)
    assert (ana["aside"], ana["keys"]) == (["suspension"], 0)
    assert [step for step in legal("use 3 p", cards=probe("take 4-9"), board=BOARD) if step != "done"] == [
        "do 1 racing-line",
        "do 1 turbo",
    ]


def test_e7_shuffle_mixes_discard_pile_and_known_cards_into_the_deck() -> None:
    ana = used("shuffle", hand=["ready"] * 5, deck=["turbo"], top=["roadbook", "bolts"], discard=["ready"])
    assert (ana["deck"], ana["top"], ana["discard"]) == (["bolts", "ready", "roadbook", "turbo"], [], [])


def test_q4_e7_draw_takes_known_cards_first_then_the_deck_then_the_discard_pile() -> None:
    full = {"hand": ["ready"] * 5}
    ana = used("draw 2", deck=["turbo"], top=["bolts", "roadbook"], **full)
    assert (ana["hand"], ana["top"]) == (["bolts", *["ready"] * 5, "roadbook"], []), (
        "the topmost first, beyond the limit"
    )
    ana = used("draw 3", deck=["turbo"], discard=["bolts", "roadbook"], drawn=["turbo", "roadbook", "bolts"], **full)
    assert (ana["deck"], ana["discard"]) == ([], [])
    ana = used("draw 3", deck=["turbo"], drawn=["turbo"], **full)
    assert ana["hand"] == [*["ready"] * 5, "turbo"], "are both empty, drawing ends"


def test_s7_one_card_left_is_asked_for_too() -> None:
    with pytest.raises(Exception, match="cards has run out"):
        used("draw 1", deck=["turbo"], hand=["ready"] * 5)


@pytest.mark.parametrize(
    ("when", "start", "holds"),
    [
        ("accelerate", {"space": "A1"}, True),
        ("accelerate", {"space": "B1"}, False),
        ("brake", {"space": "B10"}, True),
        ("brake", {"space": "A3"}, False),
        ("red", {"space": "B2"}, True),
        ("red", {"space": "A5"}, True),
        ("yellow", {"space": "B3"}, True),
        ("yellow", {"space": "A3"}, False),
        ("grey", {"space": "A3"}, True),
        ("grey", {"space": "B5"}, True),
        ("holder", {}, False),
        ("risk>=1", {}, False),
        ("risk>=0", {}, True),
        ("die=3", {}, True),
        ("die=4", {}, False),
        ("die=1-3", {}, True),
        ("die=4-6", {}, False),
        ("kind=player", {}, True),
        ("kind=boost", {}, False),
        ("kind=popularity", {}, False),
        ("accelerate grey die=3", {}, True),
        ("accelerate red die=3", {}, False),
    ],
)
def test_e3_conditions(when: str, start: dict[str, object], holds: bool) -> None:
    steps = legal("use 3 p", cards=probe({"when": when, "do": "keys 1"}), board=BOARD, **start)
    assert ("do 1" in steps) is holds


def test_e3_holder_also_with_a_blank_die() -> None:
    cards = probe({"when": "holder", "do": "keys 1"})
    drivers = {"ana": {"board": BOARD, "popularity": 1}}
    found = run(
        ("ana", ["prepare", "use 3 p", "do 1"]), cards=cards, drivers=drivers, chance={"ana": {"popularity": "-"}}
    )
    assert found["drivers"]["ana"]["keys"] == 1


def test_e3_kind_of_die() -> None:
    cards = probe({"when": "kind=popularity die=2", "do": "keys 1"}, {"when": "kind=boost", "do": "keys 2"}, "boost")
    drivers = {"ana": {"board": laid(s2="bolts"), "popularity": 2}}
    steps = ["prepare", "use 2 f", "do 1", "do 3", "done", "use 2 b", "do 2"]
    chance = {"ana": {"popularity": "2", "dice": "1232"}}
    assert run(("ana", steps), cards=cards, drivers=drivers, chance=chance)["drivers"]["ana"]["keys"] == 3


def test_p4_an_effect_may_make_another_possible() -> None:
    cards = probe("shift", {"when": "brake", "do": "keys 1"})
    assert refused("use 3 p", "do 2", cards=cards, board=BOARD) == "E3"
    assert after("use 3 p", "do 1 B5", "do 2", cards=cards, board=BOARD)["keys"] == 1


def test_e6_in_a_mandatory_effect_what_is_impossible_is_left_out_with_its_arguments() -> None:
    must = {"must": True, "do": "return; move 4; move 1; repair 1; swap; keys 1"}
    ana = after("use 3 p", "do 1 left", cards=probe(must), board=BOARD)
    assert (ana["space"], ana["keys"], ana["open"]) == ("A2", 1, None)
    assert refused("use 3 p", "do 1 turbo 4 left", cards=probe(must), board=BOARD) == "E5"
    assert legal("use 3 p", cards=probe(must), board=BOARD) == ["do 1 left", "do 1 right"]
    ana = after("use 3 p", "do 1", cards=probe({"must": True, "do": "return"}), board=BOARD)
    assert ana["open"] is None, "with nothing left of it the effect is done"


def test_e5_operations_take_their_arguments_in_order() -> None:
    cards = probe("swap; discard any; move 1; set one 6; cover any")
    board = laid(s3="bolts", s5="ready", s6="turbo")
    ana = after("use 3 p", "do 1 3 5 3 left p1=6 5", cards=cards, board=board)
    assert (ana["discard"], ana["space"], ana["dice"]) == (["ready"], "A2", ["p2", "p6"])
    assert ana["board"]["5"] == {"card": "bolts", "covered": True, "used": False}


def test_e6_each_operation_is_looked_at_when_its_turn_comes() -> None:
    assert used("discard this; keys 1 per empty")["keys"] == 6
    assert used("popularity 1; lose popularity 1; set all 2; keys 1 per dice")["keys"] == 2
    assert refused("use 3 p", "do 1 3", cards=probe("discard this; cover any"), board=BOARD) == "E6"


def test_p9_this_card_is_followed_within_one_effect() -> None:
    ana = used("swap; discard this", "3", "5", board=laid(s3="bolts", s5="ready"))
    assert (ana["discard"], list(ana["board"])) == (["bolts"], ["3"])
