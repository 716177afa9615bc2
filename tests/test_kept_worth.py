"""Tables that are kept on the disk are those that the engine fills, and no change of the engine leaves them there."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.formula_d import worth
from engine.formula_d.field import Field, brought
from engine.formula_d.manner import manner
from engine.formula_d.purses import Purses, points, purses
from engine.formula_d.worth import Lap, Tread
from tests import kept_worth
from tests.engine.formula_d import pond

TREADS = (Tread(), Tread(slide=1))


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that stands for the engine, whose tables are kept in the folder `kept` beside it."""
    monkeypatch.setattr(worth, "_filled", worth._filled)
    monkeypatch.setattr(kept_worth, "ENGINE", tmp_path / "engine")
    path = tmp_path / "engine" / "rules.py"
    path.parent.mkdir()
    path.write_text("faces = 6")
    kept_worth.keep_in(tmp_path / "kept")
    return path


@pytest.fixture
def field() -> Field:
    return brought(pond.track())


def told(lap: Lap) -> object:
    return lap.gears, lap.outs, lap.boxed, lap.laps_left


@pytest.mark.parametrize("rules", [purses(basic=False), purses(basic=True), points()])
def test_what_is_read_again_is_what_was_filled(source: Path, field: Field, rules: Purses) -> None:
    driver = manner("club")
    filled = worth.laps_of(field, rules, driver, TREADS)
    worth._filled.cache_clear()
    again = worth.laps_of(field, rules, driver, TREADS)

    assert [lap is not other for lap, other in zip(filled, again, strict=True)] == [True, True]
    assert [told(lap) for lap in filled] == [told(lap) for lap in again]
    assert again[0].field is field and again[0].rules is rules and again[1].after is again[0]


def test_other_terms_have_tables_of_their_own(source: Path, field: Field) -> None:
    club, wear = manner("club"), purses(basic=False)
    for rules, driver, treads in (
        (wear, club, TREADS),
        (points(), club, TREADS),
        (wear, replace(club, gearbox=9.0), TREADS),
        (wear, club, TREADS[:1] * 2),
    ):
        worth.laps_of(field, rules, driver, treads)
    assert len(list((source.parents[1] / "kept").glob("*/*"))) == 4


def test_a_changed_engine_fills_its_tables_anew(source: Path, field: Field) -> None:
    worth.laps_of(field, points(), manner("club"), TREADS)
    kept = source.parents[1] / "kept"
    (before,) = kept.iterdir()
    source.write_text("faces = 8")
    kept_worth.keep_in(kept)
    (after,) = kept.iterdir()
    assert after != before and not list(after.iterdir())


def test_a_table_that_was_cut_short_is_filled_again(source: Path, field: Field) -> None:
    (filled,) = worth.laps_of(field, points(), manner("club"), TREADS[:1])
    (kept,) = (source.parents[1] / "kept").glob("*/*")
    whole = kept.read_bytes()
    for short in (b"", whole[: len(whole) // 2]):
        kept.write_bytes(short)
        worth._filled.cache_clear()
        (again,) = worth.laps_of(field, points(), manner("club"), TREADS[:1])
        assert told(again) == told(filled)
        assert len(kept.read_bytes()) == len(whole)


def test_an_engine_that_changes_in_the_middle_of_a_run_leaves_no_tables(source: Path, field: Field) -> None:
    source.write_text("faces = 8")
    worth.laps_of(field, points(), manner("club"), TREADS)
    assert not list((source.parents[1] / "kept").glob("*/*"))
