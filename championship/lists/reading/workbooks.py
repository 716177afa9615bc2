"""Workbooks: .xlsx, .xls and .ods. A process of its own reads them (workbook_process.py), in bounds."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

from django.utils.translation import gettext as _

from championship.lists.reading.bounds import MOST_CELLS, MOST_SHEETS, MOST_UNPACKED, Unreadable, too_large
from championship.lists.reading.sources import ListSheet, Source, sheet_of

SECONDS = 20
"""How long a workbook may take to be read."""
SECONDS_BEFORE = 8
"""How long it may wait for another one."""
ONE_AT_A_TIME = Lock()
"""Held while a workbook is read. A hostile one may take 900 MB, and a web process answers many requests at once."""
PROCESS = Path(__file__).with_name("workbook_process.py")
MOST_OUTPUT = 64 * 1024**2
ZIP, COMPOUND = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def is_workbook(content: bytes) -> bool:
    """Whether these bytes are a workbook, or another file that is packed like one."""
    return content.startswith((ZIP, COMPOUND))


def workbook(content: bytes) -> Source:
    """Return the sheets of a workbook that have anything in them.

    Raises: Unreadable when it is damaged, protected by a password, too large, or no workbook.
    """
    if content.startswith(ZIP):
        _check_zip(content)
    said = _read_apart(content)
    error = said.get("error")
    if error == "password":
        raise Unreadable(_("This workbook is protected by a password. Save it without one."))
    if error == "too large":
        raise too_large()
    if error or not isinstance(said.get("sheets"), list):
        raise Unreadable(_("This workbook cannot be read. Save it as .xlsx, .ods or CSV, or paste its lines."))
    sheets = tuple(sheet for sheet in _sheets(said) if sheet.rows)
    if not sheets:
        raise Unreadable(_("This workbook is empty."))
    return Source(sheets)


def _sheets(said: dict[str, object]) -> Iterator[ListSheet]:
    sheets = said["sheets"]
    assert isinstance(sheets, list)
    for each in sheets[:MOST_SHEETS]:
        yield sheet_of(str(each["name"])[:80], ((line, cells) for line, cells in each["rows"]))


def _check_zip(content: bytes) -> None:
    """Refuse a workbook that would unpack to too much, and a file that is packed and no workbook."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            entries = packed.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, UnicodeDecodeError, OverflowError) as error:
        raise Unreadable(_("This file is damaged: it cannot be unpacked.")) from error
    if len(entries) > 2000 or sum(each.file_size for each in entries) > MOST_UNPACKED:
        raise too_large()
    names = {each.filename for each in entries}
    if not names & {"xl/workbook.xml", "xl/workbook.bin", "content.xml"}:
        numbers = any(name.startswith("Index/") for name in names)
        says = (
            _("This is a document of Numbers. Export it as CSV or Excel first.")
            if numbers
            else _("This packed file is no workbook. Bring the list itself, as .xlsx, .ods or CSV.")
        )
        raise Unreadable(says)


def _read_apart(content: bytes) -> dict[str, object]:
    if not ONE_AT_A_TIME.acquire(timeout=SECONDS_BEFORE):
        raise Unreadable(_("Too many requests in a short time. Wait a few minutes and try again."))
    try:
        return _read_in_process(content)
    finally:
        ONE_AT_A_TIME.release()


def _read_in_process(content: bytes) -> dict[str, object]:
    paths = os.pathsep.join(path for path in sys.path if path)
    try:
        done = subprocess.run(  # noqa: S603 its arguments are our own
            [sys.executable, "-P", str(PROCESS), str(MOST_CELLS)],
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
            env={"PYTHONPATH": paths, "PATH": os.environ.get("PATH", ""), "PYTHONDONTWRITEBYTECODE": "1"},
        )
    except subprocess.TimeoutExpired:
        return {"error": "unreadable"}
    if done.returncode != 0 or len(done.stdout) > MOST_OUTPUT:
        return {"error": "unreadable"}
    try:
        said = json.loads(done.stdout)
    except ValueError:
        return {"error": "unreadable"}
    return said if isinstance(said, dict) else {"error": "unreadable"}
