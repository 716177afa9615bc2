"""Scenarios and records: played, written, folded, verified, and refused when they are damaged."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from engine import record
from engine.chance import SeededChance, commitment
from engine.dirt.scenario import play as play_scenario
from engine.record import RecordError
from tests.games.dirt.engine.scenes import RULES, Scene, car

SECRET = bytes(range(32))


def scenario(**changes: Any) -> dict[str, Any]:
    """Return a legal scenario of one turn, with changes."""
    return {
        "stage": "1/1",
        "drivers": [{"id": "ana"}],
        "chance": {"dice": ".."},
        "turns": [{"driver": "ana", "plan": "1:1.2.l 2:1.3.l", "roll": "one by one"}],
    } | changes


def turn(**changes: Any) -> dict[str, Any]:
    return {"driver": "ana", "plan": "1:1.2.l 2:1.3.l"} | changes


def driven_record(*cars: dict[str, Any] | str, road: str = "1/1", last: bool = True) -> dict[str, Any]:
    """Return the record, in format 1, of a stage that the computer has driven to the end."""
    scene = Scene(road, *cars, last=last)
    chance = SeededChance(SECRET, ["salt", "pepper"])
    turns = []
    while driver := scene.next:
        orders = RULES.autopilot(scene.state, driver)
        scene.state, events = RULES.play(scene.state, driver, orders, chance)
        turns.append({"driver": driver, "orders": orders, "events": list(events)})
    written = record.write(
        rules=RULES,
        stage=scene.stage,
        entrants=scene.entrants,
        options=scene.state["options"],
        turns=turns,
        chance={"commitment": commitment(SECRET), "phrases": ["salt", "pepper"], "secret": SECRET.hex()},
        form=1,
    )
    document: dict[str, Any] = json.loads(json.dumps(written))
    return document


# Scenarios


def test_a_scenario_gives_the_position_of_every_driver() -> None:
    """Waiting, retired, on the road: the same fields; the mud by tile; the next driver."""
    shown, legal = play_scenario(
        scenario(
            stage="6/2",
            drivers=[
                {
                    "id": "ana",
                    "space": "2.1.l",
                    "gear": 3,
                    "tokens": 2,
                    "damage": {"coast": 1},
                    "spare": False,
                    "sisu": False,
                },
                {"id": "bo", "damage": {"gear": 6}},
                {"id": "cy"},
            ],
            chance={"dice": ".", "shortcuts": ["mud"]},
            turns=[turn(plan="4:2.k1.1")],
        )
    )
    assert legal
    unhurt = {"gear": 0, "coast": 0, "brake": 0}
    waiting = {
        "space": "grid", "gear": 0, "on_track": True, "cards": [],
        "tokens": 0, "spare": True, "sisu": True, "damage": unhurt,
        "finished": False, "retired": False, "stage_time": None,
    }  # fmt: skip
    assert shown == {
        "drivers": {
            "ana": waiting | {
                "space": "2.k1.1", "gear": 4, "cards": [20], "tokens": 2, "spare": False, "sisu": False,
                "damage": unhurt | {"coast": 1},
            },
            "bo": waiting | {"retired": True, "damage": unhurt | {"gear": 6}},
            "cy": waiting,
        },
        "next": "ana",
        "mud": {"2": 1},
    }  # fmt: skip


def test_a_scenario_ends_with_the_times_of_all() -> None:
    """A retired driver gets the slowest finisher's time and a minute; there is no next driver."""
    drivers = [{"id": "ana", "space": "9.3.l", "gear": 4, "tokens": 4}, {"id": "bo", "damage": {"gear": 6}}]
    shown, _ = play_scenario(scenario(drivers=drivers, turns=[turn(plan="4:10.1.l 5:10.2.l")]))
    assert shown["next"] is None
    assert [shown["drivers"][name]["stage_time"] for name in ("ana", "bo")] == [11, 71]
    assert [shown["drivers"][name]["finished"] for name in ("ana", "bo")] == [True, False]


def test_a_scenario_stops_at_the_first_illegal_turn() -> None:
    shown, legal = play_scenario(scenario(turns=[turn(), turn(plan="5:2.1.o1"), turn()], chance={"dice": "...."}))
    assert not legal
    assert (shown["error"]["turn"], shown["error"]["rule"]) == (2, "D4")
    assert shown["error"]["message"]


def test_a_scenario_may_have_no_turns() -> None:
    shown, legal = play_scenario(scenario(turns=[], chance={}))
    assert legal
    assert shown["next"] == "ana"


@pytest.mark.parametrize(("sisu", "aboard"), [(None, False), ("stage", True), ("rally", True), ("service", True)])
def test_R7_a_scenario_without_sisu_tokens_says_null(sisu: str | None, aboard: bool) -> None:
    shown, _ = play_scenario(scenario(options={"sisu": sisu}))
    assert shown["drivers"]["ana"]["sisu"] is aboard


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"stage": "7/1"}, "stage"), ({"stage": None}, "stage"), ({"stage": 5}, "stage"),
        ({"stage": {"tiles": ["202a"]}}, "stage"),
        ({"stage": {"tiles": [{"tile": "202a"}, {"tile": "203a", "at": [5, 5]}]}}, "stage"),
        ({"last_stage": "yes"}, "last_stage"), ({"last_stage": 1}, "last_stage"),
        ({"options": []}, "options"), ({"options": {"sisu": "often"}}, "options"), ({"options": {"wings": True}},
        "options"),
        ({"options": {"flying_start": 1}}, "options"), ({"options": {"time_card_1": 10**30}}, "options"),
        ({"drivers": []}, "drivers"), ({"drivers": {}}, "drivers"), ({"drivers": ["ana"]}, "drivers"),
        ({"drivers": [{}]}, "id"),
        ({"drivers": [{"id": "ana"}, {"id": "ana"}]}, "drivers"), ({"drivers": [{"id": 5}]}, "id"),
        ({"drivers": [{"id": str(n)} for n in range(7)]}, "at most 6"),
        ({"drivers": [{"id": "ana", "damage": {"gear": True}}]}, "damage"),
        ({"drivers": [{"id": "ana", "damage": {"gear": -1}}]}, "damage"),
        ({"drivers": [{"id": "ana", "damage": {"gear": 10**12}}]}, "damage"),
        ({"drivers": [{"id": "ana", "damage": {"wheel": 1}}]}, "damage"), ({"drivers": [{"id": "ana",
        "damage": 2}]}, "damage"),
        ({"drivers": [{"id": "ana", "space": "1.9.l"}]}, "1.9.l"), ({"drivers": [{"id": "ana", "space": 5}]},
        "space"),
        ({"drivers": [{"id": "ana", "space": "10.2.l"}]}, "finish line"),
        ({"drivers": [{"id": "ana", "space": "1.2.l"}, {"id": "bo", "space": "1.2.l"}]}, "another car"),
        ({"drivers": [{"id": "ana", "space": "2.1.i1"}, {"id": "bo", "space": "2.1.o1"}]}, "another car"),
        ({"drivers": [{"id": "ana", "gear": 7}]}, "gear"), ({"drivers": [{"id": "ana", "gear": -1}]}, "gear"),
        ({"drivers": [{"id": "ana", "gear": "3"}]}, "gear"), ({"drivers": [{"id": "ana", "gear": True}]}, "gear"),
        ({"drivers": [{"id": "ana", "tokens": -3}]}, "tokens"), ({"drivers": [{"id": "ana", "tokens": 10**9}]},
        "tokens"),
        ({"drivers": [{"id": "ana", "spare": 1}]}, "spare"), ({"drivers": [{"id": "ana", "sisu": "yes"}]}, "sisu"),
        ({"chance": []}, "chance"), ({"chance": {"dice": ".?"}}, "chance"), ({"chance": {"dice": [True]}}, "dice"),
        ({"chance": {"cards": "spin"}}, "cards"), ({"chance": {"cards": [1]}}, "cards"), ({"chance": {"luck": 1}},
        "luck"),
        ({"chance": {"dice": "."}}, "turn 1"), ({"chance": {"dice": "!!!", "cards": ["skid"]},
        "turns": [turn(plan="1:1.2.l 2:1.3.l c:2.1.o1")]}, "turn 1"),
        ({"turns": {}}, "turns"), ({"turns": [None]}, "turn 1"), ({"turns": [{}]}, "turn 1: driver"),
        ({"turns": [turn(plan=5)]}, "turn 1: plan"),
        ({"turns": [turn(plan=["1:1.2.l"])]}, "turn 1: plan"), ({"turns": [turn(driver=None)]}, "turn 1: driver"),
        ({"turns": [turn(roll=1)]}, "turn 1: roll"),
        ({"turns": [turn(stop_after="2")]}, "turn 1: stop_after"), ({"turns": [turn(stop_after=True)]},
        "turn 1: stop_after"),
        ({"turns": [turn(stop_after=1.5)]}, "turn 1: stop_after"), ({"turns": [turn(secure=1)]}, "turn 1: secure"),
        ({"turns": [turn(secure=["1"])]}, "turn 1: secure"), ({"turns": [turn(secure=[True])]}, "turn 1: secure"),
        ({"turns": [turn(sisu=1)]}, "turn 1: sisu"), ({"turns": [turn(spare="no")]}, "turn 1: spare"),
        ({"turns": [turn(relay=5)]}, "turn 1: relay"),
        ({"game": "chess"}, "chess"), ({"game": 1}, "game"),
    ],
)  # fmt: skip
def test_nonsense_in_a_scenario_is_named(change: dict[str, Any], said: str) -> None:
    """Never a traceback: the message says what is wrong, and where."""
    with pytest.raises(record.GameError) as refusal:
        play_scenario(scenario(**change))
    assert said in refusal.value.message


@pytest.mark.parametrize("document", [None, [], "a", 5, True])
def test_a_scenario_is_an_object(document: Any) -> None:
    with pytest.raises(RecordError):
        play_scenario(document)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"stop_after": 0}, "D9"), ({"stop_after": -1}, "R1"), ({"stop_after": 10**9}, "R1"), ({"secure": [10**9]},
        "R3"), ({"roll": "fast"}, "R1"),
        ({"plan": "nonsense"}, "D3"), ({"plan": "1:1.2.l " * 500}, "D2"), ({"driver": "zoe"}, "O1"),
        ({"relay": "1:1.2.l"}, "R6"), ({"spare": True}, "E4"),
    ],
)  # fmt: skip
def test_an_absurd_turn_is_an_illegal_one(change: dict[str, Any], rule: str) -> None:
    shown, legal = play_scenario(scenario(turns=[turn(**change)]))
    assert not legal
    assert shown["error"]["rule"] == rule


# Records


def test_a_record_follows_from_its_secret() -> None:
    document = driven_record("ana", "bo", car("cy", damage={"gear": 2}), road="6/2", last=False)
    assert record.verify(document) is None
    rules, state = record.fold(document)
    assert rules.to_play(state) == ()
    assert rules.result(state) is not None


def test_a_changed_die_is_found() -> None:
    document = driven_record("ana")
    rolls = [event for entry in document["turns"] for event in entry["events"] if event["kind"] == "roll"]
    rolls[-1]["faces"] = [not face for face in rolls[-1]["faces"]]
    assert "the secret gives" in str(record.verify(document))


def test_another_secret_is_found() -> None:
    document = driven_record("ana")
    document["chance"]["secret"] = bytes(32).hex()
    assert "promised" in str(record.verify(document))


def test_other_phrases_are_found() -> None:
    document = driven_record("ana")
    document["chance"]["phrases"] = ["salt"]
    assert str(record.verify(document)).startswith("turn ")


def test_left_out_events_and_illegal_orders_are_found() -> None:
    short = driven_record("ana")
    short["turns"][0]["events"].pop()
    assert "events" in str(record.verify(short))
    illegal = driven_record("ana")
    illegal["turns"][0]["orders"] = {"do": "turn", "plan": "5:1.2.l"}
    assert str(record.verify(illegal)) == "turn 1: D4: from gear 0 the first gear is 1"


@pytest.mark.parametrize(
    "damage",
    [
        {"record": 2}, {"record": 3}, {"record": None}, {"game": "chess"}, {"game": None}, {"stage": None},
        {"stage": []},
        {"stage": {"tiles": ["202a"]}},
        {"options": None}, {"options": {"sisu": 5}}, {"entrants": None}, {"entrants": [None]}, {"entrants": [{}]},
        {"entrants": [{"id": "ana"}]},
        {"entrants": [{"id": "ana", "car": {"damage": {"gear": "x"}}}]}, {"entrants": [{"id": "ana",
        "car": {"damage": {"gear": 10**12}}}]},
        {"entrants": [{"id": ["ana"], "car": {"damage": {}}}]}, {"turns": None}, {"turns": [None]},
        {"turns": [{}]}, {"turns": [{"events": 5}]},
        {"turns": [{"driver": "ana", "orders": None, "events": []}]}, {"turns": [{"driver": "ana",
        "orders": {"do": "turn", "plan": 5}, "events": []}]},
        {"turns": [{"driver": "ana", "orders": {"do": "turn", "plan": "1:1.2.l"}, "events": None}]},
        {"turns": [{"driver": "ana", "orders": {}, "events": [{"kind": "explosion"}]}]},
        {"turns": [{"driver": "ana", "orders": {}, "events": [{"kind": "token", "driver": "ana",
        "token": 5, "shows": [], "tile": None}]}]},
        {"turns": [{"driver": "ana", "orders": {}, "events": [{"kind": "move", "driver": "ana",
        "space": 5, "gear": "x"}]}]},
        {"turns": [{"driver": "ana", "orders": {}, "events": [{"kind": "over", "retired": {"zoe": 5}}]}]},
        {"turns": [{"driver": "ana", "orders": {}, "events": ["over", None, 5]}]},
    ],
)  # fmt: skip
def test_a_damaged_record_is_refused_in_words(damage: dict[str, Any]) -> None:
    """Folding or verifying it gives an error that names the place, or a finding, and nothing else."""
    document = deepcopy(driven_record("ana")) | damage
    for read in (record.fold, record.verify):
        try:
            found = read(document)
        except RecordError as refusal:
            assert refusal.message
        else:
            assert read is record.fold or found


def _with(path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """Return a good record in which one value is replaced, or removed (None)."""
    document = driven_record("ana")
    inside: Any = document
    for step in path[:-1]:
        inside = inside[step]
    if value is None:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("record",), 3, "record: this is not a record of format 1 or 2"),
        (("version",), "9.9", "version: '9.9' is not known here"),
        (("version",), "1.0.1", "version: '1.0.1'"),
        (("version",), "new", "version: 'new'"),
        (("version",), "1." + "0" * 5000, "version: "),
        (("version",), None, "version: str expected"),
        (("game",), "chess", "chess"),
        (("stage", "tiles", 2, "tile"), "999x", "stage: tile 3: there is no tile face '999x'"),
        (("stage", "tiles", 2, "at"), [9, 9], "stage: tile 3: "),
        (("stage", "tiles", 1, "speed"), 5, "stage: tile 2: 'speed'"),
        (("options", "wings"), True, "options: wings: "),
        (("options", "sisu"), "often", "options: sisu: one of stage"),
        (("entrants", 0, "car"), None, "entrants: 'car' is missing"),
        (("entrants", 0, "car", "spare"), None, "entrants: 'spare' is missing"),
        (("turns", 3, "events"), None, "turn 4: 'events' is missing"),
        (("turns", 3), [], "turn 4: "),
        (("turns", 1, "events", 1, "kind"), "dance", "turn 2, event 2: no event is called 'dance'"),
        (("turns", 1, "events", 1, "kind"), None, "turn 2, event 2: 'kind' is missing"),
        (("turns", 0, "events", 0, "driver"), "zoe", "turn 1, event 1: turn: there is no driver 'zoe'"),
        (("turns", 0, "events", 0, "driver"), None, "turn 1, event 1: turn: there is no driver None"),
    ],
)
def test_the_place_in_a_damaged_record_is_named(path: tuple[str | int, ...], value: Any, said: str) -> None:
    with pytest.raises(RecordError) as refusal:
        record.fold(_with(path, value))
    assert said in refusal.value.message


def test_a_space_that_is_not_on_the_stage_is_found() -> None:
    document = driven_record("ana")
    number, moved = next(
        (number, event)
        for number, turn in enumerate(document["turns"], 1)
        for event in turn["events"]
        if event["kind"] == "move"
    )
    moved["space"] = "99.1.l"
    with pytest.raises(RecordError, match=rf"turn {number}, event \d: move: there is no space '99\.1\.l'"):
        record.fold(document)


def test_a_record_of_earlier_rules_is_folded() -> None:
    assert record.fold(driven_record("ana") | {"version": "0.9"})[1]["over"]


@pytest.mark.parametrize(
    ("field", "said"), [("events", "turn 2: events: list expected"), ("orders", "turn 2: 'orders'")]
)
def test_what_is_missing_in_a_turn_is_named_when_it_is_verified(field: str, said: str) -> None:
    with pytest.raises(RecordError) as refusal:
        record.verify(_with(("turns", 1, field), None))
    assert said in refusal.value.message


@pytest.mark.parametrize(
    "chance",
    [{}, {"secret": None}, {"secret": "zz"}, {"secret": "00"}, {"secret": SECRET.hex(), "phrases": "salt"},
    {"secret": SECRET.hex(), "phrases": [1, "a"]},
     {"secret": SECRET.hex(), "phrases": [{}, []]}],
)  # fmt: skip
def test_damaged_chance_is_refused_in_words(chance: dict[str, Any]) -> None:
    with pytest.raises(RecordError) as refusal:
        record.verify(driven_record("ana") | {"chance": chance})
    assert refusal.value.message
