"""Reads a list from a file and prints what is understood, as JSON. Nothing is stored."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from championship.lists.found import Choices
from championship.lists.reading import Reading, Unreadable, read
from championship.lists.reading.bounds import MOST_BYTES


def told(reading: Reading) -> dict[str, Any]:
    """Return the sheet, the columns with their roles, and all that was found; what is empty is left out."""
    return {
        **({"sheets": list(reading.sheets), "sheet": reading.sheet} if len(reading.sheets) > 1 else {}),
        **({"titles": list(reading.titles)} if reading.titles else {}),
        "columns": [[column.heading, column.role] for column in reading.columns],
        "found": _plain(reading.found),
    }


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        said = {each.name: getattr(value, each.name) for each in fields(value)}
        return {name: _plain(inner) for name, inner in said.items() if _says(inner)}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value.isoformat() if isinstance(value, date) else value


def _says(value: Any) -> bool:
    """Whether a value says anything: 0 does."""
    return value is not None and value is not False and value not in ("", (), frozenset())


class Command(BaseCommand):
    help = "Reads a list (CSV, text, .xlsx, .ods, JSON) and prints what is understood as JSON. Stores nothing."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--people", action="store_true", help="the list has people only: entries or registrations")
        parser.add_argument("--sheet", type=int, help="the sheet of a workbook, from 0")
        parser.add_argument("--column", action="append", default=[], metavar="INDEX=ROLE", help="what a column is")
        parser.add_argument("--answer", action="append", default=[], metavar="ABOUT=ANSWER", help="answers a question")

    def handle(
        self, *, file: Path, people: bool, sheet: int | None, column: list[str], answer: list[str], **_: Any
    ) -> None:
        columns = dict(each.split("=", 1) for each in column if each.split("=", 1)[0].isdigit() and "=" in each)
        choices = Choices(
            sheet=sheet,
            columns={int(index): role for index, role in columns.items()},
            answers=dict(each.split("=", 1) for each in answer if "=" in each),
        )
        try:
            with file.open("rb") as opened:
                content = opened.read(MOST_BYTES + 1)
            reading = read(content, results=not people, file_name=file.name, choices=choices)
        except (OSError, Unreadable) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(told(reading), ensure_ascii=False, indent=1))
