"""Worlds that many tests begin with: built once in a process, then put into the database as rows, all at once.

A rally with two crews on the road takes 170 queries. From the second test on, each that asks for it gets the
rows of one that was built, under the same primary keys, as old as they were then. What is drawn, the seals of stages
and the keys of addresses, is the test's own luck; the start list is drawn once for all.

A world is built anew where rows could not stand for it: in a test that commits, where the same world is there already,
and where it is made of objects of the test. Whoever changes how the service works before a world is built (but for the
moment, the language and who listens to the signals of rallies) builds it himself. Games that draw while a run opens
have no worlds here: what they drew would not follow from the seals.
"""

from __future__ import annotations

import base64
import json
import random
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Model
from django.dispatch import Signal
from django.utils import translation

from championship import clock
from championship.keys import KEY_BYTES
from championship.rallies import signals
from championship.runs.models import Run, Seal
from championship.stages.models import StageDesign
from engine import chance, registry

COLUMNS = """
    SELECT attname, atttypid = 'timestamptz'::regtype FROM pg_attribute
    WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum
"""
LATER = "@later@"
"""Where a statement says how much later it is than when the world was built."""


@dataclass(frozen=True, slots=True)
class World:
    """Statements that insert the rows, the keys that the test is given, when it stood, what was drawn by then."""

    statements: str
    keys: Any
    built: datetime
    drawn: list[bytes]


_asked: set[str] = set()
"""By all that a world depends on: which was asked for once. One that is never asked for again is not worth keeping."""
_worlds: dict[str, World | None] = {}
"""Which was asked for again, likewise; None where building it changes rows that were there before."""


def again(name: str, terms: Any, build: Callable[[], Any], there: Callable[[Any], bool]) -> Any:
    """Return what `build` returns, the keys of a world made of `terms`, which is then in the database.

    there: whether the world of these keys is in the database already.
    """
    if not connection.in_atomic_block or (told := _told(name, terms)) is None:
        return build()
    if told in _asked and told not in _worlds:
        _worlds[told] = _built(told, build)
    _asked.add(told)
    return _here(told, build, there, _put)


def as_it_was(name: str, terms: Any, build: Callable[[], Any], there: Callable[[Any], bool]) -> Any:
    """Like `again`, for worlds in which something has been drawn: their luck is their own, the same in every test."""
    if not connection.in_atomic_block or (told := _told(f"{name}, as it was", terms)) is None:
        return build()
    if told not in _worlds:
        _worlds[told] = _built(told, build)
    return _here(told, build, there, _insert)


def scene(build: Callable[..., Sequence[Any]], *terms: Any) -> list[Any]:
    """Return the rows of any tables that `build(*terms)` returns, read anew from a world that is put back as it was."""

    def built() -> list[tuple[type[Model], Any]]:
        return [(type(row), row.pk) for row in build(*terms)]

    def there(keys: list[tuple[type[Model], Any]]) -> bool:
        model, key = keys[0]
        return model._base_manager.filter(pk=key).exists()

    keys = as_it_was(f"{build.__module__}.{build.__qualname__}", terms, built, there)
    return [model._base_manager.get(pk=key) for model, key in keys]


def _here(told: str, build: Callable[[], Any], there: Callable[[Any], bool], put: Callable[[World], None]) -> Any:
    """Return the keys of the world that is kept, put into the database, or of one that is built in its place."""
    world = _worlds.get(told)
    if world is not None and not there(world.keys):
        try:
            with transaction.atomic():
                put(world)
            return world.keys
        except IntegrityError:  # something of that name is there already
            pass
    with _lots(told):
        return build()


def _told(name: str, terms: Any) -> str | None:
    """Return all that the world depends on as a text; None where objects of the test belong to it."""
    listening = [len(signal.receivers) for signal in vars(signals).values() if isinstance(signal, Signal)]
    moment = clock.now().isoformat() if getattr(settings, "CLOCK", None) else ""
    try:
        return json.dumps([name, terms, listening, moment, translation.get_language(), *_shelf()], sort_keys=True)
    except TypeError:
        return None


def _shelf() -> tuple[bool, tuple[str, ...]]:
    """Return whether there are ready-made stages already, and the games that would bring them."""
    return StageDesign.objects.filter(club=None).exists(), registry.names()


def _built(told: str, build: Callable[[], Any]) -> World | None:
    """Build a world, keep it and take it out of the database again."""
    with transaction.atomic():
        before = _marks()
        with _luck(told) as drawn:
            keys = build()
        built = clock.now()  # its end: nothing in a world that is put back lies in the future
        after = _marks()
        world = None
        if all(marks <= after.get(table, set()) for table, marks in before.items()):
            new = {table: marks - before.get(table, set()) for table, marks in after.items()}
            world = World("".join(_statements(new)), keys, built, drawn)
        transaction.set_rollback(True)
    return world


@contextmanager
def _lots(seed: str) -> Iterator[None]:
    """What SystemRandom draws while the block runs follows from the seed."""
    before, random._urandom = random._urandom, random.Random(f"lots of {seed}").randbytes  # type: ignore[attr-defined]
    try:
        yield
    finally:
        random._urandom = before  # type: ignore[attr-defined]


@contextmanager
def _luck(seed: str) -> Iterator[list[bytes]]:
    """All that is drawn while the block runs follows from the seed. The list gets secrets and keys in order."""
    luck, drawn, before = random.Random(seed), [], secrets.token_bytes

    def token_bytes(count: int | None = None) -> bytes:
        drawn.append(luck.randbytes(count or 32))
        return drawn[-1]

    secrets.token_bytes = token_bytes
    try:
        with _lots(seed):
            yield drawn
    finally:
        secrets.token_bytes = before
        drawn[:] = [each for each in drawn if len(each) != KEY_BYTES or not _as_key(each).startswith("-")]


def _marks() -> dict[str, set[str]]:
    """Return a mark of each row by table, which another row or the same row changed has not."""
    tables = connection.introspection.table_names()
    asked = " UNION ALL ".join(f"SELECT '{table}', md5(row::text) FROM \"{table}\" row" for table in tables)
    found: dict[str, set[str]] = {}
    with connection.cursor() as cursor:
        cursor.execute(asked)
        for table, mark in cursor.fetchall():
            found.setdefault(table, set()).add(mark)
    return found


def _statements(new: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield a statement for each table that inserts its rows of these marks, their times as much later as is told."""
    with connection.cursor() as cursor:
        for table in sorted(table for table, marks in new.items() if marks):
            cursor.execute(COLUMNS, [f'"{table}"'])
            columns = cursor.fetchall()
            asked = f'SELECT json_agg(row)::text FROM "{table}" row WHERE md5(row::text) = ANY(%s)'
            cursor.execute(asked, [list(new[table])])
            ((rows,),) = cursor.fetchall()
            names = ", ".join(f'"{column}"' for column, _is_time in columns)
            values = ", ".join(f'"{column}"{LATER if is_time else ""}' for column, is_time in columns)
            read = f'json_populate_recordset(NULL::"{table}", $rows${rows}$rows$)'
            yield f'INSERT INTO "{table}" ({names}) SELECT {values} FROM {read};\n'


def _put(world: World) -> None:
    """Insert the rows, drawing from the test's luck what was drawn when the world was built."""
    own = [_drawn_alike(drawn) for drawn in world.drawn]
    _insert(world, dict(zip(world.drawn, own, strict=True)))
    _follow(own)


def _insert(world: World, drawn: Mapping[bytes, bytes] = MappingProxyType({})) -> None:
    """Insert the rows, as old as they were, with what was drawn replaced."""
    later = (clock.now() - world.built) // timedelta(microseconds=1)
    statements = world.statements.replace(LATER, f" + interval '{later} microseconds'")
    for old, new in drawn.items():
        statements = statements.replace(old.hex(), new.hex()).replace(_as_key(old), _as_key(new))
    with connection.cursor() as cursor:
        cursor.execute(statements)


def _drawn_alike(drawn: bytes) -> bytes:
    """Return as much, drawn now, passing over what no key begins with."""
    while True:
        own = secrets.token_bytes(len(drawn))
        if len(drawn) != KEY_BYTES or not _as_key(own).startswith("-"):
            return own


def _as_key(drawn: bytes) -> str:
    return base64.urlsafe_b64encode(drawn).rstrip(b"=").decode()


def _follow(drawn: Collection[bytes]) -> None:
    """What follows from the seals among these secrets: their promises, the runs' secrets and promises."""
    seals = {seal.special_stage_id: seal for seal in Seal.objects.filter(secret__in=drawn)}
    for seal in seals.values():
        seal.commitment = chance.commitment(bytes(seal.secret))
    Seal.objects.bulk_update(list(seals.values()), ["commitment"])
    runs = list(Run.objects.filter(special_stage__in=list(seals)))
    for run in runs:
        seal = bytes(seals[run.special_stage_id].secret)
        run.secret = chance.secret_of_run(seal, run.number)
        run.commitment = chance.commitment(run.secret)
        run.common = chance.common_secret(seal) if run.common is not None else None
    if runs:
        Run.objects.bulk_update(runs, ["secret", "commitment", "common"])
