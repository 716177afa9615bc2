"""The stage builder over HTTP: with the map, at random, from a copy; roles, stale pages, bad input."""

import re
from typing import Any

import pytest
from django.test import Client

from championship.clubs.models import Role
from championship.stages.models import Rating, StageDesign, StageDraft
from championship.stages.services import create_design
from engine import registry
from engine.dirt.random_stages import build
from tests.championship.stages.organisers import Bench
from tests.factories import make_club, make_member, signed_in

pytestmark = pytest.mark.django_db

PAGES = ("", "list/", "random/", "import/", "templates/")
POSTS = ("", "save/", "list/", "random/", "import/")
SMALL = ("202a.AD.1", "204a.DA.4", "203a.AD.1")
TOML = 'service = true\ntiles = ["202a", "204a", "203a"]\n'
IN_PLACE = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "bench"}


def test_a_stage_is_laid_tile_by_tile_and_saved() -> None:
    bench = Bench()
    assert "lay one" in bench.page.get(bench.address()).content.decode()
    bench.lay(*SMALL)
    text = bench.page.get(bench.address()).content.decode()
    assert "3 tiles" in text
    assert "start to the finish" in text
    assert bench.tiles() == ["202a", "204a", "203a"]
    saved = bench.post(
        "save/",
        name="Round the mill",
    )
    made = StageDesign.objects.get(club=bench.club)
    assert saved["Location"] == made.get_absolute_url()
    assert (made.name, made.designer, made.spec["service"]) == ("Round the mill", bench.olga.name, True)
    assert bench.tiles() == []
    assert bench.post(do="back").status_code == 302
    assert bench.tiles() == ["202a", "204a", "203a"]


def test_every_tile_that_fits_is_offered_as_a_button_and_nothing_else() -> None:
    """Placements of a tile that drive the same are offered once."""
    bench = Bench()
    bench.lay("202a.AD.1", "210a.DC.4")
    draft = bench.draft()
    assert draft is not None
    fitting = {f"{o['tile']}.{o['via']}.{o['turn']}" for o in registry.get("dirt").placements(draft.spec)}
    offered: set[str] = set()
    for way in ("1", "2", "3", "4", "5", "finish"):
        page = bench.page.get(bench.address(), {"go": way}).content.decode()
        offered |= set(re.findall(r'name="tile" value="([^"]+)"', page))
    assert offered <= fitting
    assert {value.split(".")[0] for value in offered} == {value.split(".")[0] for value in fitting}
    assert len(fitting) - len(offered) == 9  # the plain rows of 204a to 207a, the wiggles and even bulges


def test_a_tile_is_looked_at_swapped_turned_taken_out_and_cut_off() -> None:
    bench = Bench()
    bench.lay("202a.AD.1", "208a.DB.4", "204b.DA.5", "203a.AD.2")
    page = bench.page.get(bench.address(), {"tile": "2"}).content.decode()
    assert "Another tile in its place" in page
    assert "208a" in page
    answer = bench.post(do="lay", place="2", tile="210a.DC.4")
    assert answer["Location"].endswith("?tile=2#panel")
    assert bench.tiles() == ["202a", "210a", "204b", "203a"]
    draft = bench.draft()
    before = draft.spec["tiles"][2]["via"] if draft else ""
    bench.post(do="turn", place="3")
    draft = bench.draft()
    assert draft is not None
    assert draft.spec["tiles"][2]["via"] == before[::-1]
    bench.post(do="drop", place="3")
    assert bench.tiles() == ["202a", "210a", "203a"]
    bench.post(do="cut", place="2")
    assert bench.tiles() == ["202a"]
    bench.post(do="cut")
    assert bench.tiles() == []
    for tiles in (1, 3, 4):
        bench.post(do="back")
        assert len(bench.tiles()) == tiles
    bench.post(do="clear")
    assert bench.tiles() == []


def test_service_and_boxes_are_set() -> None:
    bench = Bench()
    bench.lay("202a.AD.1", "204a.DA.4")
    assert bench.post(do="settings", boxes="2").status_code == 302
    bench.lay("204b.DA.4")
    draft = bench.draft()
    assert draft is not None
    assert (draft.spec["service"], draft.spec["boxes"]) == (False, 2)
    refused = bench.post(do="settings", boxes="1")
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
    bench = Bench()
    bench.lay("202a.AD.1", "204a.DA.4")
    before = bench.version
    answer = bench.post(**act)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert (bench.tiles(), bench.version) == (["202a", "204a"], before)


@pytest.mark.parametrize("query", ["tile=0", "tile=99", "tile=x", "go=9", "go=%00", "tile=1&go=finish", "tile=%D9%A3"])
def test_a_query_that_makes_no_sense_shows_the_bench(query: str) -> None:
    bench = Bench()
    bench.lay("202a.AD.1", "204a.DA.4")
    assert bench.page.get(f"{bench.address()}?{query}").status_code == 200


def test_a_post_from_an_old_page_is_refused_and_gets_the_current_bench() -> None:
    bench = Bench()
    bench.lay("202a.AD.1", "204a.DA.4")
    for rest, given in (
        ("", {"do": "lay", "tile": "203a.AD.1"}),
        ("", {"do": "back"}),
        ("save/", {"name": "Too late"}),
        ("list/", {"text": "202a", "boxes": "1"}),
        ("random/", {"tiles": "10", "hazard": "2"}),
        ("import/", {"text": TOML}),
    ):
        answer = bench.post(rest, version=1, **given)
        assert answer.status_code == 409, rest
        assert "another window" in answer.content.decode()
    assert bench.post(version=-5, do="back").status_code == 409
    assert bench.tiles() == ["202a", "204a"]
    assert not StageDesign.objects.filter(club=bench.club).exists()


def test_an_htmx_request_gets_only_the_bench() -> None:
    bench = Bench()
    answer = bench.post(do="lay", tile="202a.AD.1", how=IN_PLACE)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert 'id="bench"' in text
    assert "<html" not in text
    assert answer["HX-Replace-Url"] == bench.address()
    assert bench.post(do="lay", tile="999", how=IN_PLACE).status_code == 422


def test_only_a_whole_stage_with_a_name_of_its_own_is_saved() -> None:
    bench = Bench()
    bench.lay("202a.AD.1", "204a.DA.4")
    assert bench.post("save/", name="Half").status_code == 422
    bench.lay("203a.AD.1")
    for name in ("", "x" * 81, "two\nlines", "\x00"):
        assert bench.post("save/", name=name).status_code == 422
    create_design(by=bench.olga, club=bench.club, name="Mill", game="dirt", text="202a\n203a")
    taken = bench.post("save/", name="Mill")
    assert taken.status_code == 422
    assert 'value="Mill"' in taken.content.decode()
    assert len(bench.tiles()) == 3
    assert StageDesign.objects.filter(club=bench.club).count() == 1


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


def test_each_organiser_has_a_bench_of_their_own_in_each_club() -> None:
    club = make_club()
    one, other = Bench(club), Bench(club)
    one.lay("202a.AD.1")
    assert other.tiles() == []
    other.lay("202b.DA.1")
    assert (one.tiles(), other.tiles()) == (["202a"], ["202b"])


# At random, from a copy -----------------------------------------------------------------------------


def test_a_random_stage_names_its_seed_and_can_be_built_again_from_it() -> None:
    bench = Bench()
    given = {"tiles": "9", "hazard": "3", "service": "on"}
    assert bench.post("random/", **given).status_code == 302
    draft = bench.draft()
    assert draft is not None
    assert draft.spec == build(tiles=9, seed=draft.wishes["seed"], hazard=3, service=True)
    page = bench.page.get(bench.address("random/")).content.decode()
    assert f"<strong>{draft.wishes['seed']}</strong>" in page
    assert bench.post("random/", **given, seed="7").status_code == 302
    again = bench.draft()
    assert again is not None
    assert again.spec == build(tiles=9, seed=7, hazard=3, service=True)


@pytest.mark.parametrize(
    ("field", "value"),
    [("tiles", "2"), ("tiles", "32"), ("tiles", ""), ("tiles", "x"), ("hazard", "4"), ("hazard", ""), ("seed", "-1"),
     ("seed", "9" * 30), ("seed", "seven"), ("tiles", "\x00")],
)  # fmt: skip
def test_an_impossible_wish_is_refused_at_its_field(field: str, value: str) -> None:
    bench = Bench()
    answer = bench.post("random/", **{"tiles": "9", "hazard": "2", field: value})
    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert bench.tiles() == []


def test_every_ready_made_stage_can_be_begun_from(django_assert_max_num_queries: Any) -> None:
    bench = Bench()
    page = bench.page.get(bench.address("templates/")).content.decode()
    stage = StageDesign.objects.get(source="4/2")
    assert page.count("Put a copy of") == 18
    assert bench.page.post(f"{stage.get_absolute_url()}copy/", {"club": bench.club.slug}).status_code == 302
    draft = bench.draft()
    assert draft is not None
    assert draft.spec == stage.spec
    with django_assert_max_num_queries(11):
        text = bench.page.get(bench.address()).content.decode()
    assert "How to lay Rally 4, stage 2" in text


def test_a_rated_stage_on_the_bench_shows_its_par_time_until_it_changes() -> None:
    bench = Bench()
    stage = StageDesign.objects.get(source="4/2")
    result = {"par": 185, "quartiles": [170, 200], "crash_share": 0.25, "sections": 36, "runs": 200}
    Rating.objects.create(design=stage, seed=0, result={**result, "most_dangerous_tile": 3})
    bench.page.post(f"{stage.get_absolute_url()}copy/", {"club": bench.club.slug})
    page = bench.page.get(bench.address()).content.decode()
    assert "3:05" in page
    assert "25 %" in page
    bench.version = 1
    bench.post(do="cut")
    assert "3:05" not in bench.page.get(bench.address()).content.decode()


@pytest.mark.parametrize("tiles", [3, 24])
def test_the_bench_takes_few_queries_at_any_length(tiles: int, django_assert_max_num_queries: Any) -> None:
    bench = Bench()
    stage = build(tiles=tiles, seed=1)
    text = registry.get("dirt").write_course(stage)
    assert bench.post("import/", text=text).status_code == 302
    with django_assert_max_num_queries(11):
        assert bench.page.get(bench.address()).status_code == 200
    with django_assert_max_num_queries(20):
        assert bench.post(do="cut", how=IN_PLACE).status_code == 200
