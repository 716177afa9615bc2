"""Tables cached on the disk equal those that the engine computes, and any change of the engine makes them invalid."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.formula_d.codriver import cost_tables
from engine.formula_d.codriver.cost_tables import LapTables, TyreEffect
from engine.formula_d.codriver.manner import manner
from engine.formula_d.codriver.wear_states import WearStates, points, wear_states
from engine.formula_d.track import Track, compile_own_track
from tests import cost_table_cache
from tests.games.formula_d.engine import pond

TREADS = (TyreEffect(), TyreEffect(slide=1))


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that replaces the source of the engine. The tables are cached in the folder `kept` beside it."""
    monkeypatch.setattr(cost_tables, "_filled", cost_tables._filled)
    monkeypatch.setattr(cost_table_cache, "ENGINE", tmp_path / "engine")
    path = tmp_path / "engine" / "rules.py"
    path.parent.mkdir()
    path.write_text("faces = 6")
    cost_table_cache.keep_in(tmp_path / "kept")
    return path


@pytest.fixture
def track() -> Track:
    return compile_own_track(pond.track())


def content(lap: LapTables) -> object:
    return lap.gears, lap.outs, lap.boxed, lap.laps_left


@pytest.mark.parametrize("rules", [wear_states(basic=False), wear_states(basic=True), points()])
def test_a_table_read_from_the_disk_equals_the_computed_one(source: Path, track: Track, rules: WearStates) -> None:
    driver = manner("club")
    filled = [*cost_tables.tables_of_race(track, rules, driver, TREADS)]
    cost_tables._filled.cache_clear()
    again = [*cost_tables.tables_of_race(track, rules, driver, TREADS)]

    assert [lap is not other for lap, other in zip(filled, again, strict=True)] == [True, True]
    assert [content(lap) for lap in filled] == [content(lap) for lap in again]
    assert again[0].track is track and again[0].rules is rules and again[1].after is again[0]


def test_other_inputs_have_tables_of_their_own_and_the_same_end_of_a_race_is_shared(source: Path, track: Track) -> None:
    club, wear = manner("club"), wear_states(basic=False)
    files = []
    for rules, driver, treads in (
        (wear, club, TREADS),
        (points(), club, TREADS),
        (wear, replace(club, gearbox=9.0), TREADS),
        (wear, club, TREADS[:1] * 2),
        (wear, club, (TyreEffect(bonus=1), *TREADS[1:])),
    ):
        laps = [*cost_tables.tables_of_race(track, rules, driver, treads)]
        assert [lap.tyres for lap in laps] == [*reversed(treads)]
        files.append(len(list((source.parents[1] / "kept").glob("*/*"))))
    assert files == [2, 4, 6, 8, 9]


def test_a_lap_that_nobody_reads_is_not_filled(source: Path, track: Track) -> None:
    last = cost_tables.tables_of_race(track, points(), manner("club"), TREADS)[0]
    assert last.after is None and cost_tables._filled.cache_info().currsize == 1


def test_a_changed_engine_computes_its_tables_again(source: Path, track: Track) -> None:
    cost_tables.tables_of_race(track, points(), manner("club"), TREADS)[0]
    kept = source.parents[1] / "kept"
    (before,) = kept.iterdir()
    source.write_text("faces = 8")
    cost_table_cache.keep_in(kept)
    (after,) = kept.iterdir()
    assert after != before and not list(after.iterdir())


def test_an_incomplete_file_is_computed_again(source: Path, track: Track) -> None:
    (filled,) = cost_tables.tables_of_race(track, points(), manner("club"), TREADS[:1])
    (kept,) = (source.parents[1] / "kept").glob("*/*")
    whole = kept.read_bytes()
    for short in (b"", whole[: len(whole) // 2]):
        kept.write_bytes(short)
        cost_tables._filled.cache_clear()
        (again,) = cost_tables.tables_of_race(track, points(), manner("club"), TREADS[:1])
        assert content(again) == content(filled)
        assert len(kept.read_bytes()) == len(whole)


def test_an_engine_that_changes_in_the_middle_of_a_run_leaves_no_tables(source: Path, track: Track) -> None:
    source.write_text("faces = 8")
    cost_tables.tables_of_race(track, points(), manner("club"), TREADS)[0]
    assert not list((source.parents[1] / "kept").glob("*/*"))
