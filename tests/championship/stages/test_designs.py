"""Stage designs: the ready-made library, and a club's own from a tile list (T1)."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.http import Http404

from championship.audit.models import Record
from championship.clubs.models import Role
from championship.platform.refusals import Forbidden, Refused
from championship.stages.models import StageDesign
from championship.stages.services import create_design, load_library, read_design
from engine import registry
from tests.factories import make_club, make_member

pytestmark = pytest.mark.django_db

SHORT = "202a\n204a\n203a"
IN_FULL = """
# a straight one
202a AD 0,0 turn 0
204a DA 0,1 turn 3
205a DA [0,2] turn=3
203a AD 0,3 0
"""


def test_the_eighteen_ready_made_stages_are_in_the_library() -> None:
    designs = StageDesign.objects.filter(club=None, game="dirt")
    assert designs.count() == 18
    assert {design.source for design in designs} == set(registry.get("dirt").library())
    assert designs.get(source="1/2").designer == "Jean-Christophe Bouvier"
    assert len({design.title for design in designs}) == 18
    assert designs.get(source="1/2").name_and_number == "Gravel Pit Bends (Rally 1, stage 2)"
    assert designs.get(source="3/2").spec["boxes"] == 2


def test_loading_the_library_again_adds_nothing_and_repairs_what_was_changed() -> None:
    StageDesign.objects.filter(source="1/1").update(spec={})
    key = StageDesign.objects.get(source="1/1").key
    assert load_library() == 0
    repaired = StageDesign.objects.get(source="1/1")
    assert repaired.key == key
    assert len(repaired.spec["tiles"]) == 10


def test_loading_a_correct_library_again_only_reads_it(django_assert_num_queries: Any) -> None:
    load_library()
    with django_assert_num_queries(4):  # a savepoint, stages, those without a rating, and the end of the savepoint
        assert load_library() == 0


def test_an_organiser_designs_a_stage_from_a_list_of_tiles() -> None:
    club = make_club()
    organiser = make_member(club, roles=[Role.ORGANISER])
    design = create_design(
        by=organiser, club=club, name=" Straight on ", game="dirt", text=IN_FULL, spec={"service": True}
    )
    assert design.name == "Straight on"
    assert design.spec["service"] is True
    assert [tile["tile"] for tile in design.spec["tiles"]] == ["202a", "204a", "205a", "203a"]
    assert design.spec["tiles"][2]["at"] == [0, 2]
    assert Record.objects.filter(action="stage designed", club_id=club.pk).count() == 1


def test_faces_alone_are_enough_where_the_chain_decides_the_rest() -> None:
    assert [tile["at"] for tile in read_design(game="dirt", text=SHORT)["tiles"]] == [[0, 0], [0, 1], [0, 2]]


def test_a_design_is_read_from_toml_too() -> None:
    text = """
service = true
tiles = [
  {tile = "202a", via = "AD", at = [0, 0], turn = 0},
  {tile = "203a"},
]
"""
    spec = read_design(game="dirt", text=text, spec={"service": False})
    assert spec["service"] is True
    assert len(spec["tiles"]) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "tiles"),
        ("202a\n999z\n203a", "Tile 2"),
        ("202a\n201a\n203a", "Tile 2"),
        ("202a\n204a AB\n203a", "Tile 2"),
        ("202a\n204a DA 5,5\n203a", "Tile 2"),
        ("202a\n204a DA 0,1 turn 1\n203a", "Tile 2"),
        ("202a\n204a\n204b\n203a", "Tile 3"),
        ("204a\n203a", "Tile 1"),
        ("202a\n204a", "Tile 2"),
        ("202a\n210a\n216a\n210b\n216b\n205a\n203a", "Tile"),
        ("202a\nplease a hairpin\n203a", "Line 2"),
        ("tiles = [", "TOML"),
        ("tiles = 7", "tiles"),
        ('tiles = [1, "x", [2], {}]', "Tile 1"),
        ("tiles = [{tile = 5}]", "Tile 1"),
        ('tiles = ["202a", "203a"]\nboxes = "many"', "oxes"),
        ('tiles = ["202a", "203a"]\nservice = 3', "ervice"),
        ("202a 99999999,0", "Line 1"),
        ("\x00\x01", "Line 1"),
        ("202a\n" * 500, "62"),
    ],
)
def test_t1_tiles_that_do_not_fit_are_refused_by_field_and_tile(text: str, said: str) -> None:
    club = make_club()
    organiser = make_member(club, roles=[Role.ORGANISER])
    with pytest.raises(Refused) as refused:
        create_design(by=organiser, club=club, name="No way", game="dirt", text=text)
    assert refused.value.field == "spec"
    assert refused.value.rule == "T1"
    assert said in str(refused.value)
    assert not StageDesign.objects.filter(club=club).exists()


def test_t1_a_tile_may_be_used_twice_only_with_two_boxes() -> None:
    twice = "202a\n204a\n204b\n203a"
    with pytest.raises(Refused, match="204"):
        read_design(game="dirt", text=twice, spec={"boxes": 1})
    assert read_design(game="dirt", text=twice, spec={"boxes": 2})["boxes"] == 2


@pytest.mark.parametrize("name", ["", "   ", "x" * 81, "two\nlines"])
def test_a_stage_needs_a_name_on_one_line(name: str) -> None:
    club = make_club()
    organiser = make_member(club, roles=[Role.ORGANISER])
    with pytest.raises(Refused) as refused:
        create_design(by=organiser, club=club, name=name, game="dirt", text=SHORT)
    assert refused.value.field == "name"


def test_a_name_is_unique_in_a_club() -> None:
    club = make_club()
    organiser = make_member(club, roles=[Role.ORGANISER])
    create_design(by=organiser, club=club, name="Straight on", game="dirt", text=SHORT)
    with pytest.raises(Refused) as refused:
        create_design(by=organiser, club=club, name="Straight on", game="dirt", text=IN_FULL)
    assert refused.value.field == "name"
    assert StageDesign.objects.filter(club=club).count() == 1


def test_drivers_do_not_design_and_strangers_do_not_know_the_club() -> None:
    club, other = make_club(), make_club(name="Elsewhere")
    driver, stranger = make_member(club), make_member(other, roles=[Role.ORGANISER])
    with pytest.raises(Forbidden):
        create_design(by=driver, club=club, name="Mine", game="dirt", text=SHORT)
    with pytest.raises(Http404):
        create_design(by=stranger, club=club, name="Mine", game="dirt", text=SHORT)


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        read_design(game="chess", text=SHORT)
    assert refused.value.field == "game"


def test_the_database_keeps_the_library_in_order() -> None:
    for wrong in (
        {"source": "1/1", "name": "Again"},  # ready-made twice
        {"source": "", "name": "From nowhere"},  # ready-made without a source
        {"source": "9/9", "name": ""},  # no name
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            StageDesign.objects.create(game="dirt", spec={}, **wrong)


def test_a_written_list_reads_back_as_the_same_stage() -> None:
    from championship.stages import stage_pages

    maps = stage_pages.get("dirt")
    for design in StageDesign.objects.filter(club=None, game="dirt"):
        extra = {"service": design.spec["service"], "boxes": design.spec["boxes"]}
        assert read_design(game="dirt", text=maps.write_text(design.spec), spec=extra) == design.spec
