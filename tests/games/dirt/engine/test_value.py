"""The worth of positions: nearer is better, damage is worse, and the tempers judge the same road differently."""

from __future__ import annotations

from typing import Any

import pytest

from engine.dirt.codriver.value import Outlook, Value, value_of
from engine.dirt.road import limits_under_mud
from tests.games.dirt.engine.scenes import HAIRPIN, STRAIGHT, track_of

PRINTED: dict[str, Any] = {
    "cards": (60, 50, 40, 30, 20, 15, 10),
    "sisu_card": 10,
    "gears": 6,
    "coasts": 2,
    "brakes": 1,
    "coast_warnings": 1,
    "damage_carried": False,
    "sisu_carried": False,
    "flying_start": True,
    "redline": True,
}


def value(road: Any, codriver: str = "club", **outlook: Any) -> Value:
    track = track_of(road)
    return value_of(track, limits_under_mud(track, {}), Outlook(**(PRINTED | outlook)), codriver)


def seconds(worth: Value, at: str, gear: int, *, lucky: bool = False) -> float:
    """Return the expected seconds to the finish at the start of a turn."""
    return worth.seconds(worth.start(worth.road.track.index[at], gear, has_sisu=lucky))


def test_the_last_turn_costs_the_card_of_the_gear_over_the_line() -> None:
    """One die to the finish: coasting in gear 6, or down to 5 and up; the best is the card of gear 6."""
    assert seconds(value(STRAIGHT), "4.1.l", 6) == pytest.approx(10, abs=0.1)


def test_nearer_faster_and_luckier_is_worth_more() -> None:
    worth = value("1/1")
    assert seconds(worth, "8.1.l", 3) < seconds(worth, "4.1.l", 3) < seconds(worth, "grid", 0)
    assert seconds(worth, "4.1.l", 3) < seconds(worth, "4.1.l", 0)
    assert seconds(worth, "grid", 0, lucky=True) < seconds(worth, "grid", 0)


def test_missing_dice_cost_seconds() -> None:
    whole = seconds(value("1/1"), "grid", 0)
    for damage in ({"gears": 4}, {"coasts": 1}, {"brakes": 0}):
        assert seconds(value("1/1", **damage), "grid", 0) > whole


def test_a_loss_of_control_costs_its_card_and_the_gear() -> None:
    worth = value(HAIRPIN)
    space = worth.road.track.index["2.2.o1"]
    lost = worth.seconds(worth.loss(space, 2, has_sisu=False))
    assert lost > seconds(worth, "2.2.o1", 2) + 50
    assert worth.seconds(value(HAIRPIN, "cautious").loss(space, 2, has_sisu=False)) != lost


def test_second_tokens_are_worth_more_far_from_the_finish_and_the_first_ones_most() -> None:
    worth = value("1/1")
    start, line = 0, worth.road.track.index["10.1.l"]

    def saved(tokens: int, space: int) -> float:
        return worth.seconds(worth.sign) - worth.seconds(worth.sign * worth.token_worth(tokens, space))

    assert saved(1, start) > saved(1, line)
    assert saved(1, line) == pytest.approx(1)
    assert saved(2, start) - saved(1, start) < saved(1, start)
