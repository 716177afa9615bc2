"""Readings of rules: new events begin with those of tournaments, older events keep what they have."""

import pytest

from championship.rallies.models import Rally
from championship.seasons import rally_defaults
from tests.championship.catalogue.test_choosing import one_of, typed
from tests.championship.rallies.factories import ready_made
from tests.factories import make_club, make_user, signed_in

pytestmark = pytest.mark.django_db
READINGS = {"detours", "pits_by_place", "own_repairs"}


def ticked(page: str) -> set[str]:
    """The readings that are ticked on a page."""
    return {
        name for name in READINGS for at in [page.index(f'name="option_{name}"')] if "checked" in page[at : at + 120]
    }


def test_a_new_event_begins_with_the_readings_of_tournaments_and_an_old_one_without():
    olga = make_user("Olga Organiser")
    ready_made()
    club = make_club(owner=olga)
    client, address = signed_in(olga), f"/clubs/{club.slug}/rallies/new/"
    assert ticked(client.get(address, {"game": "formula_d"}).content.decode()) == READINGS

    client.post(address, typed("formula_d", stage_1=str(one_of("formula_d").pk)))
    rally = Rally.objects.get()
    rally.options = {name: value for name, value in rally.options.items() if name not in READINGS}
    rally.save()
    assert ticked(client.get(f"/rallies/{rally.key}/desk/options/").content.decode()) == set()


def test_a_season_that_has_chosen_options_goes_on_with_them():
    stored = {**rally_defaults.default_settings(), "game": "formula_d", "options": {"laps": 2}}
    began = rally_defaults.as_initial(stored, "formula_d")
    assert (began["option_laps"], began["option_detours"]) == (2, False)
    assert rally_defaults.from_json(stored, "formula_d")["options"] == {"laps": 2}

    unchosen = {**rally_defaults.default_settings(), "game": "dirt", "options": {"laps": 2}}
    assert rally_defaults.from_json(unchosen, "formula_d")["options"] == dict.fromkeys(READINGS, True)
