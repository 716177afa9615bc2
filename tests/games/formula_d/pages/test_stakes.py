"""Before the roll: the reach of a gear on the map, the corner ahead, and what is at stake at the button."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest

from championship.games.formula_d import stakes
from championship.runs.models import Run
from engine.formula_d.game import game
from engine.formula_d.track import load_track
from tests.games.formula_d.pages.tables import on_the_grid, page_of, playing, rolled

pytestmark = pytest.mark.django_db

MONZA = load_track("monza")


def at(along: int, lane: int = 1) -> str:
    """Return a space of Monza by its progress round the lap, the first at or after it."""
    found = [place for place, lane_of in enumerate(MONZA.lane) if lane_of == lane and not MONZA.in_the_pits(place)]
    return MONZA.spaces[min((place for place in found if MONZA.along[place] >= along), key=MONZA.along.__getitem__)]


def driving(own: str, rival: str, gear: int = 4) -> tuple[Run, dict[str, Any], str]:
    """Return a race of two cars on these spaces, whose first car chooses its gear."""
    run, _entries = on_the_grid("Ana", "Bo", track="monza", laps=2)
    entry = playing(run)
    seat, state = str(entry.start_number), run.state
    other = next(name for name in state["cars"] if name != seat)
    state["cars"][seat].update(space=own, gear=gear, lap=1, started=True)
    state["cars"][other].update(space=rival, gear=gear, lap=1, started=True)
    Run.objects.filter(pk=run.pk).update(state=state)
    run.refresh_from_db()
    return run, run.state, seat


def test_places_are_won_by_passing_cars_that_are_ahead() -> None:
    _run, state, seat = driving(at(100), at(110))
    assert stakes.places_won(state, seat, at(105)) == 0
    assert stakes.places_won(state, seat, at(115)) == 1
    ends = [{"to": at(105), "chance": [3, 4]}, {"to": at(115), "chance": [1, 4]}]
    assert stakes.places_expected(state, seat, ends) == Fraction(1, 4)
    _run, state, seat = driving(at(120), at(110))
    assert stakes.places_won(state, seat, at(130)) == 0, "a car that is behind cannot be passed"


def test_a_car_behind_the_finish_line_is_on_the_next_lap() -> None:
    last = max(MONZA.along)
    _run, state, seat = driving(at(last - 4), at(last - 1))
    assert stakes.places_won(state, seat, at(6)) == 1


def test_the_next_corner_is_shown_when_a_roll_ends_just_before_it() -> None:
    first = min(MONZA.along[place] for place, corner in enumerate(MONZA.corner) if corner == 2)
    _run, state, seat = driving(at(first - 40), at(first + 90))
    near = stakes.corner_ahead(state, seat, [at(first - 10)])
    assert near and {MONZA.corner[MONZA.index[name]] for name in near} == {2}
    assert stakes.corner_ahead(state, seat, [at(first - 30)]) == [], "a far corner would make the map small"


def test_the_page_draws_the_reach_and_tells_the_stakes() -> None:
    run, state, seat = driving(at(60), at(66))
    entry = playing(run)
    page = page_of(entry, run)
    assert 'class="reach in-view"' in page and 'class="corner-ahead in-view"' in page
    best = game().odds(state, seat, {})["gears"]
    assert f'?at={best[1]["gear"]}"' in page.split('class="fd-instead"')[1][:40], "the next best gear is one tap away"
    button = re.search(r'name="gear" value="(\d)"><span>.*?</span><small>(.*?)</small>', page)
    assert button and int(button[1]) == best[0]["gear"] and "·" in button[2]
    assert 'class="fd-wear-fold"' in page


def test_the_next_best_end_stands_beside_the_button_that_drives() -> None:
    run, _entries = on_the_grid("Ana", "Bo", track="monza", laps=2)
    entry = rolled(run, space=at(100), gear=4, spaces=8, rival=(at(112, 2), 4))
    page = page_of(entry, run)
    assert "Instead: " in page and 'hx-disabled-elt="find button"' in page
    assert "0.0 turns worse" not in page
