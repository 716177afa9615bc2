"""A game from outside the tree with several courses in its library: its courses are stages of rallies."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from championship.clubs.models import Club
from championship.rallies.models import Rally
from championship.runs.models import Run
from championship.stages.models import StageDesign
from tests.championship.rallies.factories import ready_made
from tests.contract.tables import drive, on_the_road
from tests.factories import make_club, make_member, make_user, signed_in

TOML = 'name = "Ours"\nrounds = 3\n'
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]


def club_and_organiser() -> tuple[Club, Client]:
    """Return a club, and its organiser, signed in."""
    owner = make_user("Olga Organiser")
    return make_club(owner=owner), signed_in(owner)


def test_the_stages_of_a_rally_take_the_courses_in_turn() -> None:
    ready_made()
    assert StageDesign.objects.filter(club=None, game="laps").count() == 2
    first, _entries = on_the_road("laps", "Ana", "Bo", stages=3)
    rally = first.special_stage.rally
    rounds = []
    for number in (1, 2, 3):
        run = Run.objects.get(special_stage__rally=rally, special_stage__number=number)
        rounds.append(run.state["rounds"])
        drive(run)
    assert rounds == [2, 1, 2]
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED


# Their names ------------------------------------------------------------------------------------------


def test_a_course_is_called_by_its_own_name_where_it_has_one() -> None:
    ready_made()
    club, olga = club_and_organiser()
    named, nameless = StageDesign.objects.filter(club=None, game="laps").order_by("source")
    assert (named.source, named.title) == ("club/kidney", "The Kidney")
    assert (nameless.source, nameless.title) == ("club/oval", "Rally club, stage oval")
    for path in (f"/clubs/{club.slug}/stages/", f"/clubs/{club.slug}/rallies/new/?game=laps"):
        page = olga.get(path).content.decode()
        assert "The Kidney" in page and "Rally club, stage oval" in page, path
        assert "stage kidney" not in page


# Imported as text -------------------------------------------------------------------------------------


def test_a_club_imports_a_course_of_a_game_without_a_builder() -> None:
    club, olga = club_and_organiser()
    address = f"/clubs/{club.slug}/stages/laps/import/"
    library = olga.get(f"/clubs/{club.slug}/stages/").content.decode()
    assert address in library
    assert f"/clubs/{club.slug}/stages/dash/import/" not in library
    assert "rounds = 2" in olga.get(address).content.decode(), "a course of the library is the example"
    answer = olga.post(address, {"name": "Our ring", "text": TOML})
    design = StageDesign.objects.get(club=club)
    assert answer.status_code == 302 and answer["Location"] == design.get_absolute_url()
    assert (design.game, design.name, design.spec) == ("laps", "Our ring", {"name": "Ours", "rounds": 3})


def test_every_fault_is_named_on_a_line_of_its_own_and_the_text_is_kept() -> None:
    club, olga = club_and_organiser()
    for more in ({}, {"check": "1"}):
        sent = {"name": "Ours", "text": 'rounds = 77\nlength = "zzqx"', **more}
        answer = olga.post(f"/clubs/{club.slug}/stages/laps/import/", sent)
        page = answer.content.decode()
        assert answer.status_code == 422
        for fault in ("Length: no such field.", "Rounds: a number from 1 to 9."):
            assert page.count(fault) == 1
        assert "length = &quot;zzqx&quot;" in page
    assert not StageDesign.objects.filter(club=club).exists()


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"name": "Ours", "text": "rounds = ,\n"}, "at line 1"),
        ({"name": "Ours", "text": ""}, "Choose a file, or paste"),
        ({"name": "", "text": TOML}, "a name of 1 to 80"),
        ({"name": "Ours", "text": "[" * 5000}, "TOML"),
    ],
)
def test_what_cannot_be_stored_is_refused(sent: dict[str, str], said: str) -> None:
    club, olga = club_and_organiser()
    answer = olga.post(f"/clubs/{club.slug}/stages/laps/import/", sent)
    assert (answer.status_code, said in answer.content.decode()) == (422, True)
    assert not StageDesign.objects.filter(club=club).exists()


def test_a_check_stores_nothing_and_keeps_the_text_of_a_file() -> None:
    club, olga = club_and_organiser()
    file = SimpleUploadedFile("ours.toml", TOML.encode())
    answer = olga.post(f"/clubs/{club.slug}/stages/laps/import/", {"file": file, "text": "", "check": "1"})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert 'class="fine"' in page and "rounds = 3" in page
    assert not StageDesign.objects.filter(club=club).exists()


def test_only_organisers_import_and_only_for_games_without_a_builder() -> None:
    club, olga = club_and_organiser()
    member, stranger = make_member(club, name="Mia Member"), make_user("Sam Stranger")
    address = f"/clubs/{club.slug}/stages/laps/import/"
    sent = {"name": "Ours", "text": TOML}
    assert Client().post(address, sent).status_code == 302
    assert signed_in(member).post(address, sent).status_code == 403
    assert signed_in(stranger).post(address, sent).status_code in (403, 404)
    for game in ("dash", "dirt", "chess"):
        assert olga.post(address.replace("laps", game), sent).status_code == 404
    assert not StageDesign.objects.filter(club=club).exists()
