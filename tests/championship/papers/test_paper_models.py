"""The papers of a rally: PDF read again as text, CSV read again as a table."""

import csv
import hashlib
import io
import zipfile

import pytest
from django.test import Client
from django.utils.translation import override
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from pypdf import PdfReader
from python_calamine import CalamineWorkbook

from championship.papers import fonts
from championship.papers.fonts import legible, runs
from championship.papers.kinds import FORM
from championship.platform.csv_text import without_guard
from championship.rallies import services
from championship.rallies.models import Entry, Exclusion, Rally, TimeByHand
from championship.rallies.results.sheet import letters_of
from championship.seasons import services as seasons
from tests.championship.rallies.factories import damaged, drive, hand_in, organiser_of, stage_of, started
from tests.factories import make_member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]

HOSTILE = [
    "=1+cmd|' /C calc'!A0",
    "<script>alert(1)</script>",
    "שלום עולם / محمد",
    "\u202eevil\u202c 😀🏁",
    "W" * 80,
    "{nb} {{ crew }} %(n)d",
    "Zażółć gęślą jaźń / Ŵŷ",
    "@import -1 \u0301\u0301\u0301",
]


def fetch(rally, file: str, language: str = "en", **headers: str):
    return Client(headers={"Accept-Language": language}).get(f"/rallies/{rally.key}/{file}", headers=headers)


def text_of(answer) -> str:
    """All pages of a PDF as text."""
    assert answer.status_code == 200
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(answer.content)).pages)


def pages_of(answer) -> list:
    return list(PdfReader(io.BytesIO(answer.content)).pages)


def table_of(answer, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=delimiter))


@pytest.mark.parametrize("language", ["en", "pl", "de"])
def test_f6_the_sheet_is_printed_in_every_language_with_its_letters(language):
    rally, (ana, bo) = started("Ana", "Bo Preußler", stages=("1/3", "1/1"), options={"checkpoints": True})
    Entry.objects.filter(pk=ana.pk).update(crew="Zażółć Gęślą / Łódź Jaśń")
    drive(rally, 1, {ana: 232, bo: 240}, cars={ana: damaged(gear=1, coast=2, spare=False)})
    hand_in(rally, 1, ana, bo)
    answer = fetch(rally, "sheet.pdf", language)
    (page,) = pages_of(answer)
    assert page.mediabox.width > page.mediabox.height, "across"
    paper_text = text_of(answer)
    for said in ("Rajd Wisły", "Zażółć Gęślą", "Jaśń", "Bo Preußler", "3:52", "4:00"):
        assert said in paper_text, said
    word = {"en": "Spare wheel", "pl": "Koło zapasowe", "de": "Ersatzreifen"}[language]
    assert paper_text.count(word) == 2, "once a stage"
    assert {"en": "1G / 2C / 0B", "pl": "1B / 2U / 0H", "de": "1G / 2L / 0B"}[language] in paper_text, (
        "as printed there"
    )
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Content-Language"] == language


@pytest.mark.parametrize("language", ["en", "pl", "de"])
def test_the_letters_on_the_sheet_are_different(language):
    """G, C and B are the first letters of words: a translation must not make two of them the same."""
    with override(language):
        letters = letters_of(Rally(game="dirt"))
    assert len({letter for letter, _word in letters}) == len(letters) == 3


@pytest.mark.slow
def test_sixty_drivers_take_ten_sheets_and_every_page_of_a_long_list_has_its_head():
    rally, entries = started(*[f"Crew number {n}" for n in range(60)], stages=("1/3", "1/1"))
    drive(rally, 1, {entry: 200 + n for n, entry in enumerate(entries)})
    sheets = pages_of(fetch(rally, "sheet.pdf"))
    assert len(sheets) == 10
    assert "sheet 10 of 10" in sheets[9].extract_text()
    results = [page.extract_text() for page in pages_of(fetch(rally, "results.pdf"))]
    assert len(results) > 2
    for page in results:
        assert "Rajd Wisły" in page
        assert "Leader" in page
    assert "\n".join(results).count("Crew number 59") == 2, "overall, and on stage 1"
    assert len(pages_of(fetch(rally, "start-list.pdf"))) == 2


def test_a_sheet_of_many_stages_repeats_its_headings():
    library = [f"{rally}/{stage}" for rally in range(1, 7) for stage in range(1, 4)]
    rally, _entries = started("Ana", "Bo", stages=library)
    pages = [page.extract_text() for page in pages_of(fetch(rally, "sheet.pdf"))]
    assert len(pages) == 3
    assert all("#1 Ana" in page for page in pages)


@pytest.mark.slow
def test_the_same_results_make_the_same_bytes_and_are_sent_once():
    rally, (ana, bo) = started("Ana", "Bo", options={"checkpoints": False})
    drive(rally, 1, {ana: 232, bo: 240})
    for file in ("sheet.pdf", "results.pdf", "start-list.pdf", "results.csv"):
        first, second = fetch(rally, file), fetch(rally, file)
        assert first.content == second.content, file
        again = fetch(rally, file, **{"If-None-Match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b""), file
        assert fetch(rally, file, "pl", **{"If-None-Match": first["ETag"]}).status_code == 200, "another language"
    tag = fetch(rally, "results.csv")["ETag"]
    services.give_penalty(by=organiser_of(rally), entry=ana, amount=5, reason="Late")
    assert fetch(rally, "results.csv", **{"If-None-Match": tag}).status_code == 200


FORM_AND_LOOK = (5, "f26e1244361fc3bb")
"""The FORM of papers, and the digest of the papers in `test_papers_that_look_different_have_another_form`."""


def test_papers_that_look_different_have_another_form(at):
    """Kept papers and those in browsers are used until FORM increases, even if a new release would print them
    differently. If this test fails, increase FORM in paper_kinds.py, and store it here with the new digest.
    """
    rally, (first, second) = started("Ada Form", "Ben Form", stages=("1/3", "1/1"), options={"checkpoints": True})
    drive(rally, 1, {first: 232, second: 240}, cars={first: damaged(gear=1, coast=2, spare=False)})
    hand_in(rally, 1, first, second)
    organiser = organiser_of(rally)
    cup = seasons.create_championship(by=organiser, club=rally.club, name="Cup")
    seasons.add_round(by=organiser, championship=cup, rally=rally)
    said = [text_of(fetch(rally, file)) for file in ("sheet.pdf", "results.pdf", "start-list.pdf")]
    said.append(fetch(rally, "results.csv").text)
    look = hashlib.sha256("\n".join(said).replace(rally.key, "KEY").encode()).hexdigest()[:16]
    assert (FORM, look) == FORM_AND_LOOK


def test_papers_are_in_the_readers_language_and_named_after_the_rally():
    rally, (ana,) = started("Ana")
    ana.driver.language = "de"
    ana.driver.save()
    answer = signed_in(ana.driver).get(f"/rallies/{rally.key}/sheet.pdf")
    assert "Rallyeblatt" in text_of(answer)
    assert answer["Content-Disposition"] == "attachment; filename*=utf-8''rajd-wis%C5%82y-rallyeblatt.pdf"


def test_unknown_papers_get_404():
    rally, _entries = started("Ana")
    for address in ("/rallies/nothing/sheet.pdf", f"/rallies/{rally.key}/stages/9/start-list.pdf"):
        assert Client().get(address).status_code == 404
        assert Client(headers={"If-None-Match": '"x"'}).get(address).status_code == 404
    assert Client().post(f"/rallies/{rally.key}/sheet.pdf").status_code == 405


def hostile_rally():
    rally, entries = started(*[f"Crew {n}" for n in range(len(HOSTILE))], options={"checkpoints": False})
    for entry, name in zip(entries, HOSTILE, strict=True):
        Entry.objects.filter(pk=entry.pk).update(crew=name, car_class="=2*3")
    drive(rally, 1, {entry: 200 + n for n, entry in enumerate(entries)})
    return rally, entries


@pytest.mark.slow
@pytest.mark.parametrize("file", ["sheet.pdf", "results.pdf", "start-list.pdf"])
def test_hostile_crew_names_can_be_printed(file):
    rally, _entries = hostile_rally()
    paper_text = text_of(fetch(rally, file)).replace("\n", " ")
    for said in ("<script>", "{nb} {{ crew }}", "Zażółć gęślą", "WWWWWWWWWW", "evil"):
        assert said in paper_text, said
    assert "שלום"[::-1] in paper_text or "שלום" in paper_text


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("Zażółć", "Zażółć"),
        ("abc \u202egnp\u202c\u200d", "abc gnp"),
        ("a\x00b\tc", "abc"),
        ("שלום", "םולש"),
        ("Ana שלום (R2)", "Ana םולש (R2)"),
        ("🏁 漢", "□ □"),
        ("e\u0301", "é"),
        ("", ""),
    ],
)
def test_names_are_drawn_in_the_order_they_are_seen(text, drawn):
    assert legible(text) == drawn
    assert "".join(piece for _other, piece in runs(legible(text))) == drawn


@pytest.fixture
def own_font(tmp_path, settings):
    """A font of the operator with one character that the others lack."""
    built = FontBuilder(1000)
    built.setupGlyphOrder([".notdef", "kanji"])
    built.setupCharacterMap({ord("漢"): "kanji"})
    pen = TTGlyphPen(None)
    for at, corner in enumerate([(100, 0), (100, 700), (600, 700), (600, 0)]):
        pen.lineTo(corner) if at else pen.moveTo(corner)
    pen.closePath()
    built.setupGlyf({".notdef": TTGlyphPen(None).glyph(), "kanji": pen.glyph()})
    built.setupHorizontalMetrics({".notdef": (500, 0), "kanji": (700, 100)})
    built.setupHorizontalHeader(ascent=800, descent=-200)
    built.setupNameTable({"familyName": "Own", "styleName": "Regular"})
    built.setupOS2(sTypoAscender=800, usWinAscent=800, usWinDescent=200)
    built.setupPost()
    built.save(tmp_path / "own.ttf")
    _forget_fonts()
    settings.PAPER_FONTS = str(tmp_path)
    yield
    _forget_fonts()


def _forget_fonts() -> None:
    fonts.others.cache_clear()
    fonts.font_of.cache_clear()


def test_a_font_of_the_operator_draws_what_the_others_lack(own_font):
    assert (legible("Ana 漢字"), fonts.not_drawn(["Ana 漢字", "Žofie 字"])) == ("Ana 漢□", ["Ana 漢字", "Žofie 字"])
    rally, (ana,) = started("Ana")
    Entry.objects.filter(pk=ana.pk).update(crew="漢字")
    assert "漢□" in text_of(fetch(rally, "start-list.pdf"))
    assert fetch(rally, "podium.png").status_code == 200


def test_the_table_for_spreadsheets_has_times_penalties_and_places():
    rally, (ana, bo, cem, dag) = started("Ana", "Bo", "Cem", "Dag", options={"checkpoints": False})
    olga = organiser_of(rally)
    drive(rally, 1, {ana: 200, bo: 210, cem: None, dag: 230}, why="gave_up")
    services.give_penalty(by=olga, entry=ana, amount=40, reason="Jump start", special_stage=stage_of(rally, 1))
    services.give_penalty(by=olga, entry=bo, amount=-5, reason='Helped, "twice"; and more')
    TimeByHand.objects.create(special_stage=stage_of(rally, 1), entry=bo, measure=205, reason="Held up", given_by=olga)
    Exclusion.objects.create(entry=dag, reason="=Underweight", given_by=olga)
    rows = {row["Crew"]: row for row in table_of(fetch(rally, "results.csv"))}
    assert list(rows) == ["Bo", "Ana", "Cem", "Dag"]
    assert [rows[name]["Place"] for name in rows] == ["1", "2", "3", ""]
    assert [rows[name]["Total, s"] for name in rows] == ["200", "240", "290", "230"]
    assert [rows[name]["Gap, s"] for name in rows] == ["0", "40", "90", ""]
    assert rows["Bo"]["Penalties for the whole rally, s"] == "-5"
    assert rows["Bo"]["Stage 1: time, s"] == "205"
    assert rows["Ana"]["Stage 1: penalties, s"] == "40"
    assert rows["Ana"]["Penalties and decisions"] == "Stage 1: Penalty +0:40: Jump start"
    assert rows["Cem"]["Stage 1: retired"] == "retired: gave up"
    assert rows["Cem"]["Status"] == "retired on stage 1: gave up"
    assert rows["Dag"]["Status"] == "excluded"
    assert rows["Bo"]["Stage 2: time, s"] == ""


def test_no_cell_of_the_table_is_taken_for_a_formula():
    rally, _entries = hostile_rally()
    answer = fetch(rally, "results.csv", "pl")
    assert answer.content.startswith(b"\xef\xbb\xbf"), "spreadsheets know UTF-8 by it"
    rows = table_of(answer, ";")
    for row in rows:
        for cell in row.values():
            assert not cell.startswith(("=", "+", "@", "\t")), cell
            assert not cell.startswith("-") or cell[1:].isdigit(), cell
    crews = [row["Załoga"] for row in rows]
    assert "'" + HOSTILE[0] in crews
    assert HOSTILE[6] in crews


def test_a_table_has_the_delimiter_of_the_language_or_the_one_that_is_asked_for():
    rally, _entries = started("Ana", "Bo", stages=("1/3",))
    heads = {
        (language, query): fetch(rally, f"results.csv{query}", language).text.splitlines()[0][1:]
        for language in ("en", "de")
        for query in ("", "?delimiter=tab", "?delimiter=comma", "?delimiter=%00")
    }
    assert heads["en", ""].startswith("Place,")
    assert heads["en", "?delimiter=tab"].startswith("Place\t")
    assert heads["de", ""].startswith("Platz;")
    assert heads["de", "?delimiter=tab"].startswith("Platz\t")
    assert heads["de", "?delimiter=comma"].startswith("Platz,")
    assert heads["de", "?delimiter=%00"] == heads["de", ""]


def test_the_workbook_has_the_cells_of_the_table_and_no_formula():
    rally, _entries = hostile_rally()
    table = list(csv.reader(io.StringIO(fetch(rally, "results.csv").content.decode("utf-8-sig"))))
    answer = fetch(rally, "results.xlsx")
    assert answer["Content-Type"].endswith("spreadsheetml.sheet")
    [sheet] = CalamineWorkbook.from_filelike(io.BytesIO(answer.content)).sheet_names
    assert sheet == rally.name[:31]
    found = CalamineWorkbook.from_filelike(io.BytesIO(answer.content)).get_sheet_by_index(0).to_python()
    assert [[_written(cell) for cell in row] for row in found] == [
        [without_guard(cell) for cell in row] for row in table
    ]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as parts:
        assert b"<f>" not in parts.read("xl/worksheets/sheet1.xml")


def _written(cell: object) -> str:
    return str(int(cell)) if isinstance(cell, float) else str(cell)


def test_the_papers_say_who_else_drove():
    rally, (ana, bo) = started("Ana", "Bo", options={"checkpoints": False})
    drive(rally, 1, {ana: 200, bo: 210})
    eva = make_member(rally.club, name="Eva")
    services.replace_driver(
        by=organiser_of(rally), entry=ana, driver=eva, instead_of=ana.driver_id, crew="Eva", reason="Ana is ill"
    )
    drive(rally, 2, {ana: 200, bo: 210})
    flagged = "from stage 2 driven by Eva"
    assert flagged in Client().get(f"/rallies/{rally.key}/stages/2/overall/").content.decode()
    assert flagged not in Client().get(f"/rallies/{rally.key}/stages/1/overall/").content.decode()
    assert flagged in text_of(fetch(rally, "results.pdf")).replace("\n", " ")
    assert flagged in table_of(fetch(rally, "results.csv"))[0]["Status"]


def test_a_change_of_crew_makes_stored_papers_out_of_date():
    rally, (ana, bo) = started("Ana", "Bo", options={"checkpoints": False})
    drive(rally, 1, {ana: 200, bo: 210})
    tag = fetch(rally, "results.csv")["ETag"]
    eva = make_member(rally.club, name="Eva")
    services.replace_driver(
        by=organiser_of(rally), entry=ana, driver=eva, instead_of=ana.driver_id, crew=ana.crew, reason="Ana is ill"
    )
    assert fetch(rally, "results.csv", **{"If-None-Match": tag}).status_code == 200, "though the name is the same"
