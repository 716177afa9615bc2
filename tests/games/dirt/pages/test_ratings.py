"""Ready-made stages come with their ratings."""

import json

import pytest

from championship.stages.models import Rating, StageDesign
from championship.stages.selectors import rating_of as shown
from championship.stages.services import load_library
from engine.dirt.game import game
from tests.games.dirt.ratings import FILE, rating_of

SHIPPED = json.loads(FILE.read_text("utf-8"))


def test_every_ready_made_stage_has_a_rating() -> None:
    assert SHIPPED.keys() == game().library().keys()


@pytest.mark.slow
def test_a_rating_that_is_shipped_is_the_one_that_the_service_computes() -> None:
    assert SHIPPED["1/3"] == json.loads(json.dumps(rating_of("1/3")))


@pytest.mark.django_db
def test_the_library_is_rated_once_and_a_newer_rating_stays(client) -> None:
    load_library()
    design = StageDesign.objects.get(club=None, game="dirt", source="1/3")
    rating = shown(design)
    assert rating is not None and (rating.runs, rating.percent, rating.result) == (200, 100, SHIPPED["1/3"])
    assert str(SHIPPED["1/3"]["most_dangerous_tile"]) in client.get(design.get_absolute_url()).content.decode()
    Rating.objects.create(design=design, seed=1)
    load_library()
    assert Rating.objects.filter(design=design).count() == 2
