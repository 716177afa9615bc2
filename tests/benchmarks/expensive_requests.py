"""Measures the most expensive requests: `python -m tests.benchmarks.expensive_requests`.

All papers of a rally of 300 cars and 24 stages, as a worker makes them; the record that is most expensive to verify;
archives that unpack to a multiple of their size. Uses a separate database on the PostgreSQL of DATABASE_URL, or of the
tests. Prints processor time, which other programs on the machine hardly change. Exits with 1 when a limit is exceeded.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import os
import random
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "championship.settings.test"

MEGABYTE = 1024 * 1024
PAPER, RECORD, BOMB, ARCHIVE = 20.0, 2.0, 0.5, 4.0
"""Limits in seconds of processor time. A task's soft time limit is 90."""

Measured = tuple[str, float, float]
"""The name of a measurement, its seconds, and the limit."""


def main() -> int:
    import django

    django.setup()
    logging.disable(logging.WARNING)
    too_much = 0
    with _database():
        for what, seconds, bound in chain(_of_a_rally(), _records(), _of_archives()):
            print(f"{what:<38} {seconds:6.2f} s, bound {bound:4.1f}", flush=True)
            too_much += seconds > bound
    return 1 if too_much else 0


@contextmanager
def _database() -> Iterator[None]:
    from django.db import connection

    kept = connection.settings_dict["NAME"]
    connection.settings_dict["TEST"]["NAME"] = f"requests_{os.getpid()}"
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(kept, verbosity=0)


def _seconds(work: Callable[[], object]) -> float:
    """Return the processor seconds of this process."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _of_a_rally() -> Iterator[Measured]:
    """Measure its papers, and its club's archive: written, and restored in an empty database."""
    from django.db import transaction

    from championship.archive.services.restoring import restore_club
    from championship.papers import kinds as paper_kinds
    from tests.championship.archive.scenes import archived
    from tests.championship.rallies.factories import largest_rally

    files: list[io.BytesIO] = []
    with transaction.atomic():
        rally = largest_rally()
        for kind, known in paper_kinds.KINDS.items():
            wanted = paper_kinds.paper_request(rally.key, kind, 1 if kind == "start list" else None)
            yield f"paper: {kind}, {known.ending}", _seconds(partial(paper_kinds.make, wanted)), PAPER
        yield "archive of that rally: written", _seconds(lambda: files.append(archived(rally.club))), ARCHIVE
        transaction.set_rollback(True)
    yield "archive of that rally: restored", _seconds(lambda: restore_club(by=None, owner=None, file=files[0])), ARCHIVE


def _records() -> Iterator[Measured]:
    """Measure a stage in which the odds of every order are computed move by move, and a forgery that is full of
    draws.
    """
    from tests.engine.test_checking import most_expensive_record
    from tests.factories import make_user, signed_in

    document, client = most_expensive_record(), signed_in(make_user())

    def look_at(record: dict[str, Any]) -> None:
        file = io.BytesIO(json.dumps(record).encode())
        file.name = "record.json"
        assert client.post("/records/", {"record": file}).status_code == 200

    forged = _full_of_draws(document)
    look_at(document)  # fill the caches
    yield "record: six cars that creep, its page", _seconds(lambda: look_at(document)), RECORD
    yield "record: 28,000 draws, its page", _seconds(lambda: look_at(forged)), RECORD


def _full_of_draws(document: dict[str, Any]) -> dict[str, Any]:
    """Return the record with other turns: they contain only draws that follow from its seal."""
    from engine.chance import SealChance
    from engine.verification import MOST_DRAWS

    told, turns = document["chance"], []
    chance = SealChance(bytes.fromhex(told["secret"]), phrases=told["phrases_sha256"])
    for _turn in range(70):
        chance.draws = []
        for _draw in range(MOST_DRAWS):
            chance.number("a die", 6)
        turns.append({**document["turns"][0], "salt": "", "draws": chance.draws})
    return {**document, "turns": turns}


def _of_archives() -> Iterator[Measured]:
    """Measure two archives made to be expensive: one is refused unread, the other after everything was read."""
    bomb, dear = _zip(zeros=1024, noise=0), _zip(zeros=480, noise=9)
    yield "archive: 1 GiB in a file of 1 MiB", _seconds(lambda: _refused(bomb)), BOMB
    yield "archive: 489 MiB in a file of 9 MiB", _seconds(lambda: _refused(dear)), ARCHIVE


def _zip(*, zeros: int, noise: int) -> io.BytesIO:
    """Return an archive with so many MiB of zeros and of noise. Its manifest is correct, but it contains no club."""
    from championship.archive.services.writing import FORMAT, MANIFEST, README, VERSION

    draw, file, listed = random.Random(7), io.BytesIO(), {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as written:
        pieces = {README: [bytes(MEGABYTE)] * zeros, "records/noise.json": [draw.randbytes(MEGABYTE)] * noise}
        for name, content in pieces.items():
            sha256 = hashlib.sha256()
            with written.open(name, "w", force_zip64=True) as inside:
                for piece in content:
                    inside.write(piece)
                    sha256.update(piece)
            listed[name] = {"rows": 0, "bytes": len(content) * MEGABYTE, "sha256": sha256.hexdigest()}
        club = {"name": "Nobody", "key": "nobody"}
        told = {"format": FORMAT, "version": VERSION, "made_at": "2026-01-01T00:00:00+00:00", "club": club}
        written.writestr(MANIFEST, json.dumps({**told, "files": listed}))
    file.seek(0)
    return file


def _refused(file: io.BytesIO) -> None:
    from championship.archive.services.restoring import restore_club
    from championship.platform.refusals import Refused
    from tests.factories import make_user

    try:
        restore_club(by=None, owner=make_user(), file=file)
    except Refused:
        return
    raise AssertionError("it was taken")


if __name__ == "__main__":
    sys.exit(main())
