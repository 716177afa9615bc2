"""A list of courses becomes the library of a club: read by the columns that each game knows, looked at, undone."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from championship.clubs.models import Role
from championship.lists.models import ListDraft, ListImport
from championship.lists.reading import sheets_of
from championship.lists.reading.courses import read_courses
from championship.lists.services import courses, undoing
from championship.platform.refusals import Stale
from championship.stages import services as stages
from championship.stages.models import StageDesign
from engine import registry
from tests.championship.rallies.factories import make_rally
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db
DIRT, CIRCUITS = "dirt", "formula_d"


def tiles_of(source, between=" "):
    spec = registry.get(DIRT).library()[source]
    return between.join(f"{tile['tile']} {tile['via']}" for tile in spec["tiles"])


@pytest.fixture
def olga():
    return make_user("Olga")


@pytest.fixture
def club(olga):
    return make_club(owner=olga)


def brought(olga, club, text, game=DIRT):
    return courses.bring(by=olga, club=club, game=game, content=text.encode())


def states(draft):
    return [(each.name, each.state) for each in courses.plan(draft).courses]


def found(text, game=DIRT, chosen=None):
    known = registry.get(game).course_columns
    read = read_courses(sheets_of(text.encode()).sheets[0], known, chosen or {})
    return [(each.name, {role: " ".join(cells) for role, cells in each.values.items()}) for each in read.courses]


def test_a_line_for_each_stage_in_any_language():
    for heads in ("Name;Tiles", "Nazwa;Kafle", "Prüfung;Kacheln", "Stage name;Route"):
        assert found(f"{heads}\nForest;202a 210b\n\nSand;203a, 204b\n") == [
            ("Forest", {"tiles": "202a 210b"}),
            ("Sand", {"tiles": "203a, 204b"}),
        ]


def test_a_tile_in_each_cell_or_in_each_line():
    wide = "Stage;Tile 1;Tile 2;Tile 3\nForest;202a;210b;205a\nSand;203a;204b;\n"
    merged = "Stage;Tiles;;\nForest;202a;210b;205a\nSand;203a;204b;\n"
    tall = "Stage;Tile\nForest;202a\n;210b\n;205a\nSand;203a\nSand;204b\n"
    bare = "Forest;202a;210b;205a\nSand;203a;204b;\n"
    expected = [("Forest", {"tiles": "202a 210b 205a"}), ("Sand", {"tiles": "203a 204b"})]
    assert [found(text) for text in (wide, merged, tall, bare)] == [expected] * 4


def test_what_a_column_is_can_be_said():
    text = "Wer;Was\nForest;202a 210b\nSand;203a 204b\n"
    assert found(text, chosen={0: "name", 1: "tiles"})[0][0] == "Forest"
    assert found("Name;Tiles\nForest;202a\n", chosen={1: "ignore"}) == [("Forest", {})]


def test_stages_by_tiles_and_by_seed_come_into_the_library_and_can_be_undone(olga, club):
    text = (
        "Stage;Tiles;Seed;Number of tiles;Service park\n"
        f"Forest;{tiles_of('1/1')};;;ja\nSand;{tiles_of('1/2', ' | ')};;;\nChance;;7;12;no\n"
        "Wrong;202a 999z;;;\nEmpty;;;;\nShort;;7;;\nforest;203a;;;\n"
    )
    client = signed_in(olga)
    sent = {"game": DIRT, "file": SimpleUploadedFile("stages.csv", text.encode())}
    page = client.post(f"/lists/clubs/{club.slug}/courses/", sent)["Location"]
    draft = ListDraft.objects.get()
    assert states(draft) == [
        ("Forest", "new"),
        ("Sand", "new"),
        ("Chance", "new"),
        ("Wrong", "left out"),
        ("Empty", "left out"),
        ("Short", "left out"),
        ("forest", "left out"),
    ]
    shown = client.get(page).text
    assert "There is no tile face" in shown or "999z" in shown
    assert "neither tiles nor a seed" in shown
    assert "forest is in line 2 already." in shown
    assert not StageDesign.objects.filter(club=club).exists(), "nothing is made by looking"
    done = client.post(page, {"version": draft.version, "do": "take"})
    assert StageDesign.objects.filter(club=club).count() == 3
    assert len(StageDesign.objects.get(name="Chance").spec["tiles"]) == 12
    assert StageDesign.objects.get(name="Forest").spec["service"] is True
    assert not ListDraft.objects.exists()
    assert "Undo this import" in client.get(done["Location"]).text
    assert client.get(f"/clubs/{club.slug}/lists/").status_code == 200
    made = ListImport.objects.get()
    assert client.post(f"/lists/{made.key}/undo/").status_code == 302
    assert not StageDesign.objects.filter(club=club).exists()


def test_circuits_by_name_or_title(olga, club):
    draft = brought(olga, club, "Rennen;Strecke\nEröffnung;NÜRBURGRING\nNacht;Monaco\nFalsch;Atlantis\n", CIRCUITS)
    assert states(draft) == [("Eröffnung", "new"), ("Nacht", "new"), ("Falsch", "left out")]
    courses.take(by=olga, draft=draft, version=draft.version)
    assert StageDesign.objects.get(name="Nacht").spec == {"track": "monaco"}
    again = brought(olga, club, "Rennen;Strecke\nNacht;Monaco\nEröffnung;Monza\n", CIRCUITS)
    assert states(again) == [("Nacht", "unchanged"), ("Eröffnung", "left out")]
    refused = signed_in(olga).post(f"/lists/{again.key}/courses/", {"version": again.version, "do": "take"})
    assert refused.status_code == 422
    assert "There is nothing new in it." in refused.text


def test_an_import_whose_stages_are_driven_or_renamed_stays(olga, club):
    draft = brought(olga, club, f"Name;Tiles\nForest;{tiles_of('1/1')}\nSand;{tiles_of('1/2')}\n")
    done = courses.take(by=olga, draft=draft, version=draft.version)
    forest, sand = StageDesign.objects.filter(club=club).order_by("name")
    stages.rename_design(by=olga, design=sand, name="Dune")
    make_rally(by=olga, club=club, name="Cup", own_designs=[forest])
    with pytest.raises(undoing.CannotUndo) as refused:
        undoing.undo(by=olga, done=done)
    assert refused.value.reasons == ["Cup uses a stage of this list.", "Sand is called Dune now."]


def test_a_list_in_two_windows_is_imported_once(olga, club):
    draft = brought(olga, club, f"Name;Tiles\nForest;{tiles_of('1/1')}\n")
    changed = courses.say(by=olga, draft=draft, version=draft.version, columns={1: "tiles"})
    with pytest.raises(Stale):
        courses.take(by=olga, draft=draft, version=changed.version - 1)
    courses.take(by=olga, draft=changed, version=changed.version)
    with pytest.raises(Stale):
        courses.take(by=olga, draft=changed, version=changed.version)
    assert StageDesign.objects.filter(club=club).count() == 1


def test_lists_of_courses_are_for_organisers_and_each_draft_for_its_person(olga, club):
    draft = brought(olga, club, f"Name;Tiles\nForest;{tiles_of('1/1')}\n")
    driver, other = make_member(club, name="Ana"), make_member(club, name="Otto", roles=[Role.ORGANISER])
    page, look = f"/lists/clubs/{club.slug}/courses/", f"/lists/{draft.key}/courses/"
    asked = (signed_in(driver), signed_in(other), signed_in(make_user()), Client())
    assert [client.get(page).status_code for client in asked] == [403, 200, 404, 302]
    assert [client.get(look).status_code for client in asked] == [404, 404, 404, 302]


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"game": "dust", "text": "Name;Tiles\na;b\n"}, "Select a valid choice"),
        ({"game": DIRT}, "Choose a file, or paste"),
        ({"game": DIRT, "text": "%PDF-1.7"}, "a picture, a PDF"),
        ({"text": "Name;Tiles\na;b\n"}, "required"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_field(olga, club, sent, says):
    refused = signed_in(olga).post(f"/lists/clubs/{club.slug}/courses/", sent)
    assert refused.status_code == 422
    assert says in refused.text


def test_odd_lists_of_courses_are_answered(olga, club):
    client = signed_in(olga)
    for text in ("x", ";;;", "Name;Tiles\n" + "a" * 5000, "Name\n\n\n", "Seed;Length\n99999999999999;x\n", "=1+1;=2"):
        answer = client.post(f"/lists/clubs/{club.slug}/courses/", {"game": DIRT, "text": text})
        assert answer.status_code in (302, 422)
        if answer.status_code == 302:
            assert client.get(answer["Location"]).status_code == 200
            junk = {"version": "x", "do": "take", "column-0": "zzqx", "column-x": "name"}
            assert client.post(answer["Location"], junk).status_code == 409
