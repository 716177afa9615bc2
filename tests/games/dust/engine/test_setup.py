"""The set-up: drivers and characters (U1, S7), options (O1 to O4), and unreadable files (O6)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.contract import GameError
from engine.dust import scenario
from engine.dust.setup import SetupRefused
from tests.games.dust.engine.scenes import document, run, stopped


def setup_refused(drivers: list[dict[str, Any]], **more: Any) -> str:
    """Return the rule that refuses a set-up."""
    with pytest.raises(SetupRefused) as refused:
        scenario.play({"game": "dust", "stage": "saltwind", "drivers": drivers, "chance": {}, "turns": [], **more})
    assert refused.value.rule in refused.value.message
    return refused.value.rule


def ids(*names: str) -> list[dict[str, Any]]:
    return [{"id": name} for name in names]


def test_u1_o6_one_to_four_drivers_each_another_id_and_character() -> None:
    assert setup_refused([]) == "U1"
    assert setup_refused(ids("a", "b", "c", "d", "e")) == "U1"
    assert setup_refused(ids("a", "a")) == "U1"
    assert setup_refused(ids("")) == "U1"
    assert setup_refused([{"id": "a", "driver": "aiko"}, {"id": "b", "driver": "aiko"}]) == "U1"
    assert setup_refused([{"id": "a", "driver": "ayrton"}]) == "U1"
    assert setup_refused(ids("ghost")) == "S7"


def test_u1_a_driver_without_a_choice_gets_the_first_character_left_in_starting_order() -> None:
    found = run(drivers={"a": {}, "b": {"driver": "sofia"}, "c": {}, "d": {"driver": "harry"}})
    assert [one["driver"] for one in found["drivers"].values()] == ["aiko", "sofia", "ferenc", "harry"]


NINE = [
    "tyre-change",
    "suspension",
    "data-room",
    "service-park",
    "roadbook",
    "test-drive",
    "hairpins",
    "turbo",
    "racing-line",
]


@pytest.mark.parametrize(
    ("rule", "options"),
    [
        ("O1", {"pool": "training"}),
        ("O1", {"pool": "none"}),
        ("O1", {"pool": 3}),
        ("O1", {"pool": NINE[:8]}),
        ("O1", {"pool": [*NINE[:8], "flat-out"]}),
        ("O1", {"pool": [*NINE[:8], "ready"]}),
        ("O1", {"pool": [*NINE, "racing-line"]}),
        ("O2", {"cards": 6}),
        ("O2", {"cards": "5"}),
        ("O2", {"cards": True}),
        ("O3", {"damaged": 3}),
        ("O3", {"damaged": -1}),
        ("O3", {"damaged": "1"}),
        ("O4", {"ghost": "casper"}),
    ],
)
def test_o1_o2_o3_o4_options_that_are_refused(rule: str, options: dict[str, Any]) -> None:
    assert setup_refused(ids("ana"), options=options) == rule


def test_o1_o2_o4_not_on_the_training_stage_and_the_ghost_for_one() -> None:
    for rule, options in (("O1", {"pool": "basic"}), ("O2", {"cards": 5}), ("O4", {"ghost": "plain"})):
        assert setup_refused(ids("ana"), stage="training", options=options) == rule
    assert setup_refused(ids("ana", "bo"), options={"ghost": "plain"}) == "O4"


def test_o1_o2_o3_what_options_do() -> None:
    found = run(drivers={"ana": {}}, options={"pool": NINE, "cards": 5, "damaged": 2}, round=2)
    assert list(found["piles"]) == NINE
    assert found["visible"] == [2, 3, 4, 5]
    assert found["drivers"]["ana"]["flipped"] == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"stage": "nowhere"},
        {"stage": None},
        {"round": 11},
        {"round": 0},
        {"round": "1"},
        {"drivers": "ana"},
        {"drivers": ["ana"]},
        {"drivers": [{"id": 3}]},
        {"drivers": [{"id": "ana", "start": {"keys": 11}}]},
        {"drivers": [{"id": "ana", "start": {"hits": 5}}]},
        {"drivers": [{"id": "ana", "start": {"space": "C1"}}]},
        {"drivers": [{"id": "ana", "start": {"hand": ["nobody"]}}]},
        {"drivers": [{"id": "ana", "start": {"board": {"7": "ready"}}}]},
        {"drivers": [{"id": "ana", "start": {"markers": {"11": 1}}}]},
        {"drivers": [{"id": "ana", "start": {"wings": 1}}]},
        {"piles": {"nobody": 1}},
        {"options": {"weather": 1}},
        {"turns": [{"driver": "ana"}]},
        {"turns": [{"driver": "ana", "steps": [1]}]},
        {"chance": []},
        {"chance": {"ana": {"dice": 123}}},
        {"chance": {}, "turns": [{"driver": "ana", "steps": ["prepare"]}]},
        {"chance": {"ana": {"dice": "127"}}, "turns": [{"driver": "ana", "steps": ["prepare"]}]},
    ],
)
def test_o6_a_file_that_cannot_be_read(wrong: dict[str, Any]) -> None:
    with pytest.raises(GameError):
        scenario.play({**document(drivers={"ana": {}}), **wrong})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"round": 11}, "round: a whole number from 1 to 10 is needed"),
        (
            {"drivers": [{"id": "ana", "start": {"speed": -1}}]},
            "drivers: ana: start: speed: a whole number from 0 is needed",
        ),
    ],
)
def test_an_unreadable_file_gets_a_message_about_what_is_missing(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(GameError) as refused:
        scenario.play({**document(drivers={"ana": {}}), **wrong})
    assert refused.value.message == said


def test_n1_o2_a_stage_card_that_the_stage_lacks_is_not_open() -> None:
    start = {"ana": {"traction": 10}}
    assert stopped(("ana", ["prepare", "place 11"]), drivers=start, round=10) == "N1"
    assert stopped(("ana", ["prepare", "place 6"]), drivers=start, round=3, options={"cards": 5}) == "N1"
