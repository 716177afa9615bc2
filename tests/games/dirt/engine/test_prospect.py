"""The prospect of places: walls are found, and only walls (M1, M3, M10)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

import pytest

from engine.dirt.facts import facts
from engine.dirt.odds import odds
from engine.dirt.plan import start, steps
from engine.dirt.prospect import Prospects, prospects_for
from engine.dirt.road import Road, limits_under_mud
from tests.games.dirt.engine.scenes import HAIRPIN, RULES, STRAIGHT, Scene, car, track_of

WHOLE = (6, 2, 1)
"""Gear, coast and brake dice of a car without damage."""


def road(name: str | list[str], mud: Mapping[int, int] | None = None) -> Road:
    track = track_of(name)
    return Road(track, limits_under_mud(track, mud or {}), {})


def places_of(here: Road) -> list[tuple[int, int]]:
    """Return every space before the line in every gear."""
    return [(space.index, gear) for space in here.track.spaces for gear in range(1, 7) if not space.behind_finish]


def control(name: str | list[str], at: str, gear: int, **mud: int) -> float:
    here = road(name)
    return Prospects(here, WHOLE).control(here.track.index[at], gear)


def test_a_straight_has_no_wall() -> None:
    here = road(STRAIGHT)
    prospects = Prospects(here, WHOLE)
    assert {prospects.control(*place) for place in places_of(here)} == {1.0}


def test_in_front_of_a_hairpin_the_top_gears_end_in_a_wall() -> None:
    """The bend has limit 1 inside and 2 outside, the shortcut 5: from its row a car in gear 6 reaches neither with less
    than gear 4 (D4, D5: one brake), unless it may cut the corner.
    """
    assert control(HAIRPIN, "2.1.l", 6) == 0.0
    assert control(HAIRPIN, "2.1.l", 2) == 1.0


def test_a_wall_two_moves_ahead_is_found() -> None:
    """On stage 5/3 a car in gear 6 may drive on from 5.3, but only to places with nothing but losses ahead."""
    here = road("5/3")
    space = here.track.index["5.3.l"]
    ways = steps(here, start(here, space, 6, {}))
    assert any(step.after.loss is None for step in ways)
    assert Prospects(here, WHOLE).control(space, 6) == 0


@pytest.mark.parametrize("stage", sorted(RULES.library()))
def test_the_best_chance_is_that_of_every_way_tried(stage: str) -> None:
    """The same chances, from the plans that the rules allow: every first move of each turn is tried."""
    here = road(stage)
    prospects = Prospects(here, WHOLE)

    @cache
    def tried(space: int, gear: int) -> float:
        best = 0.0
        moves = steps(here, start(here, space, gear, {}))
        for step in moves:
            if step.after.finished:
                return 1.0
            if step.after.loss is None:
                chance = tried(step.after.space, step.after.gear)
                dice = 1 + step.move.die.brakes
                faces = {"gear": "gear", "coast": "coast"}.get(step.move.die.kind, "brake")
                if step.risky:
                    chance *= clear(faces, step.move.die.gear, dice - 1)
                best = max(best, chance)
        return tried(space, 0) if gear and not moves else best

    for space in here.track.spaces:
        for gear in range(7):
            if not space.behind_finish and (space.name != "grid" or gear == 0):
                assert prospects.control(space.index, gear) == pytest.approx(tried(space.index, gear)), (space, gear)


def clear(kind: str, gear: int, brakes: int) -> float:
    """Return the chance that a die and its brakes show no warning, from the printed faces."""
    known = facts()
    warnings = [known.warnings[str(gear) if kind == "gear" else kind]] + [known.warnings["brake"]] * brakes
    chance = 1.0
    for number in warnings:
        chance *= 1 - number / known.faces
    return chance


def test_damage_raises_a_wall() -> None:
    """Without brake dice the car cannot come down two gears at once."""
    here = road("1/1")
    whole, hurt = Prospects(here, WHOLE), Prospects(here, (6, 2, 0))
    places = places_of(here)
    assert [place for place in places if hurt.control(*place) < whole.control(*place)]
    assert all(hurt.control(*place) <= whole.control(*place) for place in places)


def test_the_drivers_own_damage_counts() -> None:
    """On stage 1/1 a car in gear 4 slows down for a bend with its brake die, and cannot without it."""
    whole, hurt = Scene("1/1", car("ana")), Scene("1/1", car("ana", damage={"brake": 1}))
    here = road("1/1")
    chances = [
        [prospects_for(scene.state, "ana", here).control(*place) for place in places_of(here)]
        for scene in (whole, hurt)
    ]
    assert sum(chances[0]) > sum(chances[1])


def test_the_odds_of_a_plan_count_the_wall_behind_its_end() -> None:
    """A plan of coast dice keeps control for certain, and ends in gear 6 in front of a bend with limit 4."""
    scene = Scene("1/1", car("ana", "4.3.l", 6))
    found = odds(scene.state, "ana", "c:5.1.l", orders={"roll": "one by one"})
    assert (found.lost, found.onward) == (0, 0)
    assert found.ends[0].onward == 0
    loss = Fraction(30, 32) * 60 + Fraction(2, 32) * 10
    assert found.cards_ahead == pytest.approx(float(loss))


def test_a_lost_control_ends_the_prospect_and_the_line_fulfils_it() -> None:
    scene = Scene(STRAIGHT, car("ana", "4.1.l", 6))
    found = odds(scene.state, "ana", "c:4.2.l", orders={"roll": "one by one"})
    assert found.onward == 1
