"""A season of sixty drivers, over HTTP by hand and by its own clock: every table agrees with raw rows.

Codrivers drive all cars. The shortest courses and one lap keep it short.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from championship.platform import clock
from championship.rallies.models import Rally
from championship.rallies.results.selectors import results_of
from championship.seasons.selectors import table
from tests.factories import signed_in
from tests.season.again import differences
from tests.season.sixty import DAY, League, league, play_by_clock, play_by_hand

CARS = 60
PRESSED = {"by hand": {"posts": 17, "pages": 11}, "by clock": {"posts": 3, "pages": 3}}
"""What the organiser does in a season of five rounds; docs/seasons.md says the same."""


def check(there: League) -> None:
    """The tables are right, each round has one winner, and the pages open."""
    assert differences(there.championship) == []
    shown = table(there.championship)
    assert len(shown.drivers) == CARS and {len(lines) for lines in shown.classes.values()} == {CARS // 3}
    assert [each.rally.status for each in there.rounds()] == [Rally.Status.FINISHED] * 5
    heats = there.rounds()[1].rally
    assert heats.heats is not None
    lines = results_of(heats).overall
    assert [line.place for line in lines].count(1) == 1
    assert [line.remarks.part for line in lines[:10]] == ["final"] * 10
    assert {line.remarks.part for line in lines[10:]} == {f"heat {number}" for number in range(1, CARS // 10 + 1)}
    for page in ("", "teams/", "classes/1/", "progress/"):
        assert signed_in(there.drivers[0]).get(there.championship.get_absolute_url() + page).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("way", PRESSED)
def test_a_season_of_sixty_is_right_to_the_last_table(
    transactional_db: Any, at: Callable[[datetime], datetime], way: str
) -> None:
    there = league(way.replace(" ", "-"), CARS, clock.now() + 10 * DAY)
    began = time.process_time()
    if way == "by hand":
        play_by_hand(there)
    else:
        play_by_clock(there, at)
    print(f"{way}: {time.process_time() - began:.0f} s of processor, {dict(there.pressed)}")
    check(there)
    assert dict(there.pressed) == PRESSED[way]
