"""A club imports its own track: as a file or pasted, with the line of each error. It is drawn, stored, and raced on."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from championship.stages import builders, stage_pages
from championship.stages.models import StageDesign
from championship.stages.services import load_library
from engine import registry
from engine.contract import StageError
from engine.formula_d.track import file_of
from tests.championship.stages.organisers import BuilderPage

pytestmark = pytest.mark.django_db

TRACK = "# title: Round the pond\n# weather: rain 1-2, unsettled 3-6, good 7-20\n" + file_of("monza")
LINES = TRACK.splitlines()


def builder_page() -> BuilderPage:
    return BuilderPage(game="formula_d")


def spoilt(*changes: tuple[str, str]) -> str:
    """Return the track file with words replaced. Each of them must be in it."""
    text = TRACK
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def line_of(space: str) -> int:
    """Return the number of the line for a space."""
    return next(number for number, line in enumerate(LINES, 1) if line.startswith(f"{space},"))


def csv_of(builder: BuilderPage) -> str:
    draft = builder.draft()
    assert draft is not None
    return str(draft.spec.get("csv", ""))


def test_a_track_is_pasted_drawn_saved_and_raced_on() -> None:
    builder = builder_page()
    assert "Send a file" in builder.page.get(builder.address()).content.decode()
    assert builder.post("import/", text=TRACK)["Location"] == builder.address()
    page = builder.page.get(builder.address()).content.decode()
    assert "6 corners, 375 spaces" in page
    assert "its file has no fault" in page
    assert 'class="circuit-land"' in page and "ROUND THE POND" in page
    saved = builder.post("save/", name="Round the pond")
    made = StageDesign.objects.get(club=builder.club)
    assert saved["Location"] == made.get_absolute_url()
    assert builder.page.get(made.get_absolute_url()).status_code == 200
    state = registry.get("formula_d").setup(made.spec, [{"id": "a"}, {"id": "b"}], {})
    assert state["track"] == made.spec["csv"]
    assert builder.draft() is not None and csv_of(builder) == ""


def test_a_file_is_sent_as_it_is() -> None:
    builder = builder_page()
    sent = SimpleUploadedFile("pond.csv", TRACK.encode(), content_type="text/csv")
    assert builder.post("import/", file=sent).status_code == 302
    assert csv_of(builder) == stage_pages.get("formula_d").write_text({"csv": TRACK})
    exported = builder.page.get(builder.address("stage.toml"))
    assert builder.post("import/", text=exported.content.decode()).status_code == 302
    assert csv_of(builder) == TRACK


@pytest.mark.parametrize("page", ["import/", "list/"])
def test_every_error_is_shown_with_its_line_and_the_text_is_kept(page: str) -> None:
    builder = builder_page()
    bad = spoilt(
        ("S1.1.1,straight", "S1.1.1,gravel"),
        ("S1.2.0,straight", "S1.2.0,corner"),
        ("C1.1.0,corner,1,", "C1.1.0,corner,9,"),
    )
    answer = builder.post(page, text=bad)
    text = answer.content.decode().replace("&#x27;", "'")
    assert answer.status_code == 422
    for space in ("S1.1.1", "S1.2.0", "C1.1.0"):
        assert f"Line {line_of(space)}, {space}: " in text, space
    assert "S1.1.1,gravel" in text
    assert builder.draft() is None or csv_of(builder) == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("S1.1.3,straight,,,1,,,,6,S1.1.4 S1.2.3,", "S1.1.3,straight,,,1,,,,6,,", "dead end"),
        ("S1.1.2,straight,,,1,,,,4,S1.1.3 S1.2.2,", "S1.1.2,straight,,,1,,,,4,S1.1.3 S9.9.9,", "no space S9.9.9"),
        ("S1.1.2,straight,,,1", "S1.1.2,straight,,,2", "lane is 1"),
        ("S1.1.1,S1.2.0 S7.2.14", "S1.1.1,S7.2.14", "does not name this space"),
        ("space,kind", "space,sort", "columns are missing: kind"),
        ("rain 1-2", "rain 1-3", "weather table"),
        ("33.64,27.18", "1e999999,27.18", "goes up to"),
        ("33.64,27.18", "nan,27.18", "is a number"),
    ],
)
def test_what_is_no_track_is_refused_with_its_reason(old: str, new: str, said: str) -> None:
    builder = builder_page()
    answer = builder.post("import/", text=spoilt((old, new)))
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert builder.draft() is None or csv_of(builder) == ""


NESTED = f"[\\n{{b{'.b' * 240} = " * 20 + "1" + "}]" * 20


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        *("", "hello", "csv = 7", "csv = '''", "track = 'nowhere'", "a,b\n1,2", "\x00"),
        "csv = 'x'\nb" + ".b" * 90_000 + " = 1",
        f"csv = 'x'\nn = {'9' * 5000}",
        "csv = 'x'\nn = " + "[" * 5000,
        f"csv = '''\n{TRACK}'''\ntitle = 0x{'f' * 5000}",
        f"csv = '''\n{TRACK}'''\ntitle = {NESTED}",
        "csv = '" + "a" * 140_000 + "'",
        "space,kind\n" + "a" * 140_000,
    ],
    ids=range(14),
)
def test_hostile_texts_change_nothing(text: str) -> None:
    builder = builder_page()
    builder.post("import/", text=TRACK)
    before = csv_of(builder)
    assert builder.post("import/", text=text).status_code == 422
    assert csv_of(builder) == before


def test_a_text_that_is_too_long_is_refused_at_its_field() -> None:
    builder = builder_page()
    longer: list[dict[str, Any]] = [
        {"text": "x" * 200_001},
        {"file": SimpleUploadedFile("a.csv", b"x" * 200_001)},
    ]
    for sent in longer:
        answer = builder.post("import/", **sent)
        assert answer.status_code == 422
        assert "200" in answer.content.decode()


def test_a_check_of_the_lines_changes_nothing() -> None:
    builder = builder_page()
    answer = builder.post("list/", text=TRACK, check="1")
    assert answer.status_code == 200
    assert "its file has no fault" in answer.content.decode()
    assert builder.draft() is None or csv_of(builder) == ""


def test_title_and_weather_are_set_in_the_file() -> None:
    builder = builder_page()
    builder.post("import/", text=TRACK)
    assert builder.post(do="head", title="Round the mill", rain="4", unsettled="9").status_code == 302
    head = csv_of(builder).splitlines()[:2]
    assert head == ["# title: Round the mill", "# weather: rain 1-4, unsettled 5-9, good 10-20"]
    page = builder.page.get(builder.address()).content.decode()
    assert 'value="Round the mill"' in page and "ROUND THE MILL" in page
    assert builder.post(do="back").status_code == 302
    assert csv_of(builder) == TRACK


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        {"title": "", "rain": "4", "unsettled": "9"},
        {"title": "a\nb", "rain": "4", "unsettled": "9"},
        {"title": "x" * 61, "rain": "4", "unsettled": "9"},
        {"title": "Pond", "rain": "9", "unsettled": "9"},
        {"title": "Pond", "rain": "0", "unsettled": "9"},
        {"title": "Pond", "rain": "4", "unsettled": "20"},
        {"title": "Pond", "rain": "many", "unsettled": "9"},
    ],
)
def test_a_head_that_makes_no_sense_is_refused(given: dict[str, Any]) -> None:
    builder = builder_page()
    builder.post("import/", text=TRACK)
    assert builder.post(do="head", **given).status_code == 422
    assert csv_of(builder) == TRACK


def test_the_editor_is_cleared_and_restored() -> None:
    builder = builder_page()
    builder.post("import/", text=TRACK)
    assert builder.post(do="clear").status_code == 302
    assert csv_of(builder) == ""
    assert builder.post(do="head", title="Pond", rain="4", unsettled="9").status_code == 422
    assert builder.post(do="juggle").status_code == 422
    assert builder.post(do="back").status_code == 302
    assert csv_of(builder) == TRACK


def test_a_copy_of_a_ready_made_track_is_changed_line_by_line() -> None:
    load_library()
    builder = builder_page()
    monza = StageDesign.objects.get(club=None, game="formula_d", source="monza")
    put = builder.page.post(f"/stages/{monza.key}/copy/", {"club": builder.club.slug})
    assert put["Location"] == builder.address()
    text = builder.page.get(builder.address("list/")).content.decode()
    assert "# title: Monza" in text and LINES[5] in text
    builder.version = 1
    assert builder.post("list/", text=TRACK).status_code == 302
    assert csv_of(builder) == TRACK


def test_tracks_are_not_built_at_random() -> None:
    builder = builder_page()
    assert builder.page.get(builder.address("random/")).status_code == 404
    assert "random/" not in builder.page.get(builder.address()).content.decode()
    with pytest.raises(StageError):
        builders.get("formula_d").act({}, {"do": "head"})


def test_the_library_shows_every_circuit() -> None:
    load_library()
    builder = builder_page()
    library = builder.page.get(f"/clubs/{builder.club.slug}/stages/").content.decode()
    assert library.count('class="circuit small"') == 8
    monza = StageDesign.objects.get(club=None, game="formula_d", source="monza")
    page = Client().get(monza.get_absolute_url()).content.decode()
    assert "part by part" in page and "/land/formula_d/" in page
    assert len(page.encode()) < 60_000


def test_an_empty_file_is_no_track() -> None:
    page = builder_page().post("list/", text=" ", check="1").content.decode()
    assert "There is no track yet" in page
    assert "no fault" not in page


def test_an_empty_draft_is_exported():
    page = builder_page()
    answer = page.page.get(page.address("stage.toml"))
    assert (answer.status_code, answer.text) == (200, "csv = '''\n'''\n")
