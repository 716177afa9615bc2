"""Writes an archive: a zip with a file of JSON lines for each table, engine records, a manifest and a README."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from django.db import connection, transaction

from championship.accounts.models import User
from championship.archive import rows
from championship.archive.bounds import MOST_RECORDS
from championship.archive.tables import TABLES, Table
from championship.clubs.models import Club, Membership
from championship.platform import clock
from championship.rallies.models import SpecialStage
from championship.runs.models import Run
from championship.runs.watch import proof
from championship.stages.models import StageDesign

FORMAT = "parc-ferme club archive"
VERSION = 4
"""Archives of earlier versions can be read too (row_upgrades.py)."""
AT_ONCE = 2000
"""Rows fetched from the database at a time."""
MANIFEST, README = "manifest.json", "README.txt"
PEOPLE, READY_MADE = "people", "ready made stages"

WORDS = """\
This is everything that the club {club} owns on Parc Fermé, as it stood at {made_at}.

manifest.json   the version of the format, and rows, bytes and SHA-256 of every other file
tables/         one file for each table, a JSON object on each line; people and ready made stages beside them
records/        every run that is over as its engine record: `python -m engine verify FILE` draws all its chance again

`manage.py restore_club` puts it into another installation. What is in it and what is not: docs/archive.md.
{on_the_road}"""
LEFT_OUT_RECORDS = """
records/ holds the latest {most} of {all} records. The tables hold every run: after a restore its page has its record.
"""
DRIVEN_AGAIN = "\nOn the road when it was made, and therefore driven again after a restore:\n{stages}\n"

Progress = Callable[[int, int], None]


def table_file(name: str) -> str:
    """Return the name of the file of a table."""
    return f"tables/{name}.jsonl"


class _Writer:
    """Writes files into the zip and collects their entries of the manifest."""

    def __init__(self, file: IO[bytes]) -> None:
        self.zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self.files: dict[str, dict[str, Any]] = {}

    def write(self, name: str, lines: Iterable[str]) -> None:
        sha256, size, count = hashlib.sha256(), 0, 0
        with self.zip.open(name, "w", force_zip64=True) as inside:
            for line in lines:
                written = line.encode()
                sha256.update(written)
                size += len(written)
                count += 1
                inside.write(written)
        self.files[name] = {"rows": count, "bytes": size, "sha256": sha256.hexdigest()}

    def close(self, manifest: dict[str, Any]) -> None:
        text = json.dumps(manifest | {"files": self.files}, ensure_ascii=False, separators=(",", ":"))
        self.zip.writestr(MANIFEST, text)
        self.zip.close()


def write_archive(club: Club, file: IO[bytes], progress: Progress | None = None) -> None:
    """Write everything that the club owns to `file`, in one snapshot. Call it outside a transaction.

    progress: called for each engine record, which follow the tables, with the number written so far and the total.
    """
    writer = _Writer(file)
    with _snapshot():
        club = Club.objects.get(pk=club.pk)
        made_at = clock.now().isoformat()
        on_the_road = _on_the_road(club)
        people: set[int] = set()
        for table in TABLES:
            writer.write(table_file(table.name), _lines(_rows(table, club, people)))
        writer.write(table_file(PEOPLE), _lines(_people(club, people)))
        writer.write(table_file(READY_MADE), _lines(_ready_made()))
        runs_over = list(_runs_over(club))
    over = runs_over[-MOST_RECORDS:]
    for number, run_id in enumerate(over):
        if progress is not None:
            progress(number, len(over))
        run = Run.objects.select_related("special_stage").get(pk=run_id)
        if proof.may_show(run):
            document = json.dumps(proof.record_of(run), ensure_ascii=False, indent=1)
            writer.write(f"records/{run.key}.json", [document + "\n"])
    listed = "\n".join(f"- {stage}" for stage in on_the_road)
    driven_again = DRIVEN_AGAIN.format(stages=listed) if on_the_road else ""
    left_out = LEFT_OUT_RECORDS.format(most=len(over), all=len(runs_over)) if len(over) < len(runs_over) else ""
    writer.write(README, [WORDS.format(club=club.name, made_at=made_at, on_the_road=left_out + driven_again)])
    writer.close(
        {
            "format": FORMAT,
            "version": VERSION,
            "made_at": made_at,
            "club": {"name": club.name, "key": club.key},
            "on_the_road": on_the_road,
        }
    )


def on_the_road(club: Club) -> list[SpecialStage]:
    """Return the club's stages that are being driven, which an archive made now would leave out. One query."""
    found = SpecialStage.objects.filter(rally__club=club, status=SpecialStage.Status.RUNNING)
    return list(found.select_related("rally").order_by("rally__pk"))


def _on_the_road(club: Club) -> list[str]:
    return [f"{stage.rally.name}, {stage.number}" for stage in on_the_road(club)]


@contextmanager
def _snapshot() -> Iterator[None]:
    """Open a transaction that reads one snapshot of the database, whatever others write meanwhile."""
    fresh = not connection.in_atomic_block
    with transaction.atomic():
        if fresh:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _lines(found: Iterable[dict[str, Any]]) -> Iterator[str]:
    for row in found:
        yield json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


def _rows(table: Table, club: Club, people: set[int]) -> Iterator[dict[str, Any]]:
    """Yield the table's rows by column, and add the ids of the persons in them to `people`."""
    fields = table.model._meta.concrete_fields
    names = [field.attname for field in fields]
    persons = [field.attname for field in fields if rows.references(field) is User]
    for values in table.rows_of(club).values_list(*names).iterator(AT_ONCE):
        row = {name: rows.to_json(field, value) for field, name, value in zip(fields, names, values, strict=True)}
        people.update(row[name] for name in persons if row[name] is not None)
        yield table.adjust(row) if table.adjust else row


def _people(club: Club, ids: set[int]) -> Iterator[dict[str, Any]]:
    """Yield everyone in the tables. Only current members have their address."""
    members = set(Membership.objects.filter(club=club).values_list("user_id", flat=True))
    for person in User.objects.filter(pk__in=ids).order_by("pk").iterator(AT_ONCE):
        yield {
            "id": person.pk,
            "name": person.name,
            "language": person.language,
            "time_zone": person.time_zone,
            "email": person.email if person.pk in members and person.closed_at is None else None,
        }


def _ready_made() -> Iterator[dict[str, Any]]:
    for design in StageDesign.objects.filter(club=None).order_by("pk"):
        yield {"id": design.pk, "game": design.game, "source": design.source}


def _runs_over(club: Club) -> Iterable[int]:
    over = Run.objects.filter(special_stage__rally__club=club, status=Run.Status.FINISHED)
    return over.exclude(special_stage__status=SpecialStage.Status.RUNNING).order_by("pk").values_list("pk", flat=True)
