"""Reads one workbook in a process of its own, with bounded memory and time: `python workbook_process.py MOST_CELLS`.

It reads the file from the standard input and writes its sheets as JSON: {"sheets": [{"name", "rows": [[line, cells]]}]}
or {"error": "password" | "unreadable" | "too large"}. A hostile file can end only this process. It imports nothing of
the service, so it starts quickly.
"""

from __future__ import annotations

import datetime
import io
import json
import resource
import sys
from typing import Any

MEMORY = 900 * 1024**2
SECONDS = 10
MOST_COLUMNS = 480
MOST_SHEETS = 40
MOST_LETTERS = 8_000_000
"""Letters of all cells. A packed file of a few kilobytes may hold the same long text in every cell."""
LONGEST_CELL = 2000


def text_of(value: Any) -> str:
    """Return a cell as text: whole numbers without a point, days as 2026-02-14, times as 0:12:34.5."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return f"{value:.10g}" if abs(value) < 1e15 else ""
    if isinstance(value, datetime.datetime):
        return _moment(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.time):
        return _duration(
            datetime.timedelta(
                hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond
            )
        )
    if isinstance(value, datetime.timedelta):
        return _duration(value)
    return str(value)


def _moment(value: datetime.datetime) -> str:
    """Return a day, or a time: spreadsheets keep a time of more than a day as a moment in January 1900."""
    if value.year < 1901:
        return _duration(value - datetime.datetime(1899, 12, 31))
    return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ")


def _duration(value: datetime.timedelta) -> str:
    thousandths = round(value.total_seconds() * 1000)
    seconds, fraction = divmod(abs(thousandths), 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    tail = f".{fraction:03}".rstrip("0") if fraction else ""
    return f"{'-' if thousandths < 0 else ''}{hours}:{minutes:02}:{seconds:02}{tail}"


def sheets_of(content: bytes, most_cells: int) -> dict[str, Any]:
    """Return the sheets of a workbook as JSON, or what hinders that."""
    from python_calamine import CalamineWorkbook, PasswordError

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    except PasswordError:
        return {"error": "password"}
    sheets = []
    cells = letters = 0
    for name in book.sheet_names[:MOST_SHEETS]:
        sheet = book.get_sheet_by_name(name)
        rows = []
        for at, row in enumerate(sheet.iter_rows()):
            here = [text_of(value)[:LONGEST_CELL] for value in row[:MOST_COLUMNS]]
            while here and not here[-1]:
                here.pop()
            if not here:
                continue
            cells += len(here)
            letters += sum(map(len, here))
            if cells > most_cells or letters > MOST_LETTERS:
                return {"error": "too large"}
            rows.append([at + 1, here])
        sheets.append({"name": name, "rows": rows})
    return {"sheets": sheets}


def main() -> int:
    """Read the standard input within the limits. Returns the exit status."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        said = sheets_of(sys.stdin.buffer.read(), int(sys.argv[1]))
    except BaseException:  # a panic of the library is no Exception
        said = {"error": "unreadable"}
    sys.stdout.write(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())
