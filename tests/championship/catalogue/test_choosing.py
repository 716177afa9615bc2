"""Several games on one site: the club chooses the one that it drives, and pages name the game."""

import pytest
from django.urls import reverse

from championship import catalogue
from championship.platform.refusals import Refused
from championship.rallies.models import Rally
from championship.seasons import services as seasons
from championship.seasons.models import SeasonDraft
from championship.seasons.season_plans import OWN_STAGES, PlannedRound
from championship.seasons.services.season_drafts import begin_draft, make_season, save_draft
from championship.stages.models import StageDesign
from championship.stages.services import create_design
from engine import registry
from tests.championship.rallies.factories import ready_made
from tests.championship.rallies.test_desk_pages import settings_typed
from tests.contract.conftest import toys
from tests.factories import make_club, make_user, signed_in

__all__ = ["toys"]

pytestmark = pytest.mark.django_db
TABS = 'aria-label="Game"'


@pytest.fixture
def olga():
    return make_user("Olga Organiser")


@pytest.fixture
def club(olga):
    ready_made()
    return make_club(owner=olga)


def one_of(game: str) -> StageDesign:
    return StageDesign.objects.filter(club=None, game=game).order_by("source")[0]


def typed(game: str, **chosen: str) -> dict[str, str]:
    """Return the form for a new rally as a browser sends it, with each option of the game at its default."""
    kept = {name: value for name, value in settings_typed().items() if not name.startswith("option_")}
    for option in registry.get(game).options:
        if option.default is not False:
            kept[f"option_{option.name}"] = "on" if option.default is True else str(option.default)
    return {**kept, "game": game, "route": "own", **chosen}


def test_with_one_game_nobody_is_asked(olga, club, monkeypatch):
    reverse("runs:mine")  # the addresses of all games are loaded before there is only one
    (first, *_others) = catalogue.names()
    monkeypatch.setattr(catalogue, "_GAMES", {first: catalogue.get(first)})
    client = signed_in(olga)
    for address in (f"/clubs/{club.slug}/rallies/new/", f"/clubs/{club.slug}/stages/build/"):
        assert TABS not in client.get(address).content.decode()


@pytest.mark.usefixtures("toys")
def test_a_rally_is_made_in_the_game_that_was_chosen(olga, club):
    client, address = signed_in(olga), f"/clubs/{club.slug}/rallies/new/"
    ready_made()
    first = client.get(address).content.decode()
    assert TABS in first
    assert "?game=dash" in first

    page = client.get(address, {"game": "dash"}).content.decode()
    assert '<input type="hidden" name="game" value="dash">' in page
    assert "option_sisu" not in page
    made = client.post(address, typed("dash", stage_1=str(one_of("dash").pk)))

    rally = Rally.objects.get()
    assert made.url == f"/rallies/{rally.key}/desk/"
    assert rally.game == "dash"
    assert "Dash" in client.get(rally.get_absolute_url()).content.decode()


@pytest.mark.usefixtures("toys")
def test_stages_of_another_game_make_no_rally(olga, club):
    ready_made()
    answer = signed_in(olga).post(f"/clubs/{club.slug}/rallies/new/", typed("dash", stage_1=str(one_of("dirt").pk)))

    assert answer.status_code == 422
    assert not Rally.objects.exists()


@pytest.mark.parametrize("name", ["chess", "", "../dirt"])
def test_an_unknown_game_is_not_found_or_replaced_by_the_default(olga, club, name):
    answer = signed_in(olga).get(f"/clubs/{club.slug}/rallies/new/", {"game": name})

    assert answer.status_code == (404 if name else 200)


@pytest.mark.usefixtures("toys")
def test_the_list_of_stages_names_the_game_of_each(olga, club):
    ready_made()
    page = signed_in(olga).get(reverse("stages:club", args=[club.slug])).content.decode()

    assert "Dash" in page
    assert "Rallyman: DIRT · " in page


def test_a_stage_of_each_game_has_its_own_builder(olga, club):
    client = signed_in(olga)
    named = client.get(f"/clubs/{club.slug}/stages/dirt/build/")
    usual = client.get(f"/clubs/{club.slug}/stages/build/")

    assert named.status_code == usual.status_code == 200
    assert client.get(f"/clubs/{club.slug}/stages/chess/build/").status_code == 404


@pytest.mark.usefixtures("toys")
def test_a_game_without_a_builder_lays_no_stages(olga, club):
    assert signed_in(olga).get(f"/clubs/{club.slug}/stages/dash/build/").status_code == 404


@pytest.mark.usefixtures("toys")
def test_a_season_holds_rounds_of_two_games(olga, club):
    ready_made()
    draft = begin_draft(by=olga, club=club)
    rounds = (
        PlannedRound("Gravel", route="1"),
        PlannedRound("Sprint", route=OWN_STAGES, designs=(one_of("dash").pk,)),
    )
    draft = save_draft(by=olga, draft=draft, version=0, name="Season", rounds=rounds)

    made = make_season(by=olga, draft=draft, version=draft.version)

    assert [each.rally.game for each in made.rounds.order_by("number")] == ["dirt", "dash"]


@pytest.mark.usefixtures("toys")
def test_stages_of_two_games_make_no_round(olga, club):
    ready_made()
    draft = begin_draft(by=olga, club=club)
    save_draft(by=olga, draft=draft, version=0, name="Season", rounds=(PlannedRound("Both", route="1"),))
    chosen = {"version": "1", "stage_1": str(one_of("dirt").pk), "stage_2": str(one_of("dash").pk)}

    answer = signed_in(olga).post(reverse("seasons:draft_stages", args=[draft.key, 1]), chosen)

    assert answer.status_code == 422
    assert "of the same game" in answer.content.decode()
    assert SeasonDraft.objects.get().version == 1


@pytest.mark.usefixtures("toys")
def test_a_new_round_of_another_game_begins_with_its_own_options(olga, club):
    ready_made()
    made = seasons.create_championship(by=olga, club=club, name="Season")
    page = signed_in(olga).get(reverse("seasons:new_round", args=[made.key]), {"game": "dash"}).content.decode()

    assert '<input type="hidden" name="game" value="dash">' in page
    assert "option_sisu" not in page


@pytest.mark.usefixtures("toys")
def test_a_stage_of_a_game_that_offers_little_offers_little(olga, club):
    ready_made()
    client, design = signed_in(olga), one_of("dash")

    page = client.get(design.get_absolute_url()).content.decode()

    assert "Export as TOML" not in page
    assert "How hard it is" not in page
    assert "Put a copy in the draft" not in page
    assert client.get(reverse("stages:toml", args=[design.key])).status_code == 404
    for act in ("rate", "copy"):
        answer = client.post(reverse(f"stages:{act}", args=[design.key]), {"club": club.slug})
        assert answer.status_code == 422, act


@pytest.mark.usefixtures("toys")
def test_a_game_without_courses_takes_no_stage_of_a_club(olga, club):
    with pytest.raises(Refused, match="no custom stages"):
        create_design(by=olga, club=club, name="Ours", game="dash", spec={})
