# ruff: noqa: E501 - lines of lists are as long as people write them
"""Lists as clubs keep them, from the file to the table: in the shapes of spreadsheets, forums and other programs."""

import io
import zipfile

import pytest

from championship.lists.models import ListImport
from championship.rallies.models import Entry, Rally
from championship.rallies.results.selectors import results_of
from championship.seasons.models import Registration
from tests.championship.lists.lists import make_world
from tests.championship.lists.steps import Steps
from tests.factories import signed_in

pytestmark = pytest.mark.django_db
ZOE, JOSE, ANNA, LUKASZ, ISIL = "Zoë Virtanen", "José García", "Anna Müller", "Łukasz Żak", "Işıl İnce"


@pytest.fixture
def world():
    return make_world()


def registered():
    rows = Registration.objects.order_by("pk").select_related("team", "driver")
    return {
        row.driver.name: (row.start_number, row.crew, row.car_class, row.team.name if row.team else "") for row in rows
    }


def told(rally):
    return [
        (line.place, line.entry.driver.name, line.total_in_words, line.unplaced or line.retired_in_words)
        for line in results_of(rally).overall
    ]


GERMAN = (
    "Nr.;Vorname;Name;Beifahrer;Fahrzeugklasse;Team\r\n"
    "1;Zoë;Virtanen;Jürgen Groß;RC2;Wiking Rot\r\n9,0;José;García;;RC2;\r\n;Anna;Müller;Élise Noël;Rally4;Wiking Grün\r\n"
)
ENTRIES = [
    (
        GERMAN.encode("cp1252"),
        {
            ZOE: (1, "Zoë Virtanen / Jürgen Groß", "RC2", "Wiking Rot"),
            JOSE: (9, JOSE, "RC2", ""),
            ANNA: (None, "Anna Müller / Élise Noël", "Rally4", "Wiking Grün"),
        },
    ),
    (
        "No\tDriver\tCodriver\tClass\r\n5\tŁukasz Żak\tÁgnes Őri\tRC2\r\n6\tIşıl İnce\t\tRally4\r\n".encode("utf-16"),
        {LUKASZ: (5, "Łukasz Żak / Ágnes Őri", "RC2", ""), ISIL: (6, ISIL, "Rally4", "")},
    ),
    (
        "\ufeffsep=;\r\nDriver;Mail;Class\r\n\"Virtanen, Zoë\";;rc1\r\n\"Garcia, Jose\";<jg@club.example>;rc2\r\n".encode(),
        {ZOE: (1, "Zoë Virtanen / Jürgen Groß", "RC1", "Wiking Rot"), JOSE: (None, JOSE, "RC2", "")},
    ),
    (
        b"Name;Klasse\nZoe Virtanen;RC1\n",
        {ZOE: (1, "Zoë Virtanen / Jürgen Groß", "RC1", "Wiking Rot")},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("content", "expected"), ENTRIES, ids=["old Windows", "Unicode text", "sep", "two columns"])
def test_registrations(world, content, expected):
    steps = Steps(signed_in(world.olga))
    made = steps.all_of(f"/lists/championships/{world.season.key}/registrations/", content)
    found = registered()
    assert {name: found[name] for name in expected} == expected
    before = {name: facts for name, facts in found.items() if name not in expected}
    assert before.keys() <= {ZOE}
    steps.client.post(f"/lists/{made.key}/undo/")
    assert registered() == {ZOE: (1, "Zoë Virtanen / Jürgen Groß", "RC2", "Wiking Rot")}


RESULTS = {
    "points by driver and round": (
        "Driver,Foxwood,Lakes,Quarry,Sum\nZoë Virtanen,25,,18,43\nJosé García,18,25,DNF,43\nAnna Müller,15,18,25,59\n"
        "Łukasz Żak,DNS,DSQ,15,15\n".encode(),
        {ANNA: 58, JOSE: 43, ZOE: 43, LUKASZ: 15},
        "Anna Müller: the list says 59 in all, the rounds give 58.",
    ),
    "places by driver and round": (
        "Pos;Fahrer;1. Lauf (1.3.25);2. Lauf;Gesamt\n=1;José García;2;1;43\n=1;Zoë Virtanen;1;-;25\n3;Anna Müller;3;2;30\n".encode(
            "cp1252"
        ),
        {JOSE: 43, ANNA: 33, ZOE: 25},
        "Anna Müller: the list says 30 in all, the rounds give 33.",
    ),
    "odd spellings of times": (
        b"rally;date;name;time\nSand;2025;Zo\xc3\xab Virtanen;11'34\"5\nSand;;Jos\xc3\xa9 Garc\xc3\xada;00:11:39.500\n"
        b"Sand;;Anna M\xc3\xbcller;11.41,2\n",
        {ZOE: 25, JOSE: 18, ANNA: 15},
        "11:41.2",
    ),
    "titles and blanks": (
        b'Club of the North,,,,\nSeason 2025,,,,\n,,,,\nPos,Name,,Points,Remark\n1,Zo\xc3\xab Virtanen,,60,"won\nit"\n'
        b"2,Jos\xc3\xa9 Garc\xc3\xada,,55.5,\n,,,,\n3,Anna M\xc3\xbcller,,41,\n",
        {ZOE: 60, JOSE: 55.5, ANNA: 41},
        "55.5",
    ),
    "pasted from a forum": (
        "| Pos | Driver       | Time    |\n|-----|--------------|---------|\n| 1   | Zoe Virtanen | 35:02.1 |\n"
        "| 2   | GARCÍA José  | +0:04.9 |\n| 3   | A. Müller    | +1:10   |\n| ret | Lukasz Zak   | gearbox |\n".encode(),
        {ZOE: 25, JOSE: 18, ANNA: 15, LUKASZ: 0},
        "36:12.1",
    ),
    "pasted with blanks": (
        "1. Zoë Virtanen        25 pts\n2. José García         18 pts (PS 5)\n3. Anna Müller         15 pts\n"
        "DNF Łukasz Żak\n".encode(),
        {ZOE: 25, JOSE: 18, ANNA: 15, LUKASZ: 0},
        "retired",
    ),
    "decomposed accents": (
        b"rally,date,name,place\nSand,2025-03-01,Zoe\xcc\x88 Virtanen,1\nSand,,Jose\xcc\x81 Garci\xcc\x81a,2\n",
        {ZOE: 25, JOSE: 18},
        "José García",
    ),
    "points as published": (
        "rally,date,name,points\nFoxwood,14 Feb 2025,Zoë Virtanen,29\nFoxwood,,José García,23\nFoxwood,,Anna Müller,17\n"
        "Quarry,45703,Anna Müller,30\nQuarry,,Zoë Virtanen,18\n".encode(),
        {ANNA: 47, ZOE: 47, JOSE: 23},
        "15 February 2025",
    ),
    "central Europe": (
        "Kierowca;Punkty\r\nŁukasz Żak;25\r\nZdeněk Dvořák;18\r\n".encode("cp1250"),
        {LUKASZ: 25, "Zdeněk Dvořák": 18},
        "Kept as names: Zdeněk Dvořák",
    ),
}


@pytest.mark.parametrize("shape", RESULTS)
def test_results(world, shape):
    content, expected, says = RESULTS[shape]
    steps = Steps(signed_in(world.olga))
    made = steps.bring(f"/lists/championships/{world.season.key}/results/", content, "Sand.csv")
    steps.say(made)
    assert says in steps.look(made).text
    assert not Rally.objects.exists()
    steps.take(made)
    assert {who: float(total) for _place, who, total in world.standing()} == expected
    for rally in Rally.objects.all():
        for page in ("", "podium/", "sheet/", "results.csv"):
            assert steps.client.get(f"/rallies/{rally.key}/{page}").status_code == 200, page
    assert steps.client.get(world.season.get_absolute_url()).status_code == 200
    steps.client.post(f"/lists/{made.key}/undo/")
    assert not Rally.objects.exists()


def test_stage_times_with_a_total_and_a_reason(world):
    text = (
        "#,#,Crew,Car,SS1,SS2,SS3,Total\n1,1,Virtanen / Groß,Fox RC2,3:25.4,11:34.5,2:59.9,17:59.8\n"
        "2,7,García,Fox RC2,3:26.0,11:40.1,3:01.2,18:07.4\n3,4,Ince,Ant R4,3:40,DNF engine,,\n"
    )
    steps = Steps(signed_in(world.olga))
    made = steps.bring(f"/lists/championships/{world.season.key}/results/", text)
    steps.say(made)
    assert "the total is 18:07.4, the stages give 18:07.3" in steps.look(made).text.replace("&#x27;", "'")
    steps.take(made)
    assert told(Rally.objects.get()) == [
        (1, ZOE, "17:59.8", ""),
        (2, JOSE, "18:07.3", ""),
        (None, ISIL, "–", "retired on stage 2"),
    ]


def test_status_words(world):
    text = (
        "rally,date,name,place,status\nSand,2025-03-01,Zoë Virtanen,1,\nSand,,José García,,NC\nSand,,Anna Müller,,EX\n"
    )
    text += "Sand,,Łukasz Żak,,WD\nSand,,Ada Morris,,DNQ\nSand,,Ben Novak,2,OK\n"
    steps = Steps(signed_in(world.olga))
    steps.all_of(f"/lists/championships/{world.season.key}/results/", text)
    lines = {line.entry.driver.name: line for line in results_of(Rally.objects.get()).overall}
    words = {name: "excluded" if line.excluded else line.unplaced for name, line in lines.items()}
    assert words == {
        ZOE: "",
        "Ben Novak": "",
        JOSE: "not classified",
        ANNA: "excluded",
        LUKASZ: "withdrawn",
        "Ada Morris": "did not qualify",
    }


FOUR_YEARS = [
    "rally;date;name;place\nSand;2021-03-01;Zoë Virtanen;1\nSand;;Jose Garcia;2\nSnow;2021-05-01;Anna Müller;1\n",
    "Driver;Sand;Snow;Mud\nVirtanen, Zoë;25;18;25\nGarcía José;18;25;DNS\nA. Müller;15;15;18\nOlaf Berg;12;;15\n",
    "Pos,Driver,Time\n1,Lukasz Zak,35:02.1\n2,Olaf Berg,+4.9\n3,Isil Ince,+1:10\n",
    "rally;date;name;points\nSand;2023;Zoe Virtanenn;29\nSand;;Jose Garcia;23,5\nSand;;Olaf Berg;17\n",
    "| Pos | Driver | Pts |\n|---|---|---|\n| 1 | Olaf Berg | 25 |\n| 2 | Zoe Virtanenn | 18 |\n| DNF | Anna Mueller | 0 |\n",
]


def test_four_years_of_history_from_five_lists_take_less_than_forty_presses(world):
    steps = Steps(signed_in(world.olga))
    for number, content in enumerate(FOUR_YEARS):
        steps.all_of(f"/lists/championships/{world.season.key}/results/", content.encode(), f"Round {number}.csv")
    assert steps.presses < 40, steps.presses
    assert ListImport.objects.filter(state="done").count() == len(FOUR_YEARS)
    names = set(Entry.objects.values_list("driver__name", flat=True))
    assert names == {ZOE, JOSE, ANNA, LUKASZ, ISIL, "Olaf Berg"}
    assert Entry.objects.filter(driver__name="Olaf Berg").values("driver").distinct().count() == 1


def bomb() -> bytes:
    """A workbook whose sheet unpacks to far more than its file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as found:
        found.writestr("[Content_Types].xml", "<Types/>")
        found.writestr("xl/worksheets/sheet1.xml", b"<row>" * 20_000_000)
    return packed.getvalue()


HOSTILE = {
    "nothing": b" \n",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8,
    "a bomb": bomb(),
    "one cell": b"x" * 100_000,
    "a formula": b'rally;date;name;place\n"=cmd|x";2025-01-01;"=HYPERLINK(1)";1\n',
    "invisible names": "rally;name;place\nSand;\u200b\u202e;1\nSand;Zoë Virtanen;2\n".encode(),
    "markup": b"rally;name;place\n<script>x</script>;<img src=x onerror=y>;1\n",
    "huge numbers": b"rally;name;place;number\nSand;Ana;99999999999999999999;123456789\n",
    "many marks": ("rally;name;place\nSand;Z" + "\u0301" * 60 + "oe;1\n").encode(),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_lists_are_refused_or_shown_and_never_break_a_page(world, kind):
    client = signed_in(world.olga)
    answer = client.post(
        f"/lists/championships/{world.season.key}/results/",
        {"file": io.BytesIO(HOSTILE[kind])},
    )
    for _step in range(4):
        assert answer.status_code in (200, 302, 409, 422), answer.status_code
        if answer.status_code != 302:
            break
        page = answer["Location"]
        shown = client.get(page, follow=True)
        assert shown.status_code == 200
        assert "<script>x" not in shown.text and "<img src=x" not in shown.text
        page = shown.redirect_chain[-1][0] if shown.redirect_chain else page
        if page.endswith("/done/") or "/championships/" in page:
            break
        draft = shown.context["draft"]
        asked = shown.context.get("asked") or []
        said = {f"who-{each.key}": each.answer or each.choices[-1][0] for each in asked}
        do = "take" if page.endswith("/look/") else "next"
        answer = client.post(page, {"version": draft.version, "do": do, "faults": "leave out", **said})
