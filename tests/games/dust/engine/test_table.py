"""Several drivers: simultaneous turns (S), orders (B), assessment (V), closing (Q5) and the end (F)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.dust import scenario
from engine.dust.turn import stepping
from tests.games.dust.engine.scenes import OWN, card_set, document, laid, run, stopped

TURN = ["prepare", "end"]


# Simultaneous turns


def test_s2_s4_all_who_have_not_ended_are_to_play_until_the_round_closes() -> None:
    drivers: dict[str, Any] = {"ana": {}, "bo": {}, "cy": {}}
    found = run(("cy", TURN), ("ana", ["prepare"]), drivers=drivers)
    assert (found["next"], found["round"], found["visible"][0]) == (["ana", "bo"], 1, 1)
    found = run(("cy", TURN), ("ana", TURN), ("bo", TURN), drivers=drivers)
    assert (found["next"], found["round"], found["visible"][0]) == (["ana", "bo", "cy"], 2, 2)


def test_s4_the_round_closes_at_once_when_the_last_to_play_is_wrecked() -> None:
    drivers = {"ana": {"flipped": 7, "hits": 4}, "bo": {"speed": 3}}
    chance = {"ana": {"risk": ["1/0"]}}
    found = run(("bo", TURN), ("ana", ["prepare", "risk"]), drivers=drivers, chance=chance)
    assert (found["round"], found["next"], found["drivers"]["ana"]["phase"]) == (2, ["bo"], "out")


def test_s4_orders_are_settled_before_the_assessment() -> None:
    """V gives ana more popularity than bo has; B4 uses the values before that."""
    drivers = {
        "ana": {"keys": 9, "popularity": 1, "space": "A1", "markers": {"1": 1}},
        "bo": {"keys": 9, "popularity": 2},
    }
    chance = {"bo": {"popularity": "-"}}
    turns = [("ana", ["prepare", "buy turbo", "end"]), ("bo", ["prepare", "buy turbo", "end"])]
    found = run(*turns, drivers=drivers, chance=chance, piles={"turbo": 1})
    assert (found["drivers"]["bo"]["discard"], found["drivers"]["ana"]["discard"]) == (["turbo"], [])
    assert found["holder"] == "ana", "D1 looks after the assessment"


# Orders


def test_b1_b3_bought_cards_are_set_aside_until_the_round_closes() -> None:
    drivers = {"ana": {"keys": 9, "flipped": 2}}
    found = run(("ana", ["prepare", "buy turbo", "buy tyre-change"]), drivers=drivers)
    ana = found["drivers"]["ana"]
    assert (ana["keys"], ana["aside"], ana["discard"]) == (2, ["turbo", "tyre-change"], [])
    assert found["piles"]["turbo"] == 8, "orders that lie aside are not yet taken off"
    found = run(("ana", ["prepare", "buy turbo", "end"]), drivers=drivers)
    assert (found["piles"]["turbo"], found["drivers"]["ana"]["discard"], found["drivers"]["ana"]["aside"]) == (
        7,
        ["turbo"],
        [],
    )


def test_b2_no_more_than_lay_there_when_the_round_opened() -> None:
    drivers = {"ana": {"keys": 9}, "bo": {"keys": 9}}
    steps = ["prepare", "buy tyre-change", "buy tyre-change"]
    assert stopped(("ana", [*steps, "buy tyre-change"]), drivers=drivers, piles={"tyre-change": 2}) == "B2"
    found = run(("ana", [*steps, "end"]), ("bo", steps), drivers=drivers, piles={"tyre-change": 2})
    assert found["drivers"]["bo"]["aside"] == ["tyre-change"] * 2, "others' orders of the round do not count"


def settle(copies: int, wants: dict[str, tuple[int, int, int]]) -> dict[str, int]:
    """Return how many Tyre Changes each driver gets of the number wanted, by popularity and speed."""
    drivers = {name: {"keys": 9, "popularity": pop, "speed": speed} for name, (_, pop, speed) in wants.items()}
    turns = [(name, ["prepare", *["buy tyre-change"] * count, "end"]) for name, (count, _, _) in wants.items()]
    chance = {name: {"popularity": "-"} for name in wants}
    found = run(*turns, drivers=drivers, chance=chance, piles={"tyre-change": copies})
    got = {name: one["discard"].count("tyre-change") for name, one in found["drivers"].items()}
    assert found["piles"]["tyre-change"] == copies - sum(got.values())
    for name, (count, _, _) in wants.items():
        assert found["drivers"][name]["keys"] == 9 - got[name], "keys of orders that are not filled come back (B6)"
        assert count >= got[name]
    return got


@pytest.mark.parametrize(
    ("copies", "wants", "got"),
    [
        (3, {"a": (2, 0, 0), "b": (1, 0, 0)}, {"a": 2, "b": 1}),
        (2, {"a": (2, 0, 5), "b": (1, 3, 9)}, {"a": 1, "b": 1}),
        (2, {"a": (2, 3, 5), "b": (1, 3, 9)}, {"a": 2, "b": 0}),
        (1, {"a": (1, 3, 5), "b": (1, 3, 5), "c": (1, 0, 0)}, {"a": 0, "b": 0, "c": 0}),
        (3, {"a": (3, 3, 5), "b": (1, 3, 5), "c": (1, 0, 0)}, {"a": 2, "b": 1, "c": 0}),
        (4, {"a": (2, 3, 5), "b": (1, 3, 5), "c": (2, 0, 0)}, {"a": 2, "b": 1, "c": 1}),
        (3, {"a": (2, 3, 5), "b": (2, 3, 5), "c": (1, 9, 0)}, {"a": 1, "b": 1, "c": 1}),
        (2, {"a": (2, 3, 5), "b": (2, 3, 5), "c": (1, 9, 0)}, {"a": 0, "b": 0, "c": 1}),
    ],
)
def test_b4_copy_by_copy(copies: int, wants: dict[str, tuple[int, int, int]], got: dict[str, int]) -> None:
    assert settle(copies, wants) == got


def test_b4_each_pile_is_settled_by_itself() -> None:
    drivers = {"ana": {"keys": 9}, "bo": {"keys": 9}}
    steps = ["prepare", "buy tyre-change", "buy turbo", "end"]
    found = run(("ana", steps), ("bo", steps), drivers=drivers, piles={"tyre-change": 1})
    assert found["drivers"]["ana"]["discard"] == ["turbo"]
    assert found["piles"] == {**found["piles"], "tyre-change": 1, "turbo": 6}


TAKING = card_set({"bolts": [{"do": "take 1-2"}, {"do": "take 1-5"}]})


def test_b5_taken_cards_go_on_the_deck_the_last_one_topmost() -> None:
    steps = ["prepare", "use 3 p", "do 1 suspension", "do 2 turbo", "end"]
    drivers = {"ana": {"board": laid(s3="bolts"), "hand": ["ready"] * 5, "deck": ["ready"], "top": ["roadbook"]}}
    found = run(("ana", steps), cards=TAKING, drivers=drivers)
    assert found["drivers"]["ana"]["top"] == ["roadbook", "suspension", "turbo"]
    assert (found["piles"]["suspension"], found["piles"]["turbo"]) == (7, 7)


def test_b6_the_earlier_orders_are_filled_first_bought_or_taken() -> None:
    board = laid(s3="bolts")
    drivers = {"ana": {"board": board, "keys": 9, "popularity": 1}, "bo": {"keys": 9, "popularity": 1}}
    ana = ["prepare", "use 3 p", "do 1 tyre-change", "done", "buy tyre-change", "end"]
    bo = ["prepare", "buy tyre-change", "end"]
    found = run(("ana", ana), ("bo", bo), cards=TAKING, drivers=drivers, piles={"tyre-change": 2})
    assert (found["drivers"]["ana"]["top"], found["drivers"]["ana"]["discard"]) == (["tyre-change"], [])
    assert found["drivers"]["ana"]["keys"] == 9


def test_b6_keys_come_back_up_to_the_limit() -> None:
    cards = card_set({"bolts": [{"do": "keys 4"}]})
    ana = ["prepare", "buy turbo", "use 3 p", "do 1", "end"]
    drivers = {"ana": {"keys": 9, "board": laid(s3="bolts")}, "bo": {"keys": 9}}
    found = run(("ana", ana), ("bo", ["prepare", "buy turbo", "end"]), cards=cards, drivers=drivers, piles={"turbo": 1})
    assert (found["drivers"]["ana"]["keys"], found["drivers"]["bo"]["keys"]) == (10, 9)


def test_q5_r7_token_7_takes_keys_and_traction_but_not_what_comes_back() -> None:
    drivers = {"ana": {"flipped": 7, "keys": 9, "traction": 9}, "bo": {"keys": 9}}
    steps = ["prepare", "buy suspension", "end"]
    found = run(("ana", steps), ("bo", steps), drivers=drivers, piles={"suspension": 1})
    assert (found["drivers"]["ana"]["keys"], found["drivers"]["ana"]["traction"]) == (3, 0)
    assert run(("ana", TURN), drivers={"ana": {"flipped": 7, "keys": 9}})["drivers"]["ana"]["keys"] == 0


# Assessment


def test_s1_s5_v1_the_card_of_the_round_leaves_and_the_next_one_is_opened() -> None:
    """A round ends with the assessment; the discard and the draw of the preparation wait for the next `prepare`."""
    start = {"markers": {"1": 1, "2": 1}, "hand": ["ready"] * 5, "deck": ["turbo"] * 2}
    found = run(("ana", ["prepare", "play ready 6", "end"]), drivers={"ana": start})
    ana = found["drivers"]["ana"]
    assert (found["visible"], ana["markers"], ana["speed"]) == ([2, 3, 4, 5, 6, 7], {"2": 1}, 4)
    assert (ana["phase"], ana["hand"], ana["deck"]) == ("prepare", ["ready"] * 4, ["turbo"] * 2)


@pytest.mark.parametrize(
    ("space", "speed", "popularity"),
    [
        ("A1", 0, 10), ("A2", 6, 0), ("A3", 8, 0), ("A4", 6, 0), ("A5", 0, 10), ("B1", 0, 6), ("B2", 0, 4),
        ("B3", 2, 0),
        ("B4", 4, 0), ("B5", 4, 0), ("B6", 4, 0), ("B7", 4, 0), ("B8", 2, 0), ("B9", 0, 4), ("B10", 0, 6),
    ],
)  # fmt: skip
def test_v2_m6_what_two_markers_bring(space: str, speed: int, popularity: int) -> None:
    found = run(("ana", TURN), drivers={"ana": {"space": space, "markers": {"1": 2, "2": 1}}})
    ana = found["drivers"]["ana"]
    assert (ana["speed"], ana["popularity"], ana["markers"]) == (speed, popularity, {"2": 1})


def test_v2_popularity_is_cut_at_the_limit_v3_no_marker_nothing() -> None:
    found = run(
        ("ana", TURN),
        drivers={"ana": {"space": "A1", "markers": {"1": 3}, "popularity": 9}},
        chance={"ana": {"popularity": "-"}},
    )
    assert found["drivers"]["ana"]["popularity"] == 15
    assert run(("ana", TURN), drivers={"ana": {"space": "A3", "markers": {"2": 3}}})["drivers"]["ana"]["speed"] == 0


# The end


def ended(drivers: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the printed end of a game of which only the last round is played."""
    chance = {name: {"popularity": "-", "risk": ["0/0"] * 3} for name in drivers}
    return run(*[(name, TURN) for name in drivers], drivers=drivers, chance=chance, round=10, **more)


def test_f1_the_game_ends_with_the_last_stage_card_and_nothing_is_cleared() -> None:
    found = ended({"ana": {"board": laid(s1="ready"), "flipped": 7, "keys": 3, "markers": {"10": 1}}})
    ana = found["drivers"]["ana"]
    assert (found["round"], found["over"], found["holder"], found["visible"], found["next"]) == (10, True, None, [], [])
    assert (ana["phase"], ana["keys"], list(ana["board"]), ana["dice"], ana["speed"]) == (
        "finished",
        3,
        ["1"],
        ["p1", "p2", "p3"],
        4,
    )


def test_f1_the_game_ends_when_nobody_is_left() -> None:
    drivers = {"ana": {"flipped": 7, "hits": 4}, "bo": {"flipped": 7, "hits": 4}}
    chance = {name: {"risk": ["1/0"]} for name in drivers}
    found = run(*[(name, ["prepare", "risk"]) for name in drivers], drivers=drivers, chance=chance, round=3)
    assert (found["over"], found["round"]) == (True, 3)
    assert [(one["points"], one["place"], one["seconds"]) for one in found["drivers"].values()] == [(None, 1, 960)] * 2


def test_f2_points_of_all_cards_but_removed_ones_and_of_risk_dice() -> None:
    start = {
        "speed": 10, "risk": 2, "hand": ["title-sponsor"] * 5, "deck": ["flat-out"], "top": ["turbo"],
        "discard": ["roadbook"],
        "removed": ["title-sponsor"], "board": {"3": {"card": "fan-zone", "covered": True}},
    }  # fmt: skip
    found = ended({"ana": start})
    assert found["drivers"]["ana"]["points"] == 10 + 15 + 2 + 1 + 1 + 1 - 2


def test_f3_popularity_at_the_end() -> None:
    found = ended({"a": {"popularity": 4}, "b": {"popularity": 4}, "c": {"popularity": 2}, "d": {"popularity": 0}})
    assert [one["points"] for one in found["drivers"].values()] == [3, 3, 1, 0]
    found = ended({"a": {}, "b": {"popularity": 1}})
    assert [one["points"] for one in found["drivers"].values()] == [0, 3]


def test_f4_f5_places_and_times() -> None:
    found = ended(
        {"a": {"speed": 9, "flipped": 1}, "b": {"speed": 9}, "c": {"speed": 9}, "d": {"speed": 6, "popularity": 1}}
    )
    assert [(one["place"], one["seconds"]) for one in found["drivers"].values()] == [
        (4, 855),
        (2, 855),
        (2, 855),
        (1, 855),
    ]


def test_f4_f5_wrecked_drivers_share_the_last_place() -> None:
    drivers = {"a": {"flipped": 7, "hits": 4}, "b": {"speed": 9}, "c": {"flipped": 7, "hits": 4}}
    chance = {name: {"risk": ["1/0"]} for name in drivers}
    turns = [("a", ["prepare", "risk"]), ("c", ["prepare", "risk"]), ("b", TURN)]
    found = run(*turns, drivers=drivers, chance=chance, round=10)
    assert [(one["place"], one["seconds"], one["phase"]) for one in found["drivers"].values()] == [
        (2, 915, "out"),
        (1, 855, "finished"),
        (2, 915, "out"),
    ]


# The events of a closing


@pytest.mark.parametrize(("space", "speed", "popularity"), [("A3", 4, 0), ("A1", 0, 5)])
def test_v2_a_closing_tells_what_a_marker_brought_and_not_what_there_was(
    space: str, speed: int, popularity: int
) -> None:
    start = {"speed": 7, "popularity": 2, "space": space, "markers": {"1": 1}}
    told = document(("ana", ["prepare"]), drivers={"ana": start}, chance={"ana": {"popularity": "-"}})
    table, error = scenario.ended(told, OWN)
    assert error is None
    closing = stepping.carry_out(table, "ana", "end", OWN, None).closing
    assert closing is not None
    assert closing["assessed"] == {"ana": {"markers": 1, "speed": speed, "popularity": popularity}}


def test_r5_nothing_waits_for_a_driver_who_leaves_while_a_roll_waits() -> None:
    start = {"driver": "sofia", "risk": 1, "board": laid(s6="sofia-nerves")}
    told = document(("ana", ["prepare"]), drivers={"ana": start}, chance={"ana": {"risk": ["3/1"]}})
    table, error = scenario.ended(told, OWN)
    assert error is None and table["drivers"]["ana"]["pending"] is not None
    left = stepping.resign(table, "ana", OWN).table["drivers"]["ana"]
    assert (left["phase"], left["pending"]) == ("out", None)
