"""Stored races that were driven with orders ahead: same chance and same orders give the same events again.

A record contains orders ahead as they were sent, not the gears and paths that followed from them. A check of the record
drives them again, so a change in how they drive would break records that people have downloaded.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from engine.formula_d.orders_ahead import DRIVING_STYLES
from tests.games.formula_d.engine.drawn import GAME, Lot

KEPT = [json.loads(line) for line in Path(__file__).with_name("orders_ahead.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("race", KEPT, ids=lambda race: race["track"])
def test_a_kept_race_is_driven_again_as_it_was(race: dict[str, Any]) -> None:
    chance = Lot(race["seed"])
    state, _ = GAME.begin(GAME.setup({"track": race["track"]}, race["entrants"], race["options"]), chance)
    for number, (seat, orders, digest) in enumerate(race["turns"]):
        state, events = GAME.play(state, seat, orders, chance)
        assert sha256(json.dumps(list(events), sort_keys=True).encode()).hexdigest()[:16] == digest, f"turn {number}"
    assert GAME.result(state) is not None


def test_they_hold_every_way_of_driving() -> None:
    assert {orders.get("way") for race in KEPT for _seat, orders, _digest in race["turns"]} >= set(DRIVING_STYLES)
