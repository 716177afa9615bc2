"""A run of every game can be exported as a record, read from its events alone, and verified from its seal."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from engine import record
from engine.chance import commitment, digest
from engine.contract import Chance, Event, State
from tests.contract.driving import PHRASES, TOYS, driven, games, same, seal_of, written
from tests.contract.toys.hush import Hush

NAMES = sorted(games())
each_game = pytest.mark.parametrize("name", NAMES)


def verified(document: Any) -> str | None:
    return record.verify(document, find=games().__getitem__)


@each_game
def test_a_record_verifies_against_its_seal(name: str) -> None:
    document = written(driven(name, 1), 1)
    seal, phrases = commitment(seal_of(1)), digest(PHRASES)
    assert record.verify(document, promised=seal, phrases=phrases, find=games().__getitem__) is None


@each_game
def test_the_events_of_a_record_give_the_state(name: str) -> None:
    drive = driven(name, 1)
    game, state = record.fold(written(drive, 1), find=games().__getitem__)
    assert game.name == name and same(state, drive.end)


@each_game
def test_a_record_that_was_changed_does_not_verify(name: str) -> None:
    """A game may draw nothing: then only turns and events can be changed."""
    document = written(driven(name, 1), 1)
    drawing = next((place for place, turn in enumerate(document["turns"]) if turn["draws"]), None)
    for field in ("number", "what", "ends") if drawing is not None else ():
        spoilt = deepcopy(document)
        draw = spoilt["turns"][drawing]["draws"][0]
        changed = {"number": (draw["number"] + 1) % draw["ends"], "what": draw["what"] + " ", "ends": draw["ends"] + 1}
        draw[field] = changed[field]
        assert verified(spoilt)
    for spoil in (
        lambda turns: turns.pop(),
        lambda turns: turns.pop(0),
        lambda turns: turns[-1]["events"].pop(),
        *(
            [lambda turns: [turn.update(salt="another") for turn in turns if turn["draws"]]]
            if drawing is not None
            else []
        ),
        lambda turns: turns[-1]["events"][-1].update(kind="zzqx"),
    ):
        spoilt = deepcopy(document)
        spoil(spoilt["turns"])
        try:
            assert verified(spoilt)
        except record.RecordError:
            continue


@each_game
def test_a_record_whose_first_turn_is_nobodys_is_refused(name: str) -> None:
    document = written(driven(name, 1), 1)
    del document["turns"][0]["driver"]
    with pytest.raises(record.RecordError, match="driver"):
        verified(document)


class OpensLightly(Hush):
    """Has an opening that changes nothing for the players."""

    def begin(self, state: State, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        event: Event = {"kind": "weather", "lot": chance.number("weather", 1_000)}
        return self.apply(state, event), (event,)

    def apply(self, state: State, event: Event) -> State:
        return state if event["kind"] == "weather" else super().apply(state, event)


def test_a_record_without_its_opening_does_not_verify(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TOYS, "OpensLightly", OpensLightly())
    document = written(driven("OpensLightly", 1), 1)
    document["game"] = "OpensLightly"
    assert verified(document) is None
    del document["turns"][0]
    assert verified(document) == "the record leaves out what happens before the first turn"
