"""What places of a track are worth, kept on the disk for all processes of a run and for the runs to come.

Hundreds of tests let codrivers drive, and each process would fill the same tables for a minute. They are filled anew
after every change in engine/. Mutants of the engine, which are nowhere on the disk, are tested in one process, which
keeps nothing.
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

from engine.formula_d import worth
from engine.formula_d.field import Field
from engine.formula_d.manner import Manner
from engine.formula_d.purses import Purses
from engine.formula_d.way import way

ENGINE = Path(worth.__file__).resolve().parents[1]
FILL = worth._filled.__wrapped__
Laps = tuple[worth.Lap, ...]


def keep_in(folder: Path) -> None:
    """From now on tables are taken from the folder; those that it lacks are filled and put there."""
    place = folder / _edition()
    place.mkdir(parents=True, exist_ok=True)
    for other in folder.iterdir():
        if other != place:
            shutil.rmtree(other, ignore_errors=True)

    @lru_cache(maxsize=32)
    def filled(field: Field, rules: Purses, driver: Manner, treads: tuple[worth.Tread, ...]) -> Laps:
        shared = (field, rules, driver, treads, way(field))
        kept = place / _name(field, rules, driver, treads)
        with suppress(OSError, EOFError, pickle.UnpicklingError):  # not there, not yet, or not whole
            return _Reader(io.BytesIO(kept.read_bytes()), shared).load()
        laps = FILL(field, rules, driver, treads)
        if _edition() == place.name:  # else the engine has changed since the run began
            with suppress(OSError):  # a later run has cleared the folder away
                _write(kept, laps, shared)
        return laps

    worth._filled = filled


def _edition() -> str:
    """Return a digest of all that decides what the tables hold."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(ENGINE.rglob("*")):
        if path.suffix in (".py", ".toml", ".csv", ".json"):
            digest.update(path.as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _name(field: Field, rules: Purses, driver: Manner, treads: tuple[worth.Tread, ...]) -> str:
    wear = (type(rules).__name__, rules.basic, rules.tires, rules.brakes, rules.places)
    return hashlib.sha256(repr((field, wear, driver, treads)).encode()).hexdigest()[:32]


class _Writer(pickle.Pickler):
    """Leaves out what is there before the tables: the track, its way, who drives it."""

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


def _write(kept: Path, laps: Laps, shared: tuple[object, ...]) -> None:
    """Write the tables under another name first: another process never reads half of them."""
    with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as file:
        _Writer(file, shared).dump(laps)
    os.replace(file.name, kept)
