"""The stage builder over HTTP: stages as text, in lists and TOML; bad lines and hostile files."""

import tomllib

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from championship.stages.models import StageDesign
from engine import registry
from tests.championship.stages.organisers import BuilderPage

pytestmark = pytest.mark.django_db

SMALL = ("202a.AD.1", "204a.DA.4", "203a.AD.1")
TOML = 'service = true\ntiles = ["202a", "204a", "203a"]\n'


# As a list ------------------------------------------------------------------------------------------


def test_the_draft_is_text_both_ways() -> None:
    builder = BuilderPage()
    builder.lay(*SMALL)
    page = builder.page.get(builder.address("list/")).content.decode()
    assert "202a AD 0,0 turn 1\n204a DA -1,1 turn 4\n203a AD -2,2 turn 1" in page
    changed = "202a AD 0,0 turn 1\n\n# a bend\n208a DB"
    assert builder.post("list/", text=changed, boxes="1").status_code == 302
    assert builder.tiles() == ["202a", "208a"]
    draft = builder.draft()
    assert draft is not None
    assert draft.spec["service"] is False
    assert builder.post("list/", text="", boxes="1").status_code == 302
    assert builder.tiles() == []


BAD_LIST = "202a AD 0,0 turn 1\n\nplease a hairpin\n208x\n208a DB\n208b DB\n203a\n204a"


def test_every_fault_of_a_list_is_named_with_its_line_and_what_was_typed_is_kept() -> None:
    builder = BuilderPage()
    builder.lay(*SMALL)
    for more in ({}, {"check": "1"}):
        answer = builder.post("list/", text=BAD_LIST, boxes="1", **more)
        text = answer.content.decode().replace("&#x27;", "'")
        assert answer.status_code == 422
        for said in (
            "Line 3 is not understood",
            "Line 4: Tile 3: There is no tile face '208x'",
            "Line 6: Tile 5: Tile 208",
        ):
            assert said in text
        assert "Line 7: Tile 6: A finish tile lies only at the end" in text
        assert "please a hairpin" in text
    assert builder.tiles() == ["202a", "204a", "203a"]


def test_a_check_says_what_is_missing_and_changes_nothing() -> None:
    builder = BuilderPage()
    answer = builder.post("list/", text="202a\n210a\n216a", boxes="1", check="1")
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "no finish yet" in text
    assert "runs into tile 1" in text
    assert builder.draft() is None
    part = builder.post("list/", text="202a\n203a", boxes="1", check="1", how={"HTTP_HX_TARGET": "check"})
    assert part.content.decode().lstrip().startswith('<div id="check"')
    assert "start to the finish" in part.content.decode()


# TOML -----------------------------------------------------------------------------------------------


def test_an_exported_stage_can_be_imported() -> None:
    builder = BuilderPage()
    stage = StageDesign.objects.get(source="3/2")
    kept = builder.page.get(f"{stage.get_absolute_url()}stage.toml").content
    for given in ({"text": kept.decode()}, {"file": SimpleUploadedFile("stage.toml", b"\xef\xbb\xbf" + kept)}):
        assert builder.post("import/", **given).status_code == 302
        draft = builder.draft()
        assert draft is not None
        assert draft.spec == stage.spec
        exported = builder.page.get(builder.address("stage.toml"))
        assert exported["Content-Type"].startswith("application/toml")
        assert registry.get("dirt").read_course(tomllib.loads(exported.content.decode())) == stage.spec


def test_every_fault_of_a_file_is_named_with_its_tile_and_its_text_is_kept() -> None:
    builder = BuilderPage()
    toml = 'tiles = [{tile="202a"}, {tile="208x"}, {tile="204a", turn=9}, {tile="203a", spin=1}]\nboxes = 1\n'
    for given in ({"text": toml}, {"file": SimpleUploadedFile("stage.toml", toml.encode())}):
        answer = builder.post("import/", **given)
        text = answer.content.decode().replace("&#x27;", "'").replace("&quot;", '"')
        assert answer.status_code == 422
        for said in (
            "Tile 2: There is no tile face '208x'",
            "Tile 3: A tile is turned 0 to 5",
            "Tile 4: 'spin' is not known",
        ):
            assert said in text
        assert "turn=9" in text
    assert builder.tiles() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Choose a file"),
        ("   ", "Choose a file"),
        ("tiles = [", "not TOML"),
        ("tiles = [\n  {tile = 202a},\n]", "at line 2"),
        ("202a\n203a", "not TOML"),
        ("service = true", "needs a list of tiles"),
        ("tiles = 7", "needs a list of tiles"),
        ('tiles = ["202a", "203a"]\nboxes = 0', "oxes is a whole number"),
        ('tiles = ["202a", "203a"]\nservice = "yes"', "ervice is true or false"),
        ('tiles = ["202a", "203a"]\nweather = "fog"', "'weather' is not known here"),
        ('tiles = ["202a", "203a"]\ntiles = ["202a"]', "not TOML"),
        ("tiles = " + "[" * 5000, "not TOML"),
        ("a" + ".a" * 4000 + " = 1\ntiles = []", ""),
        ("[[tiles]]\ntile = 0x" + "f" * 5000, "not TOML"),
        ("[[tiles]]\nvia = " + f"[\n{{b{'.b' * 240} = " * 20 + "1" + "}]" * 20, "not TOML"),
        ("tiles = [1979-05-27, nan, inf, 1e999]", "Tile 1"),
        ("tiles = [{tile='202a', turn=99999999999999999999}]", "0 to 5"),
        ("tiles = [{tile='202a', at=[nan, inf]}]", "two whole numbers"),
        ("tiles = [{tile='202a', at=[99, 0], turn=5}, {tile='203a'}]", "too far"),
        ("tiles = [{tile=['202a']}]", "Tile 1"),
        ("tiles = [" + "'204a'," * 600 + "]", "at most 62"),
        ("\x00", "ull characters"),
        ("x = '" + "y" * 30_000 + "'", "20000"),
    ],
)  # fmt: skip
def test_hostile_toml_is_refused_in_words(text: str, said: str) -> None:
    builder = BuilderPage()
    builder.lay(*SMALL)
    answer = builder.post("import/", text=text)
    assert answer.status_code == 422
    assert said in answer.content.decode().replace("&#x27;", "'")
    assert builder.tiles() == ["202a", "204a", "203a"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "Choose a file"),
        (b"\xff\xfe\x00", "not text in UTF-8"),
        (b"#" * 20_001, "too large"),
        (b"\x00" * 90, "not TOML"),
    ],
)
def test_a_file_that_is_no_stage_is_refused(content: bytes, said: str) -> None:
    builder = BuilderPage()
    answer = builder.post("import/", file=SimpleUploadedFile("stage.toml", content))
    assert answer.status_code == 422
    assert said in answer.content.decode()
    both = builder.post("import/", text=TOML, file=SimpleUploadedFile("stage.toml", TOML.encode()))
    assert both.status_code == 422
    assert "not both" in both.content.decode()
