"""Rounds together are proposed before a rally is made that would take very long without them."""

import re

import pytest

from championship.rallies.models import Rally
from championship.seasons.models import SeasonDraft
from championship.seasons.season_plans import Plan, PlannedRound
from championship.seasons.services import season_drafts
from tests.championship.rallies.factories import designs
from tests.championship.rallies.test_desk_pages import settings_typed
from tests.factories import make_club, make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]


def told(page: str) -> str:
    """The part of a page about rounds together."""
    found = re.search(r'<(?:div|form)[^>]*id="long".*?(?=<details|</form>)', page, re.DOTALL)
    assert found is not None
    return found[0]


def days_in(part: str) -> list[int]:
    return [int(days) for days in re.findall(r"About (\d+) days?", part)]


@pytest.fixture
def olga():
    return make_user("Olga Organiser")


@pytest.fixture
def club(olga):
    designs()
    return make_club(owner=olga)


def test_the_form_of_a_long_rally_proposes_rounds_together_beside_their_tick(olga, club):
    client, address = signed_in(olga), f"/clubs/{club.slug}/rallies/new/"
    apart, together = days_in(told(client.get(address).content.decode()))
    assert apart > 60 > together

    client.post(address, settings_typed(route="1", rounds_together="on"))
    assert Rally.objects.get().together


def test_the_proposal_follows_the_form(olga, club):
    client, address = signed_in(olga), f"/clubs/{club.slug}/rallies/new/"
    asked = settings_typed(name="", route="1", turn_hours="2", pace="turn")
    answer = client.get(address, asked)
    assert answer.status_code == 200, "a form that is half filled in may be looked at"
    quick = told(answer.content.decode())
    assert len(days_in(quick)) == 1, "how long it takes is said, and nothing is proposed"
    assert "takes very long" not in quick
    assert 'name="rounds_together"' in quick

    alone = told(client.get(address, {**asked, "turn_hours": "24", "mode": "open road"}).content.decode())
    assert "takes very long" not in alone
    assert not Rally.objects.exists(), "a look makes nothing"


def test_the_wizard_proposes_them_for_its_longest_round_and_takes_them_with_one_press(olga, club):
    draft = season_drafts.begin_draft(by=olga, club=club)
    settings = {"mode": "convoy", "turn_hours": 48}
    rounds = (PlannedRound("One", None, "1"), PlannedRound("Two", None, "2"))
    season_drafts.save_draft(by=olga, draft=draft, version=0, name="Season", rounds=rounds, rally_settings=settings)
    client = signed_in(olga)
    page = client.get(f"/season-drafts/{draft.key}/preview/").content.decode()
    apart, together = days_in(told(page))
    assert apart > together

    version = re.search(r'name="version" value="(\d+)"', page)
    assert version is not None
    client.post(f"/season-drafts/{draft.key}/make/", {"rounds": "together", "version": version[1]})
    assert Plan.read(SeasonDraft.objects.get().said).rally_settings["timekeeping"]["rounds_together"]
    assert 'id="long"' not in client.get(f"/season-drafts/{draft.key}/preview/").content.decode()
    assert not Rally.objects.exists()


def test_the_form_says_how_long_a_rally_takes_and_how_many_stages_are_a_good_length(olga, club):
    client = signed_in(olga)
    address = f"/clubs/{club.slug}/rallies/new/"
    chosen = {f"stage_{number}": str(design.pk) for number, design in enumerate(designs("1/1", "4/1"), 1)}
    asked = settings_typed(name="", route="own", turn_hours="2", pace="turn")
    part = told(client.get(address, {**asked, **chosen}).content.decode())
    assert "A good length for a rally" in part
    (days,) = days_in(part)
    each = re.search(r"That is (\d+) days? for each", part)
    assert each is not None and int(each[1]) == max(1, round(days / 2))
