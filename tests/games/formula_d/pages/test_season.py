"""A season of Formula D: each round is a race on another ready-made track, filled in with one button."""

from __future__ import annotations

import pytest

from championship.seasons.models import Championship, SeasonDraft
from championship.stages.services import load_library
from tests.championship.seasons.scenes import typed
from tests.factories import make_club, make_user, signed_in

TRACKS = ["budapest", "interlagos", "melbourne"]


@pytest.mark.django_db
def test_a_season_drives_one_track_after_the_other() -> None:
    load_library()
    olga = make_user("Olga Organiser")
    club = make_club(owner=olga)
    client = signed_in(olga)
    client.post(f"/clubs/{club.slug}/championships/new/", {"name": "Tarmac Cup"})
    draft = SeasonDraft.objects.get()

    def send(step: str, asked: str = "", **changed: str) -> str:
        address = f"/season-drafts/{draft.key}/{step}/"
        client.post(address, {**typed(client.get(address + asked).content.decode()), **changed})
        return str(client.get(address).content.decode())

    page = send("calendar", action="fill:", fill_count="3", fill_route="turns/formula_d")
    assert "Formula D: Monza" in page and "Rallyman: DIRT: Rally 1" in page
    assert [typed(page)[f"route_{number}"] for number in (1, 2, 3)] == [f"formula_d/{track}" for track in TRACKS]
    send("rallies", "?game=formula_d", option_teams="on")
    draft.refresh_from_db()
    client.post(f"/season-drafts/{draft.key}/make/", {"version": str(draft.version)})

    rounds = Championship.objects.get().rounds.select_related("rally").order_by("number")
    assert [each.rally.name for each in rounds] == ["Grand Prix 1", "Grand Prix 2", "Grand Prix 3"]
    assert [each.rally.options["teams"] for each in rounds] == [True] * 3
    assert [stage.design.source for each in rounds for stage in each.rally.stages.all() if stage.design] == TRACKS
