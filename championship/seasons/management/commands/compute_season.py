"""Compute the tables of seasons that are described in files. Nothing is written to the database."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from championship.seasons.scoring.document_nodes import SeasonFileError
from championship.seasons.scoring.season_file import tables_of

UNREADABLE = 2
MOST_BYTES = 16 * 1024 * 1024


class Command(BaseCommand):
    """Print one JSON object for each file; a file that cannot be read is one line on the error output."""

    help = "Compute the tables of seasons as files (docs/seasons.md), one JSON object a file. Writes nothing."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path)

    def handle(self, *_args: Any, files: list[Path], **_options: Any) -> None:
        unread = 0
        for file in files:
            try:
                tables = tables_of(_document(file))
            except (SeasonFileError, OSError) as error:
                unread += 1
                self.stderr.write(f"{file}: {error}")
            else:
                self.stdout.write(json.dumps(tables, ensure_ascii=False))
        if unread:
            raise CommandError(f"{unread} of {len(files)} files could not be read.", returncode=UNREADABLE)


def _document(file: Path) -> Any:
    """Return the document in a file.

    Raises: SeasonFileError when it is no JSON, too large, or says a field twice.
    """
    if file.stat().st_size > MOST_BYTES:
        raise SeasonFileError("", "the file is too large")
    try:
        text = file.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise SeasonFileError("", "the file is not in UTF-8: save it as UTF-8") from None
    if not text.strip():
        raise SeasonFileError("", "the file is empty")
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise SeasonFileError("", f"this is no JSON: {error}") from None
    except SeasonFileError:
        raise
    except ValueError:  # Python reads no number of more than 4300 digits
        raise SeasonFileError("", "a number in the file is too long") from None
    except RecursionError:
        raise SeasonFileError("", "lists and objects in the file lie too deep in each other") from None


def _once(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON.

    Raises: SeasonFileError when it has a field twice: one of the two values would be lost.
    """
    found = dict(fields)
    if len(found) < len(fields):
        names = [name for name, _value in fields]
        raise SeasonFileError(next(name for name in names if names.count(name) > 1), "this field is there twice")
    return found
