"""Seasons of a game that is no longer installed: their pages open with neutral words, but not rally settings."""

import pytest
from django.urls import reverse

from championship.seasons.models import Championship
from tests.championship.seasons.test_wizard import at, draft_of
from tests.factories import make_club, make_user, signed_in

pytestmark = pytest.mark.django_db


def test_a_season_of_a_game_that_is_no_longer_installed_is_shown_in_neutral_words():
    olga = make_user("Olga")
    club = make_club(owner=olga)
    draft = draft_of(olga, club)
    draft.said = draft.said | {"rally_settings": draft.said.get("rally_settings", {}) | {"game": "gone"}}
    draft.save()
    page = signed_in(olga)
    for step in ("", "points/", "calendar/"):
        assert page.get(at(draft, step)).status_code == 200
    kept = Championship.objects.create(club=club, name="Old Championship", points=[1], rally_settings={"game": "gone"})
    for name in ("edit", "edit_classes", "edit_calendar"):
        answer = page.get(reverse(f"seasons:{name}", args=[kept.key]))
        assert answer.status_code == 200
        assert ">Rallies</a>" in answer.content.decode()
    assert page.get(reverse("seasons:edit_rallies", args=[kept.key])).status_code == 404, "nobody knows its options"
