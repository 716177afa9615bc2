"""The character of a stage in a few words, beside its name."""

import pytest
from django.test import Client

from championship.stages.stage_pages import character_of
from engine import registry
from tests.championship.rallies.factories import make_rally

FOR_EXAMPLE = {
    ("dirt", "3/3"): "14 tiles, slow and tight, 4 hairpins, a jump, a narrow place",
    ("dirt", "6/1"): "11 tiles, fast, a ford",
    ("formula_d", "monza"): "6 corners, 375 spaces, fast",
    ("formula_d", "monaco"): "10 corners, 497 spaces, technical, a corner of three stops",
    ("dust", "training"): "5 stage cards, gentle, the last one costs most",
}


@pytest.mark.parametrize(("game", "name"), FOR_EXAMPLE, ids=str)
def test_each_game_describes_its_courses_by_their_shape(game: str, name: str):
    assert character_of(game, registry.get(game).library()[name]) == FOR_EXAMPLE[game, name]  # type: ignore[attr-defined]


@pytest.mark.parametrize("game", ["dirt", "formula_d", "dust", "not installed"])
@pytest.mark.parametrize("spec", [{}, {"tiles": [{"tile": "xx"}]}, {"tiles": 4}, {"track": "nowhere"}, {"set": []}])
def test_nothing_is_said_of_a_course_that_cannot_be_read(game: str, spec: dict[str, object]):
    assert character_of(game, spec) == ""


@pytest.mark.django_db
def test_the_pages_of_a_rally_say_it_beside_the_stage():
    rally = make_rally(stages=["3/3", "6/1"])
    page = Client().get(rally.get_absolute_url()).content.decode()
    assert f"Quarry Steps: {FOR_EXAMPLE['dirt', '3/3']}" in page and f"Wet Meadow: {FOR_EXAMPLE['dirt', '6/1']}" in page
    assert (
        f"Wet Meadow: {FOR_EXAMPLE['dirt', '6/1']}" in Client().get(f"/rallies/{rally.key}/stages/2/").content.decode()
    )
