"""The start die tells nothing before a gear is chosen that the car may have."""

from __future__ import annotations

from typing import Any

import pytest

from engine.contract import RuleError
from engine.formula_d.choices import table_of
from tests.games.formula_d.engine import scene
from tests.games.formula_d.engine.drawn import GAME
from tests.games.formula_d.engine.test_game import Dice, under_way


@pytest.mark.parametrize("gear", [{}, {"gear": None}, {"gear": 0}, {"gear": 2}, {"gear": "1"}])
@pytest.mark.parametrize("start", range(20))
def test_the_gear_is_checked_before_the_start_die_is_rolled(gear: dict[str, Any], start: int) -> None:
    """Otherwise a gear that is legal only after a great start, or only for a car that stalls, tells the die."""
    state, dice = under_way(scene.car("ana", "S1.1.0", 0, started=False), start_roll=True), Dice(start, 0)
    assert table_of(state, "ana").car["started"] is False
    with pytest.raises(RuleError) as refused:
        GAME.play(state, "ana", {"do": "gear", **gear}, dice)
    assert (refused.value.rule in ("G1", "G2")) and dice.asked == []
    assert GAME.is_old(state, "ana", {"do": "gear", **gear}), "records may hold it, for a car that stalled"
    assert not GAME.is_old(state, "ana", {"do": "gear", "gear": 1})


def test_a_record_may_hold_any_gear_for_a_car_that_stalled() -> None:
    state = under_way(scene.car("ana", "S1.1.0", 0, started=False), start_roll=True)
    _, events = GAME.play_recorded(state, "ana", {"do": "gear", "gear": 6}, Dice(0))
    assert {"kind": "start", "seat": "ana", "die": 1, "result": "stalled", "spaces": 0} in events
