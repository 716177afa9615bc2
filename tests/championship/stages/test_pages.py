"""The pages: the club's library; one stage with its map and pace notes, copied, renamed, removed."""

import tomllib

import pytest
from django.test import Client

from championship.clubs.models import Club, Role
from championship.stages.models import StageDesign, StageDraft
from championship.stages.services import create_design
from engine import registry
from tests.factories import make_club, make_member, signed_in

pytestmark = pytest.mark.django_db

TILES = "202a\n204a\n203a"


def organiser_of(club: Club) -> Client:
    return signed_in(make_member(club, roles=[Role.ORGANISER]))


def test_the_library_shows_own_and_ready_made_stages_with_maps(django_assert_max_num_queries) -> None:
    club = make_club()
    organiser = make_member(club, roles=[Role.ORGANISER])
    for number in range(5):
        create_design(by=organiser, club=club, name=f"Loop {number}", game="dirt", text=TILES)
    page = signed_in(organiser)
    with django_assert_max_num_queries(10):
        answer = page.get(f"/clubs/{club.slug}/stages/")
    text = answer.content.decode()
    assert text.count("<svg") >= 23
    assert "Loop 4" in text
    assert ">Salmon Leap</a>" in text and "Rally 6, stage 3" in text
    assert f"/clubs/{club.slug}/stages/build/" in text


def test_a_driver_sees_the_library_but_builds_nothing() -> None:
    club = make_club()
    page = signed_in(make_member(club))
    assert "/stages/build/" not in page.get(f"/clubs/{club.slug}/stages/").content.decode()


def test_the_library_of_another_club_gets_404() -> None:
    club, other = make_club(), make_club(name="Elsewhere")
    assert organiser_of(other).get(f"/clubs/{club.slug}/stages/").status_code == 404


def test_a_visitor_is_asked_to_sign_in() -> None:
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


def test_a_stage_has_pace_notes_a_sheet_of_them_and_a_file() -> None:
    design = StageDesign.objects.get(source="6/2")
    page = Client().get(design.get_absolute_url()).content.decode()
    sheet = Client().get(f"{design.get_absolute_url()}notes/").content.decode()
    for text in (page, sheet):
        assert "left 2 cut 4" in text
        assert "jump 4" in text
        assert "narrows 4" in text
    kept = Client().get(f"{design.get_absolute_url()}stage.toml")
    assert kept["Content-Disposition"] == 'attachment; filename="crows-nest-climb.toml"'
    assert registry.get("dirt").read_course(tomllib.loads(kept.content.decode())) == design.spec
    assert Client().get("/stages/nonsense/notes/").status_code == 404
    assert Client().get("/stages/nonsense/stage.toml").status_code == 404


def test_what_a_person_may_do_with_a_stage_depends_on_their_role() -> None:
    club, other = make_club(), make_club(name="Elsewhere")
    design = create_design(by=club.memberships.get().user, club=club, name="Mill", game="dirt", text=TILES)
    address = design.get_absolute_url()
    readers = {
        "stranger": Client(),
        "driver": signed_in(make_member(club)),
        "organiser elsewhere": organiser_of(other),
        "organiser": organiser_of(club),
    }
    may = {
        who: [word in page.get(address).content.decode() for word in ("Copy it to the library", "Rename it")]
        for who, page in readers.items()
    }
    assert may == {
        "stranger": [False, False],
        "driver": [False, False],
        "organiser elsewhere": [True, False],
        "organiser": [True, True],
    }
    for act in ("rename", "remove"):
        posted = {who: page.post(f"{address}{act}/", {"name": "New"}).status_code for who, page in readers.items()}
        assert posted == {"stranger": 302, "driver": 403, "organiser elsewhere": 404, "organiser": 302}


def test_a_stage_is_renamed_and_a_taken_name_is_refused_with_what_was_typed() -> None:
    club = make_club()
    olga = club.memberships.get().user
    mill, ford = (create_design(by=olga, club=club, name=name, game="dirt", text=TILES) for name in ("Mill", "Ford"))
    page = signed_in(olga)
    assert page.post(f"{mill.get_absolute_url()}rename/", {"name": "Old mill"}).status_code == 302
    refused = page.post(f"{ford.get_absolute_url()}rename/", {"name": "Old mill"})
    assert refused.status_code == 422
    assert "of that name already" in refused.content.decode()
    for name in ("", " ", "x" * 81, "a\x00b"):
        assert page.post(f"{ford.get_absolute_url()}rename/", {"name": name}).status_code == 422
    assert sorted(StageDesign.objects.filter(club=club).values_list("name", flat=True)) == ["Ford", "Old mill"]


def test_a_copy_goes_to_the_builder_or_the_library_of_a_club_one_organises() -> None:
    club, other = make_club(), make_club(name="Elsewhere")
    design = create_design(by=club.memberships.get().user, club=club, name="Mill", game="dirt", text=TILES)
    page = organiser_of(other)
    address = f"{design.get_absolute_url()}copy/"
    assert page.post(address, {"club": club.slug}).status_code == 422
    assert page.post(address, {"club": "nowhere"}).status_code == 422
    assert page.post(address, {"club": other.slug, "library": "1"}).status_code == 302
    assert page.post(address, {"club": other.slug}).status_code == 302
    assert StageDesign.objects.get(club=other).spec == design.spec
    assert StageDraft.objects.get(club=other).spec == design.spec
    assert Client().post(address, {"club": other.slug}).status_code == 302
    assert StageDesign.objects.filter(club=club).count() == 1


def test_a_stage_can_be_removed_but_a_ready_made_one_cannot() -> None:
    club = make_club()
    olga = club.memberships.get().user
    design = create_design(by=olga, club=club, name="Mill", game="dirt", text=TILES)
    ready_made = StageDesign.objects.get(source="1/1")
    page = signed_in(olga)
    assert page.post(f"{design.get_absolute_url()}remove/").status_code == 302
    assert page.post(f"{design.get_absolute_url()}remove/").status_code == 404
    for act in ("rename", "remove"):
        assert page.post(f"{ready_made.get_absolute_url()}{act}/", {"name": "x"}).status_code == 403
    assert StageDesign.objects.filter(club=club).count() == 0
    assert StageDesign.objects.filter(club=None, game="dirt").count() == 18
