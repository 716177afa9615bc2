"""The tables of worth tell the truth: a turn on the empty track costs what looking over all its ways says."""

from __future__ import annotations

import random

import pytest

from engine.formula_d.choices import table_of
from engine.formula_d.codriver import gear_costs
from engine.formula_d.facts import facts
from engine.formula_d.field import PIT, STRAIGHT, Field, field
from engine.formula_d.look import Look
from engine.formula_d.manner import Manner, manner, manner_of_way
from tests.engine.formula_d import pond
from tests.engine.formula_d.scene import car
from tests.engine.formula_d.test_game import under_way

PLACES = 60


def apart(driver: Manner, track: str, seed: int) -> list[float]:
    """By how many turns the tables and a look at the whole turn differ, at places drawn by lot."""
    lot, course = random.Random(seed), field(track)
    spaces = [space for space in range(len(course.spaces)) if not course.in_the_pits(space)]
    found = []
    for space in lot.choices(spaces, k=PLACES):
        own, wp = lot.randint(1, 4), {"tires": lot.randint(1, 6), "brakes": lot.randint(0, 3)}
        stops = lot.randint(0, course.stops[space])
        ana = car("ana", course.spaces[space], own, lap=1, stops=stops, wp=wp)
        look = Look(table_of(under_way(ana, track=track), "ana"), driver)
        place = look.rules.place(look.car["wp"])
        for gear, cost in gear_costs(look).items():
            if own - 1 <= gear < facts().strain_gear:
                known = look.lap(1).gear_cost(space, max(0, course.stops[space] - stops), gear, place)
                found.append(abs(driver.turns(cost) - driver.turns(known)))
    return found


@pytest.mark.parametrize("name", ["cautious", "club"])
def test_m3_c3_b1_the_tables_know_what_a_turn_costs(name: str) -> None:
    assert max(apart(manner(name), pond.track(), 3)) < 1e-6


def test_m3_the_ways_of_orders_ahead_are_as_they_were() -> None:
    """They are kept for old records: they reckon with paths to and fro on a straight."""
    assert max(apart(manner_of_way("club"), pond.track(), 3)) > 0.1


def test_p_what_going_out_costs_in_the_pit_lane_is_as_it_was_for_orders_ahead() -> None:
    """They count from the space itself; others from the one that stands for it in the tables."""
    course = field("suzuka")
    lane = [name for space, name in enumerate(course.spaces) if course.kind[space] == PIT]
    found = {}
    for driver in (manner_of_way("club"), manner("club")):
        looks = [
            Look(table_of(under_way(car("ana", name, 3, lap=1), track="suzuka", laps=2), "ana"), driver)
            for name in lane
        ]
        found[driver.weaves] = [look.gone for look in looks]
        flat = [look.manner.cost(look.lap(1).par(look.begun) + driver.out) for look in looks]
        assert (found[driver.weaves] == flat) == driver.weaves
    assert len(lane) > 4 and found[True] != found[False]


def test_m3_a_straight_has_ways_to_and_fro() -> None:
    """Else there is nothing to be wrong about."""
    course = field("suzuka")
    assert sum(_there_and_back(course, space) for space, kind in enumerate(course.kind) if kind == STRAIGHT) > 200


def _there_and_back(course: Field, space: int) -> bool:
    """Whether two spaces on are also one space on in the same lane, or three."""
    two = {to for one in course.nexts[space] for to in course.nexts[one]}
    return bool(two & set(course.nexts[space]) or two & {to for one in two for to in course.nexts[one]})
