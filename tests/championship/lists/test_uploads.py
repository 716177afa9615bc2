"""A list is brought, its columns are said, and it is handed on: what is kept, refused, remembered, and for whom."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from championship.clubs.models import Role
from championship.lists.models import Columns, ListDraft, ListImport
from championship.lists.services import uploads
from championship.platform.refusals import Refused, Stale
from championship.seasons.services import create_championship
from tests.championship.lists.test_files import FILES
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db
TABLE = "Pos;Fahrer;Lauf A;Lauf B;Summe\n1;Ana Berg;25;18;43\n2;Bo Dahl;18;x;18\n"


@pytest.fixture
def scene():
    olga = make_user("Olga Organiser")
    club = make_club(owner=olga)
    return olga, club, create_championship(by=olga, club=club, name="Cup", classes=[])


def brought(scene, text, purpose="results"):
    olga, club, cup = scene
    return uploads.bring(by=olga, club=club, purpose=purpose, target=cup.key, content=text.encode())


def shown(answer):
    return answer.content.decode()


def test_a_pasted_list_leads_to_its_columns_and_says_what_is_understood(scene):
    olga, _club, cup = scene
    client = signed_in(olga)
    answer = client.post(f"/lists/championships/{cup.key}/results/", {"text": TABLE})
    draft = ListDraft.objects.get()
    assert answer["Location"] == f"/lists/{draft.key}/columns/"
    page = shown(client.get(answer["Location"]))
    assert "Lauf A" in page and "2 rounds" in page and "Ana Berg" in page
    assert page.count("<select") == 5
    assert "Lauf A" in shown(client.get(answer["Location"], headers={"Accept-Language": "pl"}))


def test_a_file_is_read_and_something_else_is_refused_with_what_to_do(scene):
    olga, _club, cup = scene
    client = signed_in(olga)
    where = f"/lists/championships/{cup.key}/registrations/"
    sent = {"file": SimpleUploadedFile("list.csv", "Name;Klasse\nJürgen Groß;RC1\n".encode("cp1252"))}
    assert client.post(where, sent).status_code == 302
    assert "Jürgen Groß" in shown(client.get(f"/lists/{ListDraft.objects.get().key}/columns/"))
    for content, says in (
        (b"%PDF-1.7 ...", "a picture, a PDF"),
        (b"", "The list is empty"),
        (b"PK\x03\x04 no zip", "cannot be unpacked"),
        (b"x" * (2 * 1024**2 + 1), "at most 2 MB"),
    ):
        refused = client.post(where, {"file": SimpleUploadedFile("x.xlsx", content)})
        assert refused.status_code == 422
        assert says in shown(refused)
    assert bytes(ListDraft.objects.get().content).startswith(b"Name")


def test_a_choice_takes_its_role_from_another_column_and_is_remembered(scene):
    olga, club, _cup = scene
    draft = brought(scene, "Wer;Wo;Was\nAna Berg;Nordring;1\nBo Dahl;Nordring;2\n")
    shown_roles = {column.index: column.role for column in uploads.read_draft(draft).columns}
    said = uploads.Said(None, {**shown_roles, 1: "rally", 2: "place"}, {})
    draft = uploads.say(by=olga, draft=draft, version=draft.version, said=said)
    found = uploads.read_draft(draft).found
    assert [(each.name, [result.place for result in each.results]) for each in found.rounds] == [("Nordring", [1, 2])]
    made = uploads.hand_on(by=olga, draft=draft, version=draft.version, championship=None, rally=None)
    assert ListImport.objects.get() == made
    assert Columns.objects.get(club=club).choices["columns"] == {"1": "rally", "2": "place"}
    again = brought(scene, "Wer;Wo;Was\nCem Ekin;Südring;1\n")
    assert uploads.read_draft(again).found.rounds[0].name == "Südring"


def test_a_column_that_is_chosen_twice_is_the_one_chosen_last(scene):
    olga = scene[0]
    draft = brought(scene, "Name;Spitzname;Platz\nAna;Rote Ana;1\n")
    for index in (1, 0, 1):
        roles = {column.index: column.role for column in uploads.read_draft(draft).columns}
        said = uploads.Said(None, {**roles, index: "name"}, {})
        draft = uploads.say(by=olga, draft=draft, version=draft.version, said=said)
    roles = {column.index: column.role for column in uploads.read_draft(draft).columns}
    assert roles == {0: "ignore", 1: "name", 2: "place"}


def test_lines_with_faults_hinder_until_they_are_left_out_and_come_back_as_csv(scene):
    olga = scene[0]
    draft = brought(scene, "rally,name,place\n" + "".join(f"Sand,P{n},{n if n % 2 else 'nix'}\n" for n in range(1, 41)))
    client = signed_in(olga)
    page = shown(client.get(f"/lists/{draft.key}/columns/"))
    assert page.count("This is no place") == 1
    assert "Leave these 20 lines out" in page
    refused = client.post(f"/lists/{draft.key}/columns/", {"version": 0, "do": "next"})
    assert refused.status_code == 422
    assert "20 lines have faults" in shown(refused)
    lines = shown(client.get(f"/lists/{draft.key}/columns/to-correct.csv")).splitlines()
    assert len(lines) == 21
    assert lines[1].startswith('Sand,P2,nix,"place: This is no place.')
    draft.refresh_from_db()
    said = uploads.Said(None, {}, {"faults": uploads.LEAVE_OUT})
    draft = uploads.say(by=olga, draft=draft, version=draft.version, said=said)
    made = uploads.hand_on(by=olga, draft=draft, version=draft.version, championship=None, rally=None)
    assert len(made.found["rounds"][0]["results"]) == 20


def test_the_lines_to_correct_can_be_brought_again(scene):
    olga = scene[0]
    draft = brought(scene, "Name;Mail;Nr\nAna;a@example.org;x\n=Bo;b@example.org;2\n", "registrations")
    csv = signed_in(olga).get(f"/lists/{draft.key}/columns/to-correct.csv").content
    again = uploads.bring(by=olga, club=scene[1], purpose="registrations", target=scene[2].key, content=csv)
    assert [column.role for column in uploads.read_draft(again).columns] == ["name", "mail", "number", "ignore"]


def test_a_heading_is_no_formula_among_the_lines_to_correct(scene):
    draft = brought(scene, "Name;Rally;=1+1\nAna;Sand;nix\nBo;Sand;2\n")
    said = uploads.Said(None, {1: "rally", 2: "place"}, {})
    uploads.say(by=scene[0], draft=draft, version=0, said=said)
    csv = shown(signed_in(scene[0]).get(f"/lists/{draft.key}/columns/to-correct.csv"))
    assert csv.splitlines()[1].startswith("Ana,Sand,nix,\"'=1+1: ")


def test_a_person_keeps_no_more_than_some_drafts(scene):
    olga, club, _cup = scene
    for number in range(uploads.MOST_DRAFTS + 2):
        uploads.bring(by=olga, club=club, purpose="results", target=f"season{number}", content=TABLE.encode())
    assert ListDraft.objects.filter(by=olga).count() == uploads.MOST_DRAFTS
    assert not ListDraft.objects.filter(target__in=["season0", "season1"]).exists()


def test_a_page_that_is_out_of_date_changes_nothing(scene):
    olga = scene[0]
    draft = brought(scene, TABLE)
    uploads.say(by=olga, draft=draft, version=0, said=uploads.Said(None, {0: "ignore"}, {}))
    with pytest.raises(Stale):
        uploads.say(by=olga, draft=draft, version=0, said=uploads.Said(None, {0: "number"}, {}))
    answer = signed_in(olga).post(f"/lists/{draft.key}/columns/", {"version": 0, "column-0": "number"})
    assert answer.status_code == 409
    assert ListDraft.objects.get().choices["columns"] == {"0": "ignore"}


def test_a_draft_is_its_own_persons_and_bringing_is_for_organisers(scene):
    olga, club, cup = scene
    other = make_member(club, name="Otto", roles=[Role.ORGANISER])
    driver, stranger = make_member(club, name="Dora"), make_user("Sam")
    draft = brought(scene, TABLE)
    for page in ("columns/", "columns/to-correct.csv"):
        assert signed_in(other).get(f"/lists/{draft.key}/{page}").status_code == 404
    assert signed_in(other).post(f"/lists/{draft.key}/discard/").status_code == 404
    for path in (
        f"championships/{cup.key}/results",
        f"championships/{cup.key}/registrations",
        f"clubs/{club.slug}/members",
    ):
        assert signed_in(olga).get(f"/lists/{path}/").status_code == 200
        assert signed_in(driver).get(f"/lists/{path}/").status_code == 403
        assert signed_in(stranger).get(f"/lists/{path}/").status_code in (403, 404)
    with pytest.raises(Refused, match="empty"):
        brought(scene, " \n\n ")


def test_bringing_again_replaces_the_draft_and_discarding_deletes_it(scene):
    olga, _club, cup = scene
    first = brought(scene, TABLE)
    second = brought(scene, "Name;Platz\nAna;1\n")
    assert (first.pk, second.version) == (second.pk, 1)
    client = signed_in(olga)
    assert "Go on with it" in shown(client.get(f"/lists/championships/{cup.key}/results/"))
    assert client.post(f"/lists/{second.key}/discard/").status_code == 302
    assert not ListDraft.objects.exists()


def test_a_page_of_many_lines_costs_as_few_queries_as_one_of_few(scene, django_assert_num_queries):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client = signed_in(scene[0])
    counts = []
    for lines in (3, 3000):
        draft = brought(scene, "name,place\n" + "".join(f"P{n},{n}\n" for n in range(1, lines + 1)))
        client.get(f"/lists/{draft.key}/columns/")
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert client.get(f"/lists/{draft.key}/columns/").status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1]


ODD_POSTS = [
    {"column-0": "nonsense", "column-x": "name", "column-99999": "name", "column-119": "name"},
    {"sheet": "7"},
    {"sheet": "-1", "answer-zero": "nonsense", "answer-nothing": "x"},
    {"column-0": "name", "column-1": "name", "column-2": "name"},
    {"answer-round-name": "x" * 5000, "answer-round-day": "\x00\u202e31.31.3131"},
    {"faults": "yes", "do": "take"},
    {f"column-{number}": "points" for number in range(300)},
]


@pytest.mark.parametrize("odd", ODD_POSTS, ids=range(len(ODD_POSTS)))
def test_odd_posts_are_answered_with_a_page(scene, odd):
    client = signed_in(scene[0])
    draft = brought(scene, TABLE)
    where = f"/lists/{draft.key}/columns/"
    assert client.post(where, {"version": "0", **odd}).status_code in (302, 422)
    assert client.get(where).status_code == 200
    draft.refresh_from_db()
    answer = client.post(where, {"version": str(draft.version), "do": "next"})
    assert answer.status_code in (302, 422)


def test_odd_versions_are_out_of_date(scene):
    client = signed_in(scene[0])
    where = f"/lists/{brought(scene, TABLE).key}/columns/"
    for version in ("", "x", "9" * 40, "-1", "1"):
        assert client.post(where, {"version": version}).status_code == 409


def test_another_sheet_has_other_columns(scene):
    olga, club, cup = scene
    content = (FILES / "workbook-two-sheets.xlsx").read_bytes()
    draft = uploads.bring(by=olga, club=club, purpose="results", target=cup.key, content=content, file_name="a.xlsx")
    client = signed_in(olga)
    where = f"/lists/{draft.key}/columns/"
    assert shown(client.get(where)).count('name="column-') == 4
    client.post(where, {"version": "0", "sheet": "1", "column-1": "name"})
    page = shown(client.get(where))
    assert page.count('name="column-') == 2
    assert "No column holds results" in page
    draft.refresh_from_db()
    assert draft.choices == {"sheet": 1, "columns": {}, "answers": {}}


def test_an_answer_changes_what_is_understood(scene):
    client = signed_in(scene[0])
    draft = brought(scene, "rally,date,name,place\nSand,3/4/2026,Ana,1\nMill,5/6/2026,Ana,1\n")
    where = f"/lists/{draft.key}/columns/"
    assert "3 April 2026" in shown(client.get(where))
    client.post(where, {"version": "0", "answer-dates": "month"})
    page = shown(client.get(where))
    assert "4 March 2026" in page
    assert '<option value="month" selected>' in page
