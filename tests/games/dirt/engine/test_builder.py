"""Random stages: valid, drivable, the same for the same seed, easy or dangerous as requested (T1)."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.commands import main
from engine.contract import GameError
from engine.dirt.course.compiled_stage import GRID, compiled
from engine.dirt.course.layout import EDGES, NEIGHBOURS, lay, read_stage
from engine.dirt.course.random_stages import HAZARDS, LEAST_TILES, build, danger, dead_ends, most_tiles, to_toml
from engine.dirt.facts import faces, facts
from engine.dirt.plan import start, steps
from engine.dirt.road import Road, limits_under_mud
from tests.games.dirt.engine.scenes import RULES
from tests.random_examples import examples

ROOT = Path(__file__).resolve().parents[4]


def drivable(stage: Any) -> bool:
    """Return whether a car with all its dice can drive from the grid to the finish without a loss of control, one move
    a turn.
    """
    track = compiled(stage)
    road = Road(track, limits_under_mud(track, {}), {})
    known = {(GRID, 0)}
    open_places = [(GRID, 0)]
    while open_places:
        space, gear = open_places.pop()
        for step in steps(road, start(road, space, gear, {})):
            if step.after.finished:
                return True
            place = (step.after.space, step.after.gear)
            if step.after.loss is None and place not in known:
                known.add(place)
                open_places.append(place)
    return False


def stages() -> Iterator[tuple[int, int, int, bool]]:
    """Three hundred random stages of many lengths and hazards."""
    for seed in range(300):
        yield 4 + seed % 15, seed, HAZARDS[seed % 3], bool(seed % 2)


def assert_sound(stage: Any, tiles: int, *, service: bool) -> None:
    """Check that it is unchanged after reading, uses each tile once, has room before the start and for the service
    park, and that a car can drive it.
    """
    assert read_stage(stage) == stage
    assert (len(stage["tiles"]), stage["service"], stage["boxes"]) == (tiles, service, 1)
    road = lay(stage["tiles"])
    assert len({laid.face.number for laid in road}) == tiles
    taken = {laid.at for laid in road}
    way_in = NEIGHBOURS[(EDGES.index(road[0].via[0]) + road[0].turn) % len(EDGES)]
    assert way_in not in taken
    assert not (service and road[-1].leads_to in taken)
    assert list(dead_ends(stage)) == []
    assert drivable(stage)


@pytest.mark.slow
def test_three_hundred_stages_can_be_driven() -> None:
    for tiles, seed, hazard, service in stages():
        stage = build(tiles=tiles, seed=seed, hazard=hazard, service=service)
        assert_sound(stage, tiles, service=service)
        assert read_stage(tomllib.loads(to_toml(stage))) == stage


@examples(60)
@given(
    tiles=st.integers(LEAST_TILES, most_tiles()),
    seed=st.integers(),
    hazard=st.sampled_from(HAZARDS),
    service=st.booleans(),
)
def test_any_seed_and_length_makes_a_stage(tiles: int, seed: int, hazard: int, service: bool) -> None:
    assert_sound(build(tiles=tiles, seed=seed, hazard=hazard, service=service), tiles, service=service)


def test_the_same_seed_makes_the_same_stage() -> None:
    assert build(tiles=14, seed=7) == build(tiles=14, seed=7)
    assert build(tiles=14, seed=7) != build(tiles=14, seed=8)
    names = [tile["tile"] for tile in build(tiles=5, seed=7)["tiles"]]
    assert names == ["202b", "217a", "218a", "222a", "203b"]


def test_hazard_brings_warning_signs_and_tight_bends() -> None:
    dangers, red, yellow = [], [], []
    for hazard in HAZARDS:
        road = [faces()[t["tile"]] for seed in range(40) for t in build(tiles=12, seed=seed, hazard=hazard)["tiles"]]
        dangers.append(sum(map(danger, road)))
        red.append(sum(face.hazard == "red" for face in road))
        yellow.append(sum(face.hazard == "yellow" for face in road))
    assert dangers == sorted(dangers)
    assert red[0] * 3 < red[2]
    assert yellow[2] * 2 < yellow[0]


def test_every_face_with_a_road_is_used() -> None:
    laid = {tile["tile"] for seed in range(40) for tile in build(tiles=18, seed=seed)["tiles"]}
    assert laid == {name for name, face in faces().items() if face.sections}


def test_a_bump_before_water_is_a_dead_end_in_top_gear() -> None:
    """M3, M10: in gear 6 every die throws the car two spaces on, into the ford; in a lower gear it can pass."""
    stage = read_stage({"tiles": ["202a", "204b", "208b", "203a"]})
    assert set(dead_ends(stage)) == {("2.1.l", 6), ("2.1.r", 6)}


@pytest.mark.parametrize("name", sorted(RULES.library()))
def test_the_printed_stages_have_no_dead_end(name: str) -> None:
    assert list(dead_ends(RULES.library()[name])) == []
    assert drivable(RULES.library()[name])


@pytest.mark.parametrize(
    ("hazard", "service", "road"),
    [
        (1, False, "202b DA 3, 225b BD 5, 205b DA 2, 229b DB 2, 215b AD 0, 203a AD 0"),
        (2, True, "202b DA 3, 217a DB 3, 218a BD 0, 222a DB 3, 209a BD 0, 203a AD 0"),
        (3, False, "202b DA 3, 219a CD 4, 227a BD 3, 222b DB 0, 230a DB 1, 203b DA 2"),
    ],
)
def test_a_seed_makes_the_stage_that_it_made_when_people_wrote_it_down(hazard: int, service: bool, road: str) -> None:
    made = build(tiles=6, seed=7, hazard=hazard, service=service)["tiles"]
    assert ", ".join(f"{tile['tile']} {tile['via']} {tile['turn']}" for tile in made) == road


def test_a_stage_is_written_as_a_file_that_people_read() -> None:
    """T1: tile, entry and exit, position and rotation, one line each."""
    assert to_toml(build(tiles=3, seed=1)) == (
        "service = false\n"
        "tiles = [\n"
        '    { tile = "202b", via = "DA", at = [0, 0], turn = 1 },\n'
        '    { tile = "216a", via = "DC", at = [1, -1], turn = 1 },\n'
        '    { tile = "203b", via = "DA", at = [1, 0], turn = 3 },\n'
        "]\n"
    )
    assert to_toml(build(tiles=3, seed=1, service=True)).startswith("service = true\n")


def test_the_command_prints_a_stage_that_the_engine_reads(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["build", "--tiles", "14", "--seed", "7", "--hazard", "3", "--service"]) == 0
    printed = capsys.readouterr().out
    assert read_stage(tomllib.loads(printed)) == build(tiles=14, seed=7, hazard=3, service=True)
    path = tmp_path / "stage.toml"
    path.write_text(printed, "utf-8")
    assert main(["perft", str(path), "2"]) == 0
    assert int(capsys.readouterr().out) > 0


def test_two_interpreters_agree() -> None:
    words = [sys.executable, "-m", "engine", "build", "--tiles", "9", "--seed", "1"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=240, check=True)
    assert done.stdout == to_toml(build(tiles=9, seed=1))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--tiles 0 --seed 1", "3 to 31 tiles"), ("--tiles 2 --seed 1", "3 to 31 tiles"),
        ("--tiles -14 --seed 1", "3 to 31 tiles"), ("--tiles 32 --seed 1", "3 to 31 tiles"),
        (f"--tiles {'9' * 400} --seed 1", "3 to 31 tiles"), ("--tiles 1e3 --seed 1", "--tiles"),
        ("--tiles 14 --seed 1 --hazard 0", "hazard goes from 1 to 3"), ("--tiles 14 --seed 1 --hazard 4", "hazard"),
        ("--tiles 14 --seed one", "--seed"), ("--tiles 14", "--seed"), ("--seed 7", "--tiles"),
        (f"--tiles 14 --seed {'9' * 5000}", "--seed"), ("--tiles 14 --seed 1 --service maybe", "maybe"),
    ],
)  # fmt: skip
def test_absurd_requests_are_refused(capsys: pytest.CaptureFixture[str], words: str, said: str) -> None:
    try:
        code = main(["build", *words.split()])
    except SystemExit as end:
        code = int(str(end.code))
    printed = capsys.readouterr()
    assert (code, printed.out) == (2, "")
    assert said in printed.err


def test_the_library_call_refuses_the_same() -> None:
    for request in ({"tiles": 1}, {"tiles": facts().top_gear * 10}, {"tiles": 5, "hazard": 9}):
        with pytest.raises(GameError):
            build(seed=1, **request)


def test_refusals_name_what_was_asked_for_in_short() -> None:
    for request, words in (
        ({"tiles": 10**30, "seed": 1}, "a stage from one box has 3 to 31 tiles, not 10000000000000000000"),
        ({"tiles": 5, "seed": 1, "hazard": 10**30}, "hazard goes from 1 to 3, not 10000000000000000000"),
    ):
        with pytest.raises(GameError) as refusal:
            build(**request)
        assert refusal.value.message == words


def test_a_seed_that_leads_nowhere_is_named_in_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.dirt.course.random_stages.ATTEMPTS", 0)
    with pytest.raises(GameError) as refusal:
        build(tiles=5, seed=10**30)
    words = "no stage of 5 tiles was found for seed 10000000000000000000: try another one"
    assert refusal.value.message == words
