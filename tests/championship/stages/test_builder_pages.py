"""The stage builder over HTTP: with the map, at random, from a copy; roles, stale pages, bad input."""

import re
from typing import Any

import pytest
from django.test import Client

from championship.clubs.models import Role
from championship.stages.models import Rating, StageDesign, StageDraft
from championship.stages.services import create_design
from engine import registry
from engine.dirt.course.random_stages import build
from tests.championship.stages.organisers import BuilderPage
from tests.factories import make_club, make_member, signed_in

pytestmark = pytest.mark.django_db

PAGES = ("", "list/", "random/", "import/", "templates/")
POSTS = ("", "save/", "list/", "random/", "import/")
SMALL = ("202a.AD.1", "204a.DA.4", "203a.AD.1")
TOML = 'service = true\ntiles = ["202a", "204a", "203a"]\n'
IN_PLACE = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "builder"}


def test_a_stage_is_laid_tile_by_tile_and_saved() -> None:
    builder = BuilderPage()
    assert "lay one" in builder.page.get(builder.address()).content.decode()
    builder.lay(*SMALL)
    text = builder.page.get(builder.address()).content.decode()
    assert "3 tiles" in text
    assert "start to the finish" in text
    assert builder.tiles() == ["202a", "204a", "203a"]
    saved = builder.post(
        "save/",
        name="Round the mill",
    )
    made = StageDesign.objects.get(club=builder.club)
    assert saved["Location"] == made.get_absolute_url()
    assert (made.name, made.designer, made.spec["service"]) == ("Round the mill", builder.olga.name, True)
    assert builder.tiles() == []
    assert builder.post(do="back").status_code == 302
    assert builder.tiles() == ["202a", "204a", "203a"]


def test_every_tile_that_fits_is_offered_as_a_button_and_nothing_else() -> None:
    """Placements of a tile that drive the same are offered once."""
    builder = BuilderPage()
    builder.lay("202a.AD.1", "210a.DC.4")
    draft = builder.draft()
    assert draft is not None
    fitting = {f"{o['tile']}.{o['via']}.{o['turn']}" for o in registry.get("dirt").placements(draft.spec)}
    offered: set[str] = set()
    for way in ("1", "2", "3", "4", "5", "finish"):
        page = builder.page.get(builder.address(), {"go": way}).content.decode()
        offered |= set(re.findall(r'name="tile" value="([^"]+)"', page))
    assert offered <= fitting
    assert {value.split(".")[0] for value in offered} == {value.split(".")[0] for value in fitting}
    assert len(fitting) - len(offered) == 9  # the plain rows of 204a to 207a, the wiggles and even bulges


def test_a_tile_is_looked_at_swapped_turned_taken_out_and_cut_off() -> None:
    builder = BuilderPage()
    builder.lay("202a.AD.1", "208a.DB.4", "204b.DA.5", "203a.AD.2")
    page = builder.page.get(builder.address(), {"tile": "2"}).content.decode()
    assert "Another tile in its place" in page
    assert "208a" in page
    answer = builder.post(do="lay", place="2", tile="210a.DC.4")
    assert answer["Location"].endswith("?tile=2#panel")
    assert builder.tiles() == ["202a", "210a", "204b", "203a"]
    draft = builder.draft()
    before = draft.spec["tiles"][2]["via"] if draft else ""
    builder.post(do="turn", place="3")
    draft = builder.draft()
    assert draft is not None
    assert draft.spec["tiles"][2]["via"] == before[::-1]
    builder.post(do="drop", place="3")
    assert builder.tiles() == ["202a", "210a", "203a"]
    builder.post(do="cut", place="2")
    assert builder.tiles() == ["202a"]
    builder.post(do="cut")
    assert builder.tiles() == []
    for tiles in (1, 3, 4):
        builder.post(do="back")
        assert len(builder.tiles()) == tiles
    builder.post(do="clear")
    assert builder.tiles() == []


def test_service_and_boxes_are_set() -> None:
    builder = BuilderPage()
    builder.lay("202a.AD.1", "204a.DA.4")
    assert builder.post(do="settings", boxes="2").status_code == 302
    builder.lay("204b.DA.4")
    draft = builder.draft()
    assert draft is not None
    assert (draft.spec["service"], draft.spec["boxes"]) == (False, 2)
    refused = builder.post(do="settings", boxes="1")
    assert refused.status_code == 422
    assert "204 is used 2 times" in refused.content.decode()


@pytest.mark.slow
@pytest.mark.parametrize(
    "act",
    [
        {}, {"do": "fly"}, {"do": "lay"}, {"do": "lay", "tile": "999z"}, {"do": "lay", "tile": "202a.AD.1"},
        {"do": "lay", "tile": "210a.DC.0"}, {"do": "lay", "tile": "x" * 9000},
        {"do": "lay", "tile": "203a.AD.1", "place": "1"},
        {"do": "turn", "place": "77"}, {"do": "cut", "place": "-1"}, {"do": "cut", "place": "٣"},
        {"do": "drop", "place": "1"},
        {"do": "settings"}, {"do": "settings", "boxes": "99"}, {"do": "settings", "boxes": "\x00"},
    ],
)  # fmt: skip
def test_an_action_that_makes_no_sense_is_refused_and_changes_nothing(act: dict[str, str]) -> None:
    builder = BuilderPage()
    builder.lay("202a.AD.1", "204a.DA.4")
    before = builder.version
    answer = builder.post(**act)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert (builder.tiles(), builder.version) == (["202a", "204a"], before)


@pytest.mark.parametrize("query", ["tile=0", "tile=99", "tile=x", "go=9", "go=%00", "tile=1&go=finish", "tile=%D9%A3"])
def test_a_query_that_makes_no_sense_shows_the_builder(query: str) -> None:
    builder = BuilderPage()
    builder.lay("202a.AD.1", "204a.DA.4")
    assert builder.page.get(f"{builder.address()}?{query}").status_code == 200


def test_a_post_from_an_old_page_is_refused_and_gets_the_current_builder() -> None:
    builder = BuilderPage()
    builder.lay("202a.AD.1", "204a.DA.4")
    for rest, given in (
        ("", {"do": "lay", "tile": "203a.AD.1"}),
        ("", {"do": "back"}),
        ("save/", {"name": "Too late"}),
        ("list/", {"text": "202a", "boxes": "1"}),
        ("random/", {"tiles": "10", "hazard": "2"}),
        ("import/", {"text": TOML}),
    ):
        answer = builder.post(rest, version=1, **given)
        assert answer.status_code == 409, rest
        assert "another window" in answer.content.decode()
    assert builder.post(version=-5, do="back").status_code == 409
    assert builder.tiles() == ["202a", "204a"]
    assert not StageDesign.objects.filter(club=builder.club).exists()


def test_an_htmx_request_gets_only_the_builder() -> None:
    builder = BuilderPage()
    answer = builder.post(do="lay", tile="202a.AD.1", how=IN_PLACE)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert 'id="builder"' in text
    assert "<html" not in text
    assert answer["HX-Replace-Url"] == builder.address()
    assert builder.post(do="lay", tile="999", how=IN_PLACE).status_code == 422


def test_only_a_whole_stage_with_a_name_of_its_own_is_saved() -> None:
    builder = BuilderPage()
    builder.lay("202a.AD.1", "204a.DA.4")
    assert builder.post("save/", name="Half").status_code == 422
    builder.lay("203a.AD.1")
    for name in ("", "x" * 81, "two\nlines", "\x00"):
        assert builder.post("save/", name=name).status_code == 422
    create_design(by=builder.olga, club=builder.club, name="Mill", game="dirt", text="202a\n203a")
    taken = builder.post("save/", name="Mill")
    assert taken.status_code == 422
    assert 'value="Mill"' in taken.content.decode()
    assert len(builder.tiles()) == 3
    assert StageDesign.objects.filter(club=builder.club).count() == 1


def test_drivers_do_not_build_and_strangers_do_not_know_the_club() -> None:
    club, other = make_club(), make_club(name="Elsewhere")
    for page, expected in (
        (Client(), 302),
        (signed_in(make_member(club)), 403),
        (signed_in(make_member(club, roles=[Role.STEWARD])), 403),
        (signed_in(make_member(other, roles=[Role.ORGANISER])), 404),
    ):
        for rest in (*PAGES, "stage.toml"):
            assert page.get(f"/clubs/{club.slug}/stages/build/{rest}").status_code == expected
        for rest in POSTS:
            assert page.post(f"/clubs/{club.slug}/stages/build/{rest}", {"version": 0}).status_code == expected
    assert not StageDraft.objects.exists()


def test_each_organiser_has_a_builder_of_their_own_in_each_club() -> None:
    club = make_club()
    one, other = BuilderPage(club), BuilderPage(club)
    one.lay("202a.AD.1")
    assert other.tiles() == []
    other.lay("202b.DA.1")
    assert (one.tiles(), other.tiles()) == (["202a"], ["202b"])


# At random, from a copy -----------------------------------------------------------------------------


def test_a_random_stage_names_its_seed_and_can_be_built_again_from_it() -> None:
    builder = BuilderPage()
    given = {"tiles": "9", "hazard": "3", "service": "on"}
    assert builder.post("random/", **given).status_code == 302
    draft = builder.draft()
    assert draft is not None
    assert draft.spec == build(tiles=9, seed=draft.wishes["seed"], hazard=3, service=True)
    page = builder.page.get(builder.address("random/")).content.decode()
    assert f"<strong>{draft.wishes['seed']}</strong>" in page
    assert builder.post("random/", **given, seed="7").status_code == 302
    again = builder.draft()
    assert again is not None
    assert again.spec == build(tiles=9, seed=7, hazard=3, service=True)


@pytest.mark.parametrize(
    ("field", "value"),
    [("tiles", "2"), ("tiles", "32"), ("tiles", ""), ("tiles", "x"), ("hazard", "4"), ("hazard", ""), ("seed", "-1"),
     ("seed", "9" * 30), ("seed", "seven"), ("tiles", "\x00")],
)  # fmt: skip
def test_an_impossible_wish_is_refused_at_its_field(field: str, value: str) -> None:
    builder = BuilderPage()
    answer = builder.post("random/", **{"tiles": "9", "hazard": "2", field: value})
    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert builder.tiles() == []


def test_every_ready_made_stage_can_be_begun_from(django_assert_max_num_queries: Any) -> None:
    builder = BuilderPage()
    page = builder.page.get(builder.address("templates/")).content.decode()
    stage = StageDesign.objects.get(source="4/2")
    assert page.count("Put a copy of") == 18
    assert builder.page.post(f"{stage.get_absolute_url()}copy/", {"club": builder.club.slug}).status_code == 302
    draft = builder.draft()
    assert draft is not None
    assert draft.spec == stage.spec
    with django_assert_max_num_queries(11):
        text = builder.page.get(builder.address()).content.decode()
    assert "How to lay Twin Crests" in text


def test_a_rated_stage_on_the_builder_shows_its_par_time_until_it_changes() -> None:
    builder = BuilderPage()
    stage = StageDesign.objects.get(source="4/2")
    result = {"par": 185, "quartiles": [170, 200], "crash_share": 0.25, "sections": 36, "runs": 200}
    rating = {"result": {**result, "most_dangerous_tile": 3}}
    Rating.objects.update_or_create(design=stage, seed=0, defaults=rating)  # instead of the one that the game ships
    builder.page.post(f"{stage.get_absolute_url()}copy/", {"club": builder.club.slug})
    page = builder.page.get(builder.address()).content.decode()
    assert "3:05" in page
    assert "25 %" in page
    builder.version = 1
    builder.post(do="cut")
    assert "3:05" not in builder.page.get(builder.address()).content.decode()


@pytest.mark.parametrize("tiles", [3, 24])
def test_the_builder_takes_few_queries_at_any_length(tiles: int, django_assert_max_num_queries: Any) -> None:
    builder = BuilderPage()
    stage = build(tiles=tiles, seed=1)
    text = registry.get("dirt").write_course(stage)
    assert builder.post("import/", text=text).status_code == 302
    with django_assert_max_num_queries(11):
        assert builder.page.get(builder.address()).status_code == 200
    with django_assert_max_num_queries(20):
        assert builder.post(do="cut", how=IN_PLACE).status_code == 200
