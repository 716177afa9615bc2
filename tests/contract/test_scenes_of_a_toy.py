"""A game from outside the tree has scenes too, on the plain pages."""

from __future__ import annotations

import pytest

from championship.runs.models import SceneDone
from championship.runs.watch import scenes
from tests.championship.runs import schooling

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]

ROLL, BANK = {"do": "roll"}, {"do": "bank"}
ROLLS, BANKS = {"orders": '{"do":"roll"}'}, {"orders": '{"do":"bank"}'}


def test_a_scene_of_a_toy_is_driven_on_the_plain_pages() -> None:
    schooling.check("dash", "bank", [ROLLS, BANKS], [ROLLS, ROLLS])
    said = schooling.verdict(schooling.drive(schooling.stranger(), "dash", "bank", [ROLLS, BANKS]))
    assert "6 points; the codriver banks from 8." in said
    assert "Next: Two turns" in said


def test_other_seats_are_driven_by_the_codriver_between_the_turns_of_the_pupil() -> None:
    scene = scenes.scene_of("dash", "turns")
    driven = scenes.driven("dash", scene, [("key", ROLL), ("key", BANK)])
    assert {post.seat for post in driven.posts} == {"1", "2"}
    assert not scenes.is_over("dash", scene, driven)
    assert not SceneDone.objects.exists()


def test_a_school_without_an_exam_stands_beside_the_others() -> None:
    page = schooling.words_of(schooling.stranger().get("/practice/"))
    assert "Dash 0 of 2" in page and "Bank in time" in page
