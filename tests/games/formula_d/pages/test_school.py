"""The school of Formula D: each scene is driven once as it is meant, and once otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from championship.games.formula_d import laid, school
from championship.runs.watch.scenes import Driven
from engine.formula_d.game import game
from tests.championship.runs import schooling
from tests.championship.runs.schooling import Fields, Posts

pytestmark = pytest.mark.django_db


def gear(number: int) -> Fields:
    """The form that rolls a gear."""
    return {"do": "gear", "gear": str(number)}


def ends(fits: Callable[[Mapping[str, Any]], bool] = lambda end: True) -> Callable[[Driven], Fields]:
    """The form that drives to the best end that fits."""

    def form(driven: Driven) -> Fields:
        found = game().odds(driven.state, driven.opening.pupil, {})
        end = next(each for each in found["ends"] if fits(each))
        return {"do": found["phase"], "plan": laid.to_text(end["orders"])}

    return form


def lane(number: int) -> Callable[[Driven], Fields]:
    return ends(lambda end: end["to"].split(".")[1] == str(number) and not end["collision_dice"])


OVER = ends(lambda end: bool(end["overshoot"]) and not end["spin"])
STAYS = ends(lambda end: bool(end["stop"]))
BEHIND = ends(lambda end: bool(end["collision_dice"]))
FREE = ends(lambda end: not end["collision_dice"] and not end["wear"])
PASS = {"do": "pass", "plan": ""}
BONUS = ends(lambda end: bool(end["orders"].get("bonus")))
PLAIN = ends(lambda end: not end["orders"].get("bonus") and not end["orders"].get("nitro"))
NITRO = ends(lambda end: bool(end["orders"].get("nitro")))

WAYS: dict[str, tuple[Posts, Posts]] = {
    "win": ([gear(4), ends()], [gear(2), ends()]),
    "gear": ([gear(4), ends()], [gear(3), ends()]),
    "path": ([lane(3)], [lane(1)]),
    "stop": ([gear(4), STAYS], [gear(2), ends()]),
    "two-stops": ([gear(2), ends()], [gear(4), ends(lambda end: bool(end["overshoot"]))]),
    "shift-down": ([gear(3), STAYS], [gear(4), ends()]),
    "brake": ([STAYS], [OVER]),
    "overshoot": ([OVER], [STAYS]),
    "spin": ([ends(lambda end: bool(end["spin"]))], [STAYS]),
    "slipstream": ([BEHIND, ends()], [BEHIND, PASS]),
    "collision": ([FREE], [BEHIND]),
    "marker": ([ends(lambda end: not end["marker_dice"])], [ends(lambda end: bool(end["marker_dice"]))]),
    "engine": ([gear(4), ends()], [gear(5), ends()]),
    "pit-lane": (
        [gear(3), ends(lambda end: end["to"].startswith("P")), gear(3), ends(lambda end: bool(end["box"]))],
        [gear(3), ends(lambda end: end["to"].startswith("S")), gear(2), ends()],
    ),
    "pit-stop": ([ends(lambda end: bool(end["box"])), ends()], [ends(lambda end: not end["box"])]),
    "rain": ([gear(3), STAYS], [gear(2), ends()]),
    "weather": ([{"answer": "die"}], [{"answer": "lap"}]),
    "tyres": ([{"answer": "soft"}], [{"answer": "wet"}]),
    "soft-tyres": ([BONUS], [PLAIN]),
    "nitro": ([NITRO], [PLAIN]),
    "start": ([gear(1), ends()], [gear(1), ends(lambda end: bool(end["wear"]))]),
    "order": ([{"answer": "2"}], [{"answer": "3"}]),
    "qualifying": ([{"answer": "few"}], [{"answer": "entry"}]),
}


def test_every_scene_has_a_way_here() -> None:
    assert list(WAYS) == [scene.name for scene in school.SCENES]


@pytest.mark.parametrize("name", WAYS)
def test_a_scene_is_done_as_it_is_meant_and_not_otherwise(name: str) -> None:
    meant, otherwise = WAYS[name]
    schooling.check("formula_d", name, meant, otherwise)


def test_where_no_corner_is_in_reach_none_is_spoken_of() -> None:
    said = schooling.verdict(schooling.drive(schooling.stranger(), "formula_d", "gear", WAYS["gear"][0]))
    assert "Gear 4: no corner in reach, " in said and "overshooting" not in said
    said = schooling.verdict(schooling.drive(schooling.stranger(), "formula_d", "gear", WAYS["gear"][1]))
    assert "Gear 3: no corner in reach, " in said and "Better was gear 4: 11.9 turns." in said


def test_the_scene_with_two_stops_asks_for_what_is_best() -> None:
    meant, _otherwise = WAYS["two-stops"]
    said = schooling.verdict(schooling.drive(schooling.stranger(), "formula_d", "two-stops", [gear(3), *meant[1:]]))
    assert "No gear was better." in said


def test_the_gear_that_was_chosen_is_compared_with_the_best_one() -> None:
    said = schooling.verdict(schooling.drive(schooling.stranger(), "formula_d", "win", WAYS["win"][1]))
    assert "Gear 2:" in said and "2.0 turns to the finish" in said
    assert "Better was gear 4:" in said and "to cross the line." in said
    won = schooling.verdict(schooling.drive(schooling.stranger(), "formula_d", "win", WAYS["win"][0]))
    assert "to cross the line. No gear was better. You are over the line." in won and "0.0 turns" not in won
    spared = schooling.verdict(schooling.drive(schooling.stranger(), "formula_d", "engine", WAYS["engine"][0]))
    assert "gear 6" not in spared, "the scene asks for a gear that cannot strain the engine"
    drawn = schooling.drive(schooling.stranger(), "formula_d", "slipstream", WAYS["slipstream"][0])
    assert schooling.verdict(drawn).count("You ended on") == 1, "only the end of the turn counts"
    stayed = schooling.verdict(schooling.drive(schooling.stranger(), "formula_d", "slipstream", WAYS["slipstream"][1]))
    assert "The slipstream led to 8.2 turns at best: staying out was as good." in stayed
    assert "No end was better" not in stayed, "the slipstream was there to be driven"


def test_every_rule_has_a_scene_or_a_reason() -> None:
    schooling.check_rules("formula_d", school)
