"""Formula D is an installed game: its tracks are offered, its rules can be read, a rally can be created with it."""

from typing import Any

import pytest
from django.test import Client

from championship import catalogue
from championship.rallies.models import Rally
from championship.stages.models import StageDesign
from championship.stages.services import load_library
from tests.factories import make_club, make_user, signed_in

pytestmark = pytest.mark.django_db


def test_it_is_registered_with_its_rules() -> None:
    game = catalogue.get("formula_d")

    assert str(game) == "Formula D"
    assert game.rules is not None and game.rules.is_file()
    assert "F1" in Client().get("/rules/formula_d/").content.decode()


def test_its_eight_tracks_are_offered() -> None:
    load_library()

    assert StageDesign.objects.filter(club=None, game="formula_d").count() == 8


def fill_in(client: Client, path: str, **typed: object) -> Any:
    """Send the form of a page with its current values and the changes."""
    form = client.get(path).context["form"]
    data = {field.html_name: field.value() for field in form if field.value() not in (None, False)}
    return client.post(path, {**data, **typed})


def test_a_race_is_made_by_the_form_with_the_options_of_the_game() -> None:
    load_library()
    olga = make_user("Olga")
    club = make_club(owner=olga)
    client, path = signed_in(olga), f"/clubs/{club.slug}/rallies/new/?game=formula_d"
    page = client.get(path).content.decode()
    for label in ("Laps", "Start roll", "Nitro", "Teams", "Qualifying", "Weather", "Choice of tyres", "Own cars"):
        assert label in page
    track = StageDesign.objects.get(club=None, game="formula_d", source="monza")
    typed = {"name": "Grand Prix", "route": "own", "stage_1": track.pk, "option_laps": 3, "option_weather": "on"}

    refused = fill_in(client, path, **{**typed, "option_rules": "basic"})
    assert refused.status_code == 422
    assert "belongs to the advanced rules" in refused.content.decode()
    assert fill_in(client, path, **typed).status_code == 302

    rally = Rally.objects.get(name="Grand Prix")
    assert (rally.game, rally.unit, rally.better) == ("formula_d", "points", "most")
    assert rally.options["laps"] == 3 and rally.options["weather"] is True
