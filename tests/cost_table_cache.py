"""Caches the cost tables of tracks on the disk, for all test processes and for later runs.

Hundreds of tests let codrivers drive, and each process would compute the same tables for a minute. Every change in
engine/ makes the cache invalid. Mutants of the engine exist only in memory; they are tested in one process, without
this cache.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import shutil
import tempfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.formula_d.codriver import cost_tables
from engine.formula_d.codriver.lap_layout import lap_layout
from engine.formula_d.codriver.manner import Manner
from engine.formula_d.codriver.wear_states import WearStates
from engine.formula_d.track import Track

ENGINE = Path(cost_tables.__file__).resolve().parents[2]
FILL = cost_tables._filled.__wrapped__
Treads = tuple[cost_tables.TyreEffect, ...]


def keep_in(folder: Path) -> None:
    """Cache the tables in the folder from now on. Delete those of other editions of the engine."""
    place = folder / _edition()
    place.mkdir(parents=True, exist_ok=True)
    for other in folder.iterdir():
        if other != place:
            shutil.rmtree(other, ignore_errors=True)

    @lru_cache(maxsize=cost_tables.LAPS_KEPT)
    def cached(track: Track, rules: WearStates, driver: Manner, treads: Treads, whole: bool) -> cost_tables.LapTables:
        after = cached(track, rules, driver, treads[1:], True) if treads[1:] else None
        shared = (track, rules, driver, treads, lap_layout(track), after)
        path = place / _name(track, rules, driver, treads, whole)
        with suppress(OSError, EOFError, pickle.UnpicklingError):  # no such file, or an incomplete one
            found: cost_tables.LapTables = _Reader(io.BytesIO(path.read_bytes()), shared).load()
            return found
        lap = FILL(track, rules, driver, treads, whole)
        if _edition() == place.name:  # otherwise the engine has changed since the tests started
            with suppress(OSError):  # a later run has deleted the folder
                _write(path, lap, shared)
        return lap

    cost_tables._filled = cached


def _edition() -> str:
    """Return a digest of everything that the tables depend on."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(ENGINE.rglob("*")):
        if path.suffix in (".py", ".toml", ".csv", ".json"):
            digest.update(path.as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _name(track: Track, rules: WearStates, driver: Manner, treads: Treads, whole: bool) -> str:
    wear = (type(rules).__name__, rules.basic, rules.tires, rules.brakes, rules.state_count)
    return hashlib.sha256(repr((track, wear, driver, treads, whole)).encode()).hexdigest()[:32]


class _Writer(pickle.Pickler):
    """Pickles references to the inputs of the tables (track, lap layout, driver, next lap) instead of the objects."""

    def __init__(self, file: Any, shared: tuple[object, ...]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.shared = shared

    def persistent_id(self, found: object) -> int | None:
        return next((number for number, one in enumerate(self.shared) if found is one), None)


class _Reader(pickle.Unpickler):
    def __init__(self, file: Any, shared: tuple[object, ...]) -> None:
        super().__init__(file)
        self.shared = shared

    def persistent_load(self, number: int) -> object:
        return self.shared[number]


def _write(path: Path, lap: cost_tables.LapTables, shared: tuple[object, ...]) -> None:
    """Write to a temporary file, then rename it, so that another process never reads an incomplete one."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        _Writer(file, shared).dump(lap)
    os.replace(file.name, path)
