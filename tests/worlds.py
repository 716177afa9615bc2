"""Caches the database rows of scenes that many tests begin with. Such a cached scene is called a world.

It takes 170 queries to set up a rally with two crews on the road. The service sets it up for the first test that needs
it, and once more, when a second test needs it, to record the rows. From then on the recorded rows are inserted, in one
statement per table, with the same primary keys. Times are shifted, so that each row is as old as it was when recorded.
Secret random values (the seals of stages, the keys in addresses) are drawn again for each test, from its own random
numbers. The start list is not: it is the same in every test.

The service sets up the world itself where recorded rows will not do: in a test that commits, when the same world is in
the database already, and when the world is made of objects of the test. A test that changes how the service behaves
before it needs a world must not use this module. It may change the clock, the language and the followers
of rallies: the key of a world contains these. Games that draw random numbers while a run opens cannot have worlds here,
because their rolls would not follow from the new seals.
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
from django.utils import translation

from championship.platform import clock
from championship.platform.keys import KEY_BYTES
from championship.rallies.followers import rally_followers
from championship.runs.models import Run, Seal
from championship.stages.models import StageDesign
from engine import chance, registry

COLUMNS = """
    SELECT attname, atttypid = 'timestamptz'::regtype FROM pg_attribute
    WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum
"""
LATER = "@later@"
"""Placeholder in the recorded statements for the time that has passed since the world was recorded."""


@dataclass(frozen=True, slots=True)
class World:
    """A recorded world.

    statements: SQL that inserts its rows. keys: the value that the build function returned. built: the time at its end.
    drawn: the secret random values in the rows, in the order in which they were drawn.
    """

    statements: str
    keys: Any
    built: datetime
    drawn: list[bytes]


_needed_before: set[str] = set()
"""Keys of the worlds that were needed at least once. A world that is needed only once is not worth recording."""
_worlds: dict[str, World | None] = {}
"""The recorded worlds by key. The value is None when the build function changes rows that existed before."""


def again(name: str, terms: Any, build: Callable[[], Any], there: Callable[[Any], bool]) -> Any:
    """Put a world into the database and return its keys, which `build` returned when the world was recorded.

    terms: the arguments of the build function, as JSON values. there: returns whether the world with these keys is in
    the database already.
    """
    if not connection.in_atomic_block or (world_key := _world_key(name, terms)) is None:
        return build()
    if world_key in _needed_before and world_key not in _worlds:
        _worlds[world_key] = _record(world_key, build)
    _needed_before.add(world_key)
    return _insert_or_build(world_key, build, there, _insert_with_new_secrets)


def as_it_was(name: str, terms: Any, build: Callable[[], Any], there: Callable[[Any], bool]) -> Any:
    """Like `again`, but every test gets the same secret random values. For worlds whose events depend on them."""
    if not connection.in_atomic_block or (world_key := _world_key(f"{name}, as it was", terms)) is None:
        return build()
    if world_key not in _worlds:
        _worlds[world_key] = _record(world_key, build)
    return _insert_or_build(world_key, build, there, _insert)


def scene(build: Callable[..., Sequence[Any]], *terms: Any) -> list[Any]:
    """Return the model instances that `build(*terms)` returns, read from a world inserted by `as_it_was`."""

    def built() -> list[tuple[type[Model], Any]]:
        return [(type(row), row.pk) for row in build(*terms)]

    def there(keys: list[tuple[type[Model], Any]]) -> bool:
        model, key = keys[0]
        return model._base_manager.filter(pk=key).exists()

    keys = as_it_was(f"{build.__module__}.{build.__qualname__}", terms, built, there)
    return [model._base_manager.get(pk=key) for model, key in keys]


def _insert_or_build(
    world_key: str, build: Callable[[], Any], there: Callable[[Any], bool], put: Callable[[World], None]
) -> Any:
    """Insert the recorded world and return its keys. Call `build` instead when that is impossible."""
    world = _worlds.get(world_key)
    if world is not None and not there(world.keys):
        try:
            with transaction.atomic():
                put(world)
            return world.keys
        except IntegrityError:  # a row with the same unique value is in the database already
            pass
    with _seeded_system_random(world_key):
        return build()


def _world_key(name: str, terms: Any) -> str | None:
    """Return everything that the world depends on as a text. Return None when the terms contain objects of the test."""
    following = [type(follower).__name__ for follower in rally_followers]
    usual = following == ["RunsOfRallies", "ReadyDrivers", "TablesOfHeats"]
    listening = [1, 1, 1, 1] if usual else following  # start lists follow from this text
    moment = clock.now().isoformat() if getattr(settings, "CLOCK", None) else ""
    try:
        return json.dumps(
            [name, terms, listening, moment, translation.get_language(), *_stage_library()], sort_keys=True
        )
    except TypeError:
        return None


def _stage_library() -> tuple[bool, tuple[str, ...]]:
    """Return whether ready-made stages exist already, and the names of the games that would create them."""
    return StageDesign.objects.filter(club=None).exists(), registry.names()


def _record(world_key: str, build: Callable[[], Any]) -> World | None:
    """Build the world, record it and roll it back. Return None when `build` changes or deletes rows that existed."""
    with transaction.atomic():
        before = _row_hashes()
        with _seeded_secrets(world_key) as drawn:
            keys = build()
        built = clock.now()  # taken at the end, so that no time in an inserted world is in the future
        after = _row_hashes()
        world = None
        if all(hashes <= after.get(table, set()) for table, hashes in before.items()):
            new = {table: hashes - before.get(table, set()) for table, hashes in after.items()}
            world = World("".join(_statements(new)), keys, built, drawn)
        transaction.set_rollback(True)
    return world


@contextmanager
def _seeded_system_random(seed: str) -> Iterator[None]:
    """Seed SystemRandom while the block runs."""
    before, random._urandom = random._urandom, random.Random(f"lots of {seed}").randbytes  # type: ignore[attr-defined]
    try:
        yield
    finally:
        random._urandom = before  # type: ignore[attr-defined]


@contextmanager
def _seeded_secrets(seed: str) -> Iterator[list[bytes]]:
    """Seed all secret random values while the block runs.

    Yields a list. After the block it contains the values drawn, but for keys that were drawn and rejected.
    """
    source, drawn, before = random.Random(seed), [], secrets.token_bytes

    def token_bytes(count: int | None = None) -> bytes:
        drawn.append(source.randbytes(count or 32))
        return drawn[-1]

    secrets.token_bytes = token_bytes
    try:
        with _seeded_system_random(seed):
            yield drawn
    finally:
        secrets.token_bytes = before
        drawn[:] = [each for each in drawn if len(each) != KEY_BYTES or not _as_key(each).startswith("-")]


def _row_hashes() -> dict[str, set[str]]:
    """Return the hashes of all rows, by table."""
    tables = connection.introspection.table_names()
    query = " UNION ALL ".join(f"SELECT '{table}', md5(row::text) FROM \"{table}\" row" for table in tables)
    found: dict[str, set[str]] = {}
    with connection.cursor() as cursor:
        cursor.execute(query)
        for table, row_hash in cursor.fetchall():
            found.setdefault(table, set()).add(row_hash)
    return found


def _statements(new: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield one INSERT statement per table for the rows with these hashes. LATER follows each time in it."""
    with connection.cursor() as cursor:
        for table in sorted(table for table, hashes in new.items() if hashes):
            cursor.execute(COLUMNS, [f'"{table}"'])
            columns = cursor.fetchall()
            query = f'SELECT json_agg(row)::text FROM "{table}" row WHERE md5(row::text) = ANY(%s)'
            cursor.execute(query, [list(new[table])])
            ((rows,),) = cursor.fetchall()
            names = ", ".join(f'"{column}"' for column, _is_time in columns)
            values = ", ".join(f'"{column}"{LATER if is_time else ""}' for column, is_time in columns)
            read = f'json_populate_recordset(NULL::"{table}", $rows${rows}$rows$)'
            yield f'INSERT INTO "{table}" ({names}) SELECT {values} FROM {read};\n'


def _insert_with_new_secrets(world: World) -> None:
    """Insert the rows with new secret random values in place of the recorded ones."""
    own = [_draw_like(drawn) for drawn in world.drawn]
    _insert(world, dict(zip(world.drawn, own, strict=True)))
    _update_dependent_secrets(own)


def _insert(world: World, drawn: Mapping[bytes, bytes] = MappingProxyType({})) -> None:
    """Insert the rows with shifted times. Replace the secret random values given as keys of `drawn`, and what commits
    to them, by its values.
    """
    later = (clock.now() - world.built) // timedelta(microseconds=1)
    statements = world.statements.replace(LATER, f" + interval '{later} microseconds'")
    for old, new in drawn.items():
        statements = statements.replace(old.hex(), new.hex()).replace(_as_key(old), _as_key(new))
        # The log and letters name the commitment of a seal too. The log refuses later changes.
        statements = statements.replace(chance.commitment(old), chance.commitment(new))
    with connection.cursor() as cursor:
        cursor.execute(statements)


def _draw_like(drawn: bytes) -> bytes:
    """Draw a value of the same length. Like the service, reject a key that would begin with a hyphen."""
    while True:
        own = secrets.token_bytes(len(drawn))
        if len(drawn) != KEY_BYTES or not _as_key(own).startswith("-"):
            return own


def _as_key(drawn: bytes) -> str:
    return base64.urlsafe_b64encode(drawn).rstrip(b"=").decode()


def _update_dependent_secrets(drawn: Collection[bytes]) -> None:
    """Compute again the values that depend on the new seals: the secrets and commitments of runs."""
    seals = {seal.special_stage_id: seal for seal in Seal.objects.filter(secret__in=drawn)}
    runs = list(Run.objects.filter(special_stage__in=list(seals)))
    for run in runs:
        seal = bytes(seals[run.special_stage_id].secret)
        run.secret = chance.secret_of_run(seal, run.number)
        run.commitment = chance.commitment(run.secret)
        run.common = chance.common_secret(seal) if run.common is not None else None
    if runs:
        Run.objects.bulk_update(runs, ["secret", "commitment", "common"])
