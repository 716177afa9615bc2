"""The pages: the club's shelf, one stage with its map, designing a new one."""

import pytest
from django.test import Client

from championship.clubs.models import Club, Role
from championship.stages.models import StageDesign
from championship.stages.services import create_design
from tests.factories import make_club, make_member, signed_in

pytestmark = pytest.mark.django_db

GOOD = {"name": "Round the mill", "tiles": "202a\n204a\n203a", "boxes": "1", "service": "on"}


def organiser_of(club: Club) -> Client:
    return signed_in(make_member(club, roles=[Role.ORGANISER]))


def test_the_shelf_shows_own_and_ready_made_stages_with_maps(django_assert_max_num_queries) -> None:
    club = make_club()
    organiser = make_member(club, roles=[Role.ORGANISER])
    for number in range(5):
        create_design(by=organiser, club=club, name=f"Loop {number}", game="dirt", text=GOOD["tiles"])
    page = signed_in(organiser)
    with django_assert_max_num_queries(10):
        answer = page.get(f"/clubs/{club.slug}/stages/")
    text = answer.content.decode()
    assert text.count("<svg") >= 23
    assert "Loop 4" in text
    assert "Rally 6, stage 3" in text
    assert f"/clubs/{club.slug}/stages/new/" in text


def test_a_driver_sees_the_shelf_but_designs_nothing() -> None:
    club = make_club()
    page = signed_in(make_member(club))
    assert f"/clubs/{club.slug}/stages/new/" not in page.get(f"/clubs/{club.slug}/stages/").content.decode()
    assert page.get(f"/clubs/{club.slug}/stages/new/").status_code == 403
    assert page.post(f"/clubs/{club.slug}/stages/new/", GOOD).status_code == 403
    assert not StageDesign.objects.filter(club=club).exists()


def test_another_clubs_shelf_is_not_there() -> None:
    club, other = make_club(), make_club(name="Elsewhere")
    page = organiser_of(other)
    assert page.get(f"/clubs/{club.slug}/stages/").status_code == 404
    assert page.get(f"/clubs/{club.slug}/stages/new/").status_code == 404
    assert page.post(f"/clubs/{club.slug}/stages/new/", GOOD).status_code == 404


def test_who_has_not_signed_in_is_asked_to() -> None:
    club = make_club()
    assert Client().get(f"/clubs/{club.slug}/stages/").status_code == 302


def test_a_stage_is_shown_to_everybody_with_its_key(django_assert_max_num_queries) -> None:
    design = StageDesign.objects.get(source="6/2")
    with django_assert_max_num_queries(6):
        text = Client().get(design.get_absolute_url()).content.decode()
    assert "stage-overlay" in text
    assert "bend to the right 4/5-5-5" in text
    assert "bump 4" in text
    assert "shortcut 4" in text
    assert "227a BD" in text or "227a DB" in text
    assert Client().get("/stages/nonsense/").status_code == 404


def test_an_organiser_looks_at_a_stage_and_keeps_it() -> None:
    club = make_club()
    page = organiser_of(club)
    looked = page.post(f"/clubs/{club.slug}/stages/new/", {**GOOD, "look": "1"})
    assert looked.status_code == 200
    assert "stage-overlay" in looked.content.decode()
    assert not StageDesign.objects.filter(club=club).exists()
    kept = page.post(f"/clubs/{club.slug}/stages/new/", GOOD, follow=True)
    assert kept.status_code == 200
    design = StageDesign.objects.get(club=club)
    assert kept.redirect_chain[-1][0] == design.get_absolute_url()
    assert design.spec["service"] is True


def test_t1_a_list_that_does_not_close_is_answered_with_the_tile_and_the_form_as_typed() -> None:
    club = make_club()
    answer = organiser_of(club).post(f"/clubs/{club.slug}/stages/new/", {**GOOD, "tiles": "202a\n204a\n205a"})
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "Tile 3" in text
    assert "202a\n204a\n205a" in text.replace("\r", "")
    assert "Round the mill" in text
    assert not StageDesign.objects.filter(club=club).exists()


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"name": "x"},
        {**GOOD, "name": "\x00"},
        {**GOOD, "name": "x" * 500},
        {**GOOD, "tiles": "\x00"},
        {**GOOD, "tiles": "=" * 30_000},
        {**GOOD, "tiles": "tiles = " + "[" * 5_000},
        {**GOOD, "tiles": "tiles = [{tile='202a', turn=99999999999999999999}]"},
        {**GOOD, "tiles": "tiles = [{tile='202a', at=[nan, inf]}]"},
        {**GOOD, "tiles": "tiles = [{tile='202a', via=['D','A']}, {tile='203a'}]"},
        {**GOOD, "tiles": "tiles = [1979-05-27]"},
        {**GOOD, "tiles": "𝟚𝟘𝟚a\n٢٠٢a ٠,٠"},
        {**GOOD, "boxes": "-1"},
        {**GOOD, "boxes": "99999999999999999999"},
        {**GOOD, "boxes": "one"},
    ],
)
def test_nonsense_is_refused_and_nothing_kept(given: dict[str, str]) -> None:
    club = make_club()
    page = organiser_of(club)
    for more in ({}, {"look": "1"}):
        assert page.post(f"/clubs/{club.slug}/stages/new/", {**given, **more}).status_code == 422
    assert not StageDesign.objects.filter(club=club).exists()
