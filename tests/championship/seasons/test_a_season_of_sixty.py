"""A season of sixty drivers, over HTTP by hand and by its own clock: every table agrees with raw rows.

Codrivers drive all cars. The shortest courses and one lap keep it short.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from championship.platform import clock
from championship.rallies.models import Rally
from championship.rallies.results.selectors import results_of
from championship.seasons.scoring.divisions import moves
from championship.seasons.selectors import table
from tests.factories import signed_in
from tests.season.again import differences
from tests.season.sixty import DAY, DIVISIONS, League, league, play_by_clock, play_by_hand

CARS = 60
PRESSED = {"by hand": {"posts": 17, "pages": 11}, "by clock": {"posts": 3, "pages": 3}}
"""What the organiser does in a season of five rounds; docs/seasons.md says the same."""


def check(there: League) -> None:
    """The tables are right, heats end with one winner, drivers change divisions, and the pages open."""
    assert differences(there.championship) == []
    shown = table(there.championship)
    assert len(shown.drivers) == CARS and {len(lines) for lines in shown.classes.values()} == {CARS // 3}
    assert [each.rally.status for each in there.rounds()] == [Rally.Status.FINISHED] * 5
    for number, finalists in ((2, 10), (3, 4)):
        lines = results_of(there.rounds()[number - 1].rally).overall
        assert [line.place for line in lines].count(1) == 1
        assert [line.remarks.part for line in lines[:finalists]] == ["final"] * finalists
        assert "final" not in {line.remarks.part for line in lines[finalists:]}
    moving = moves(shown.season)
    assert len(moving) == 8
    for one in moving:
        places = {str(line.who.pk): line.place for line in shown.classes[one.before]}
        up = DIVISIONS.index(one.after) < DIVISIONS.index(one.before)
        assert places[one.driver] <= 2 if up else places[one.driver] >= CARS // 3 - 1
    for page in ("", "teams/", "classes/1/", "progress/"):
        assert signed_in(there.drivers[0]).get(there.championship.get_absolute_url() + page).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("way", PRESSED)
def test_a_season_of_sixty_is_right_to_the_last_table(
    transactional_db: Any, settings: Any, at: Callable[[datetime], datetime], way: str
) -> None:
    settings.OPEN_STAGE = False
    there = league(way.replace(" ", "-"), CARS, clock.now() + 10 * DAY)
    if way == "by hand":
        play_by_hand(there)
    else:
        play_by_clock(there, at)
    check(there)
    assert dict(there.pressed) == PRESSED[way]
