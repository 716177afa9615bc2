"""How much of an archive is read: bytes, files, rows and values. So a worker restores any archive in little memory.

A value of JSON takes up to some forty times the memory of its text. So lines are bounded by their number of values as
well as by their bytes, before they are parsed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Self

MOST_BYTES = 2 * 1024**3
"""The largest size to which an archive may unpack."""
MOST_RATIO = 60
"""The largest ratio of the unpacked size to the size of the file. Our own archives have about a tenth of it."""
ALWAYS_FITS = 16 * 1024**2
"""Bytes to which an archive may unpack whatever its ratio."""
HIGHEST_ID = 2**63
MEGABYTE = 1024**2


class ReadTooLarge(ValueError):
    """More bytes were to be read at once than the bound allows."""


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a JSON text: its length in bytes, and an upper bound of the number of values in it."""

    length: int = 0
    values: int = 0

    @classmethod
    def of(cls, text: bytes) -> Self:
        return cls(len(text), text.count(b",") + text.count(b"[") + text.count(b"{") + 1)

    def __add__(self, other: Size) -> Size:
        return Size(self.length + other.length, self.values + other.values)

    def exceeds(self, other: Size) -> bool:
        """Return whether it has more bytes or more values."""
        return self.length > other.length or self.values > other.values


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of one archive. `rows`: of some tables, by name; `all_rows`: of all tables together.

    `directory_bytes`: of the list of files at the end of the zip. `run`: of all events of one run, which the page of
    its replay reads at once; None for no bound.
    """

    files: int
    directory_bytes: int
    manifest_bytes: int
    manifest_values: int
    line_bytes: int
    line_values: int
    all_rows: int
    rows: Mapping[str, int] = field(default_factory=dict)
    run: Size | None = None

    def rows_of(self, table: str) -> int:
        """Return the most rows of a table."""
        return self.rows.get(table, self.all_rows)


FROM_ANYBODY = Bounds(
    files=25_000,
    directory_bytes=2 * MEGABYTE,
    manifest_bytes=4 * MEGABYTE,
    manifest_values=120_000,
    line_bytes=MEGABYTE,
    line_values=30_000,
    all_rows=1_000_000,
    rows={
        "clubs.club": 1,
        "people": 20_000,
        "ready made stages": 5_000,
        "rallies.rally": 10_000,
        "rallies.specialstage": 50_000,
        "runs.run": 50_000,
    },
    run=Size(4 * MEGABYTE, 300_000),
)
"""For an archive that may be a stranger's. The longest lines of the games here have some 40 kB and 3,000 values. A file
in the manifest has four values; of records, an archive contains those of the latest runs (writing.py).
"""
OF_THE_OPERATOR = Bounds(
    files=200_000,
    directory_bytes=32 * MEGABYTE,
    manifest_bytes=64 * MEGABYTE,
    manifest_values=2_000_000,
    line_bytes=8 * MEGABYTE,
    line_values=1_000_000,
    all_rows=50_000_000,
)
"""For an archive that the operator vouches for, on the command line."""
BATCH = Size(256 * 1024, 20_000)
"""Rows are written together until they have this size."""
MOST_RECORDS = 20_000
"""The most records of runs that an archive contains beside its tables, so that its manifest can be read again."""


class BoundedReads:
    """A file for `zipfile`, which reads the list of files at once. A read of more than `most` bytes raises
    ReadTooLarge.
    """

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file, self._most = file, most
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        found = self._file.read(self._most + 1 if size < 0 else min(size, self._most + 1))
        if len(found) > self._most:
            raise ReadTooLarge
        return found

    def seekable(self) -> bool:
        return True
