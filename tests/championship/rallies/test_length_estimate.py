"""How long a rally takes: only the computation, in whole seconds."""

from dataclasses import replace

import pytest

from championship.rallies.clock.length_estimate import HOUR, WEEK, Pace, Stage, estimate

DAY = 24 * HOUR
SIX = Pace(way="turns", limit=DAY, cars=6, table=6, answer=12 * HOUR)
STAGE = Stage(turns=7, rounds=12)


def test_one_car_after_another_every_turn_waits_for_its_driver():
    found = estimate([STAGE], SIX)
    assert found.likely == 7 * 6 * 12 * HOUR + 2 * 12 * HOUR * 6 // 7, "42 turns and the slowest card"
    assert found.most == 43 * DAY
    assert estimate([STAGE] * 3, SIX).likely == 3 * found.likely


def test_rounds_together_wait_for_the_slowest_of_a_table_once_a_round():
    found = estimate([STAGE], replace(SIX, way="together"))
    assert found.likely == 13 * (2 * 12 * HOUR * 6 // 7)
    assert found.most == 13 * DAY
    assert estimate([STAGE], replace(SIX, way="together", table=3)).likely < found.likely


@pytest.mark.parametrize(
    ("pace", "likely_days", "most_days"),
    [
        (replace(SIX, way="closing", closing=WEEK), 8, 8),
        (replace(SIX, way="alone"), 7, 8),
        (replace(SIX, counted=WEEK // 2), 22, 86),
        (replace(SIX, limit=2 * HOUR), 4, 4),
        (replace(SIX, limit=3 * DAY, more=12 * HOUR), 22, 42),
        (replace(SIX, answer=None), 22, 43),
    ],
)
def test_every_pace_has_its_own_length(pace, likely_days, most_days):
    found = estimate([STAGE], pace)
    assert (found.days, found.most_days) == (likely_days, most_days)
    assert found.likely <= found.most
