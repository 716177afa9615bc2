"""The school of Dirt & Dust: each scene is driven once as it is meant, and once otherwise."""

from __future__ import annotations

import pytest

from championship.games.dust import school
from tests.championship.runs import schooling
from tests.championship.runs.schooling import Fields, Posts

pytestmark = pytest.mark.django_db


def lay(plan: str) -> Fields:
    """The form that sends these steps."""
    return {"do": "steps", "plan": plan}


END: Fields = {"do": "end", "plan": ""}


def answers(meant: str, otherwise: str) -> tuple[Posts, Posts]:
    return [{"answer": meant}], [{"answer": otherwise}]


WAYS: dict[str, tuple[Posts, Posts]] = {
    "win": ([lay("place 1; done"), END], [END]),
    "prepare": ([{"do": "prepare", "give": ["bolts"]}], [{"do": "prepare"}, END]),
    "play": ([lay("play bolts 4")], [lay("play bolts 1"), END]),
    "use": ([lay("use 4 p")], [END]),
    "effects": ([lay("use 4 p; do 1; do 2")], [lay("use 4 p; done"), END]),
    "tune": ([lay("tune p4=3")], [lay("tune p4=5"), END]),
    "rows": ([lay("use 4 p; do 1 B5")], [lay("use 4 p; do 2; done"), END]),
    "steer": ([lay("steer right 1")], [lay("steer left 1"), END]),
    "buy": ([lay("buy turbo")], [lay("buy tyre-change"), END]),
    "marker": ([lay("place 2")], [lay("place 1"), lay("done"), END]),
    "risk": ([lay("risk")], [END]),
    "damage": answers("token", "wreck"),
    "repair": ([lay("use 4 p; do 3")], [lay("use 4 p; do 1; done"), END]),
    "popularity": ([lay("place 1; done"), END], [lay("place 2; done"), END]),
    "passive": ([lay("passive 1")], [END]),
    "end": answers("27", "29"),
    "ghost": ([lay("block 1 p4")], [END]),
}


def test_every_scene_has_a_way_here() -> None:
    assert list(WAYS) == [scene.name for scene in school.SCENES]


@pytest.mark.parametrize("name", WAYS)
def test_a_scene_is_done_as_it_is_meant_and_not_otherwise(name: str) -> None:
    meant, otherwise = WAYS[name]
    schooling.check("dust", name, meant, otherwise)


def test_the_points_that_were_won_are_told_with_the_estimate_of_the_codriver() -> None:
    said = schooling.verdict(schooling.drive(schooling.stranger(), "dust", "win", WAYS["win"][0]))
    assert "You won 3 speed points." in said
    assert "The codriver estimates that your position is worth" in said
    assert "It would have begun so:" in said
    said = schooling.verdict(schooling.drive(schooling.stranger(), "dust", "use", WAYS["use"][0]))
    assert "The codriver estimates" in said and "You won 0" not in said, "this scene is not about points"


def test_every_rule_has_a_scene_or_a_reason() -> None:
    schooling.check_rules("dust", school)
