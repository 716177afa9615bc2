"""Records of format 2: chance is checked from the seal alone, then the rules; large records are refused cheaply."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from time import process_time
from typing import Any

import pytest

from engine import record, verification
from engine.chance import SealChance, commitment, common_secret, digest, secret_of_run
from engine.dirt import legal_moves
from engine.record import RecordError
from tests.games.dirt.engine.scenes import RULES, Scene

SEAL = bytes(range(32))
PHRASES = ["gravel", "zażółć"]
SECONDS = 2.0
"""The most processor seconds for any record, on a machine that does other things as well."""


@cache
def _driven(dice: str) -> str:
    scene = Scene("1/1", "ana", dice=dice, leader_dice=False)
    options, turns = scene.state["options"], []
    secret, common = secret_of_run(SEAL, 3), common_secret(SEAL) if dice == "duplicate" else None
    chance = SealChance(secret, phrases=digest(PHRASES), common=common)
    while driver := scene.next:
        orders = RULES.autopilot(scene.state, driver)
        chance.salt, chance.draws = f"salt {len(turns)}", []
        scene.state, events = RULES.play(scene.state, driver, orders, chance)
        turns.append(
            {"driver": driver, "orders": orders, "salt": chance.salt, "draws": chance.draws, "events": list(events)}
        )
    told = verification.chance_of(
        seal=SEAL,
        promise=commitment(SEAL),
        run=3,
        secret=secret,
        common=common,
        phrases=PHRASES,
        published=digest(PHRASES),
    )
    return json.dumps(
        record.write(rules=RULES, stage=scene.stage, entrants=scene.entrants, options=options, turns=turns, chance=told)
    )


def driven(dice: str = "random") -> dict[str, Any]:
    """Return the record of a stage that the computer has driven to the end, each order with its own salt."""
    document: dict[str, Any] = json.loads(_driven(dice))
    return document


def drawing(document: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Return the first turn with a draw, and its number."""
    return next((number, turn) for number, turn in enumerate(document["turns"], 1) if turn["draws"])


@pytest.mark.parametrize("dice", ["random", "duplicate"])
def test_a_record_follows_from_its_seal_and_folds_to_its_end(dice: str) -> None:
    document = driven(dice)
    assert record.verify(document) is None
    assert record.verify(document, promised=commitment(SEAL), phrases=digest(PHRASES)) is None
    assert record.fold(document)[1]["over"]
    ways = {draw["by"] for turn in document["turns"] for draw in turn["draws"]}
    assert ways == ({"run"} if dice == "random" else {"run", "stage"})


def test_a_record_that_agrees_with_itself_still_needs_the_promise_from_outside() -> None:
    assert "not the one given" in str(record.verify(driven(), promised="0" * 64))
    assert "phrases in the record" in str(record.verify(driven(), phrases="0" * 64))


def test_another_salt_gives_other_draws() -> None:
    """Of several numbers at least one changes with the salt. The error names the first that does."""
    document = driven()
    number, turn = drawing(document)
    turn["salt"] = "another"
    said = str(record.verify(document))
    assert said.startswith("turn ")
    assert int(said.split()[1].rstrip(",")) >= number
    assert "the seal gives" in said


def test_draws_that_the_rules_do_not_ask_for_are_found() -> None:
    document = driven()
    number, turn = next((n, t) for n, t in reversed(list(enumerate(document["turns"], 1))) if t["draws"])
    chance = SealChance(bytes.fromhex(document["chance"]["secret"]), phrases=digest(PHRASES), salt=turn["salt"])
    chance.drawn = sum(len(each["draws"]) for each in document["turns"])
    assert number == len(document["turns"]), "the last turn draws, so that no counter behind it moves"
    chance.number("one more", 6)
    turn["draws"] += chance.draws
    count = len(turn["draws"])
    said = f"turn {number}, draw {count}: the record has {count} draws, the rules ask for {count - 1}"
    assert record.verify(document) == said


def test_draws_that_the_rules_ask_for_in_other_words_are_found() -> None:
    document = driven()
    number, turn = next((n, t) for n, t in reversed(list(enumerate(document["turns"], 1))) if t["draws"])
    last = turn["draws"][-1]
    chance = SealChance(bytes.fromhex(document["chance"]["secret"]), phrases=digest(PHRASES), salt=turn["salt"])
    chance.drawn = sum(len(each["draws"]) for each in document["turns"]) - 1
    last["number"] = chance.number("another thing", last["ends"])
    last["what"] = "another thing"
    said = str(record.verify(document))
    assert said.startswith(f"turn {number}, draw {len(turn['draws'])}: the rules ask for ana")
    turn["draws"].pop()
    assert "the record has no such draw" in str(record.verify(document))


def test_events_that_the_draws_do_not_bring_are_found() -> None:
    document = driven()
    roll = next(event for turn in document["turns"] for event in turn["events"] if event["kind"] == "roll")
    roll["faces"] = [not face for face in roll["faces"]]
    assert "the rules give" in str(record.verify(document))
    short = driven()
    short["turns"].pop()
    assert "breaks off" in str(record.verify(short))


# What cannot be read ------------------------------------------------------------------------------------


def changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    document = deepcopy(driven())
    change(document)
    return document


TOO_MUCH: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "cars": (lambda d: d.update(entrants=d["entrants"] * 12_000), "12000 cars, but at most 6"),
    "turns": (lambda d: d.update(turns=[{}] * 5001), "a record has at most 5000"),
    "events": (lambda d: d["turns"][0].update(events=[{}] * 401), "an order brings at most 400"),
    "draws": (lambda d: d["turns"][0].update(draws=[{}] * 401), "draws: at most 400"),
    "phrases": (lambda d: d["chance"].update(phrases=["x"] * 20_001), "at most 20000 texts"),
    "values": (lambda d: d.update(options=[[0] * 1000] * 400), "more than 300000 values"),
    "a long text": (lambda d: d["turns"][0].update(driver="x" * 1001), "at most 1000 characters"),
    "a long key": (lambda d: d["options"].update({"x" * 1001: 1}), "at most 1000 characters"),
    "a course too long": (lambda d: d["stage"].update(csv="x" * 400_001), "at most 400000 characters"),
    "a large number": (lambda d: d["options"].update(speed=10**30), "a number is at most"),
    "nesting": (lambda d: d["options"].update(deep=json.loads("[" * 25 + "]" * 25)), "nested too deeply"),
    "a long salt": (lambda d: d["turns"][0].update(salt="x" * 65), "salt: a text of at most 64"),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_a_record_with_more_than_any_stage_has_is_refused_before_it_costs_anything(what: str) -> None:
    change, said = TOO_MUCH[what]
    document, begun = changed(change), process_time()
    with pytest.raises(RecordError) as refusal:
        record.verify(document)
    assert said in refusal.value.message
    assert process_time() - begun < SECONDS


DAMAGED: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "no seal": (lambda d: d["chance"].pop("seal"), "seal: str expected"),
    "a short seal": (lambda d: d["chance"].update(seal="00"), "chance: seal: 64 hexadecimal digits"),
    "capitals": (lambda d: d["chance"].update(secret=d["chance"]["secret"].upper()), "chance: secret: 64"),
    "no run": (lambda d: d["chance"].update(run=0), "chance: run"),
    "phrases that are no texts": (lambda d: d["chance"].update(phrases=[1]), "chance: phrases"),
    "no salt": (lambda d: d["turns"][1].pop("salt"), "turn 2: salt"),
    "no draws": (lambda d: d["turns"][1].pop("draws"), "turn 2: draws"),
    "a draw of nothing": (lambda d: drawing(d)[1]["draws"][0].update(ends=0), "draw 1: what, ends, by and number"),
    "a way nobody knows": (lambda d: drawing(d)[1]["draws"][0].update(by="luck"), "draw 1: what, ends, by"),
    "a list for a way": (lambda d: drawing(d)[1]["draws"][0].update(by=["run"]), "draw 1: what, ends, by"),
    "by stage alone": (lambda d: drawing(d)[1]["draws"][0].update(by="stage"), "there is no common secret"),
    "a format to come": (lambda d: d.update(record=3), "not a record of format 1 or 2"),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_what_is_damaged_is_named_with_its_place(what: str) -> None:
    change, said = DAMAGED[what]
    with pytest.raises(RecordError) as refusal:
        record.verify(changed(change))
    assert said in refusal.value.message


def most_expensive_record() -> dict[str, Any]:
    """Return the most expensive record: every car of a full grid advances slowly with standing orders whose odds are
    computed move by move.
    """
    scene = Scene("6/2", *(f"car {number}" for number in range(RULES.seats.most)), leader_dice=False)
    chance = SealChance(secret_of_run(SEAL, 3), phrases=digest(PHRASES))
    options, turns = scene.state["options"], []
    while driver := scene.next:
        orders = _creeping(scene.state, driver)
        chance.draws = []
        scene.state, events = RULES.play(scene.state, driver, orders, chance)
        turns.append({"driver": driver, "orders": orders, "salt": "", "draws": chance.draws, "events": list(events)})
    told = verification.chance_of(
        seal=SEAL,
        promise=commitment(SEAL),
        run=3,
        secret=secret_of_run(SEAL, 3),
        common=None,
        phrases=PHRASES,
        published=digest(PHRASES),
    )
    written = record.write(
        rules=RULES, stage=scene.stage, entrants=scene.entrants, options=options, turns=turns, chance=told
    )
    read: dict[str, Any] = json.loads(json.dumps(written))
    return read


def test_the_most_expensive_record_costs_less_than_two_seconds() -> None:
    document = most_expensive_record()
    begun = process_time()
    assert record.verify(document) is None
    assert process_time() - begun < SECONDS


def _creeping(state: dict[str, Any], driver: str) -> dict[str, Any]:
    """Return the longest possible plan. Only one move of it is made."""
    choices, plan = legal_moves.choices(state, driver, ""), ""
    if choices.phase != "plan" or choices.forced:
        return RULES.autopilot(state, driver)
    while moves := [move for move in legal_moves.choices(state, driver, plan).moves if move.loses is None]:
        plan = f"{plan} {min(moves, key=lambda move: (move.gear, move.text)).text}".strip()
    if not plan:
        return RULES.autopilot(state, driver)
    manner = {"roll": "one by one", "stop_after": 1, "secure_at": 0, "secure_price": 50}
    return {"do": "standing", "plan": plan, **manner}


@pytest.mark.parametrize("half", ["\ud800", "a\udfffb"])
def test_half_a_character_is_refused_wherever_it_stands(half: str) -> None:
    def in_a_draw(document: dict[str, Any]) -> None:
        drawing(document)[1]["draws"][0]["what"] = half

    def in_a_salt(document: dict[str, Any]) -> None:
        document["turns"][0]["salt"] = half

    def in_a_name(document: dict[str, Any]) -> None:
        document["turns"][0]["orders"][half] = 1

    for put in (in_a_draw, in_a_salt, in_a_name):
        with pytest.raises(RecordError, match="half a character") as refusal:
            record.verify(changed(put))
        str(refusal.value).encode()  # it can be printed


def test_a_character_of_two_halves_is_a_character() -> None:
    document = changed(lambda document: document["turns"][0].update(salt="\N{RACING CAR}"))
    assert "half a character" not in str(record.verify(document))


@pytest.mark.parametrize("form", [True, 1.0, 2.0, "2", None, [2]])
def test_the_format_of_a_record_is_a_whole_number(form: object) -> None:
    with pytest.raises(RecordError, match="not a record of format 1 or 2"):
        record.verify(changed(lambda document: document.update(record=form)))
