"""The cost tables are correct: a turn on the empty track costs the same as a search over all its ways."""

from __future__ import annotations

import random

import pytest

from engine.formula_d.choices import table_of
from engine.formula_d.codriver.decisions import gear_costs
from engine.formula_d.codriver.manner import Manner, manner, manner_of_style
from engine.formula_d.codriver.turn_costs import TurnCosts
from engine.formula_d.facts import facts
from engine.formula_d.track import PIT, STRAIGHT, Track, load_track
from tests.games.formula_d.engine import pond
from tests.games.formula_d.engine.scene import car
from tests.games.formula_d.engine.test_game import under_way

PLACES = 60


def differences(driver: Manner, track: str, seed: int) -> list[float]:
    """Return the differences in turns between the tables and a search of the whole turn, at random places."""
    lot, course = random.Random(seed), load_track(track)
    spaces = [space for space in range(len(course.spaces)) if not course.in_the_pits(space)]
    found = []
    for space in lot.choices(spaces, k=PLACES):
        own, wp = lot.randint(1, 4), {"tires": lot.randint(1, 6), "brakes": lot.randint(0, 3)}
        stops = lot.randint(0, course.stops[space])
        ana = car("ana", course.spaces[space], own, lap=1, stops=stops, wp=wp)
        costs = TurnCosts(table_of(under_way(ana, track=track), "ana"), driver)
        index = costs.rules.index_of(costs.car["wp"])
        for gear, cost in gear_costs(costs).items():
            if own - 1 <= gear < facts().strain_gear:
                known = costs.lap(1).gear_cost(space, max(0, course.stops[space] - stops), gear, index)
                found.append(abs(driver.turns(cost) - driver.turns(known)))
    return found


@pytest.mark.parametrize("name", ["cautious", "club"])
def test_m3_c3_b1_the_tables_know_what_a_turn_costs(name: str) -> None:
    assert max(differences(manner(name), pond.track(), 3)) < 1e-6


def test_m3_the_ways_of_orders_ahead_are_as_they_were() -> None:
    """Stored records need the old lap layout, which includes paths that change lanes back and forth on a straight."""
    assert max(differences(manner_of_style("club"), pond.track(), 3)) > 0.1


def test_p_what_going_out_costs_in_the_pit_lane_is_as_it_was_for_orders_ahead() -> None:
    """Orders ahead compute it from the space itself, codrivers from the space that represents it in the tables."""
    course = load_track("suzuka")
    lane = [name for space, name in enumerate(course.spaces) if course.kind[space] == PIT]
    found = {}
    for driver in (manner_of_style("club"), manner("club")):
        costs_by_space = [
            TurnCosts(table_of(under_way(car("ana", name, 3, lap=1), track="suzuka", laps=2), "ana"), driver)
            for name in lane
        ]
        found[driver.allows_weaving] = [costs.out_cost for costs in costs_by_space]
        flat = [costs.manner.cost(costs.lap(1).mean_turns(costs.begun) + driver.out) for costs in costs_by_space]
        assert (found[driver.allows_weaving] == flat) == driver.allows_weaving
    assert len(lane) > 4 and found[True] != found[False]


def test_m3_a_straight_has_ways_to_and_fro() -> None:
    """Otherwise the test above would prove nothing."""
    course = load_track("suzuka")
    assert sum(_has_detours(course, space) for space, kind in enumerate(course.kind) if kind == STRAIGHT) > 200


def _has_detours(course: Track, space: int) -> bool:
    """Return whether a space that is two steps on is also one step on, or three."""
    two = {to for one in course.nexts[space] for to in course.nexts[one]}
    return bool(two & set(course.nexts[space]) or two & {to for one in two for to in course.nexts[one]})
