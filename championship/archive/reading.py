"""Reads an archive. Nothing in it is trusted before its manifest and checksums are verified.

Nothing is ever unpacked to a disk, so names in the zip cannot point to other folders. Sizes are checked before any byte
is read (bounds.py).
"""

from __future__ import annotations

import hashlib
import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import datetime
from os import SEEK_END
from typing import IO, Any, cast

from django.utils.translation import gettext as _

from championship.archive.bounds import (
    ALWAYS_FITS,
    FROM_ANYBODY,
    HIGHEST_ID,
    MOST_BYTES,
    MOST_RATIO,
    BoundedReads,
    Bounds,
    ReadTooLarge,
    Size,
)
from championship.archive.row_upgrades import FIRST, table_name_in, upgrade_row
from championship.archive.rows import KEY, readable_moment
from championship.archive.services.writing import (
    FORMAT,
    MANIFEST,
    PEOPLE,
    README,
    READY_MADE,
    VERSION,
    table_file,
)
from championship.archive.tables import BY_NAME
from championship.platform import clock
from championship.platform.bounded_input import plain_json
from championship.platform.refusals import Refused

NAME = re.compile(r"(tables/[a-z. ]{1,80}\.jsonl|records/[A-Za-z0-9_-]{1,80}\.json|README\.txt|manifest\.json)")
PIECE = 1024 * 1024
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ReadTooLarge)


class Damaged(Refused):
    """The archive is not as it was written."""

    def __init__(self, where: str) -> None:
        super().__init__(_("This archive is damaged: %(where)s.") % {"where": where}, field="file")


class VerifiedArchive:
    """An archive whose manifest and checksums are verified. `bounds`: how much of it is read.

    Raises: Refused (field file) when it cannot be verified; it says what is wrong.
    """

    def __init__(self, file: IO[bytes], bounds: Bounds = FROM_ANYBODY) -> None:
        self.bounds = bounds
        self._zip = _opened(file, bounds)
        self._names = _checked_names(self._zip, file.seek(0, SEEK_END), bounds)
        self.manifest = self._manifest()
        self.files: dict[str, Any] = self.manifest["files"]
        self._check_sums()
        self._forget_records()

    def count(self, table: str) -> int:
        """Return how many rows a table has."""
        listed = self.files.get(self._file_of(table))
        return int(listed["rows"]) if listed else 0

    @property
    def made_at(self) -> datetime:
        """The moment of the data in the archive, in UTC. It is not in the future."""
        return readable_moment(self.manifest["made_at"])

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table in order; none when an older archive has no such table.

        Raises: Damaged when a row is no JSON object with an id, is too large, or has an id that is not greater than
            the one before.
        """
        return (row for row, _size in self.rows_with_sizes(table))

    def rows_with_sizes(self, table: str) -> Iterator[tuple[dict[str, Any], Size]]:
        """Yield the same rows, each with the size of its line."""
        name = self._file_of(table)
        if name not in self.files:
            return
        before = 0
        with self._zip.open(name) as inside:
            for number in range(1, self.count(table) + 1):
                line = inside.readline(self.bounds.line_bytes)
                size = Size.of(line)
                if size.values > self.bounds.line_values:
                    raise Damaged(f"{name}, {number}")
                row = _plain(line, f"{name}, {number}")
                if not isinstance(row, dict) or type(row.get("id")) is not int:
                    raise Damaged(f"{name}, {number}")
                if not before < row["id"] < HIGHEST_ID:
                    raise Damaged(f"{name}, {number}, id")
                before = row["id"]
                yield upgrade_row(self.manifest["version"], table, row), size
            if inside.read(1):
                raise Damaged(name)

    def _file_of(self, table: str) -> str:
        return table_file(table_name_in(self.manifest["version"], table))

    def _manifest(self) -> dict[str, Any]:
        if MANIFEST not in self._names:
            raise Refused(_("This is not an archive of a club: it has no manifest."), field="file")
        if self._zip.getinfo(MANIFEST).file_size > self.bounds.manifest_bytes:
            raise _too_large()
        text = _beginning(self._zip, MANIFEST, self.bounds.manifest_bytes)
        if Size.of(text).values > self.bounds.manifest_values:
            raise _too_large()
        found = _plain(text, MANIFEST)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise Refused(_("This is not an archive of a club."), field="file")
        version = found.get("version")
        if isinstance(version, int) and version > VERSION:
            raise newer_version_error()
        if type(version) is not int or version < FIRST or not _well_formed(found):
            raise Damaged(MANIFEST)
        if readable_moment(found["made_at"]) > clock.now():
            message = _("This archive was made in the future, by its own account. Compare the clocks of both servers.")
            raise Refused(message, field="file")
        return found

    def _forget_records(self) -> None:
        """Free the memory of what is only checked: the names, sizes and checksums of all files that are no tables."""
        self.files = self.manifest["files"] = {n: said for n, said in self.files.items() if n.startswith("tables/")}
        for name in self._names - self.files.keys():
            del self._zip.NameToInfo[name]
        self._zip.filelist.clear()
        self._names.clear()

    def _check_sums(self) -> None:
        """Check that the zip holds exactly the files in the manifest, and that their sizes and checksums match."""
        if set(self.files) != self._names - {MANIFEST}:
            odd = sorted(set(self.files) ^ (self._names - {MANIFEST}))
            raise Damaged(_("%(file)s is missing or was added") % {"file": odd[0]})
        if sum(said["rows"] for name, said in self.files.items() if name.startswith("tables/")) > self.bounds.all_rows:
            raise _too_large()
        tables = {self._file_of(name): name for name in (*BY_NAME, PEOPLE, READY_MADE)}
        for name, said in self.files.items():
            if name.startswith("tables/") and name not in tables:
                raise newer_version_error()
            if name in tables and said["rows"] > self.bounds.rows_of(tables[name]):
                raise Damaged(_("%(file)s holds too many rows") % {"file": name})
            if self._zip.getinfo(name).file_size != said["bytes"]:
                raise Damaged(_("%(file)s is not what the manifest says") % {"file": name})
        for name, said in self.files.items():
            sha256, size = hashlib.sha256(), 0
            try:
                with self._zip.open(name) as inside:
                    while size <= said["bytes"] and (piece := inside.read(PIECE)):
                        sha256.update(piece)
                        size += len(piece)
            except UNREADABLE as error:
                raise Damaged(name) from error
            if sha256.hexdigest() != said["sha256"] or size != said["bytes"]:
                raise Damaged(_("%(file)s is not what the manifest says") % {"file": name})


def newer_version_error() -> Refused:
    """Return the refusal of an archive that contains something this installation does not know."""
    message = _("A newer version of the service made this archive. Bring this installation up to date first.")
    return Refused(message, field="file")


def _opened(file: IO[bytes], bounds: Bounds) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(cast("IO[bytes]", BoundedReads(file, bounds.directory_bytes)))
    except ReadTooLarge as error:
        raise _too_large() from error
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError, OverflowError) as error:
        message = _("This is not a complete zip file. Download the archive again.")
        raise Refused(message, field="file") from error


def _too_large() -> Refused:
    message = _(
        "This archive is too large to be read here. If it is your own, restore it with the command on the server."
    )
    return Refused(message, field="file")


def _checked_names(found: zipfile.ZipFile, packed: int, bounds: Bounds) -> set[str]:
    """Return the names in the zip, whose file has `packed` bytes. The size that the zip declares for a file is the
    limit when it is read.

    Raises: Refused when there are too many files or bytes, or a name that is unknown, a path or a duplicate.
    Raises: Damaged when a file is encrypted or its compression is unknown.
    """
    infos = found.infolist()
    most = min(MOST_BYTES, max(ALWAYS_FITS, MOST_RATIO * packed))
    if len(infos) > bounds.files or sum(info.file_size for info in infos) > most:
        raise Refused(_("This archive is too large when it is unpacked."), field="file")
    names: set[str] = set()
    for info in infos:
        if not NAME.fullmatch(info.filename) or info.filename in names:
            raise Refused(
                _("This is not an archive of a club: it contains a file that does not belong in one."), field="file"
            )
        if info.flag_bits & 0x1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Damaged(info.filename)
        names.add(info.filename)
    return names


def _beginning(found: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return up to `most` bytes of a file in the zip, in pieces: the size that the zip declares may be wrong."""
    text = bytearray()
    try:
        with found.open(name) as inside:
            while len(text) < most and (piece := inside.read(min(PIECE, most - len(text)))):
                text += piece
    except UNREADABLE as error:
        raise Damaged(name) from error
    return bytes(text)


def _plain(text: bytes, where: str) -> Any:
    try:
        return plain_json(text)
    except ValueError as error:
        raise Damaged(where) from error


def _well_formed(manifest: dict[str, Any]) -> bool:
    """Return whether the manifest has all its parts with the right types."""
    files, club = manifest.get("files"), manifest.get("club")
    if not isinstance(files, dict) or not isinstance(club, dict):
        return False
    try:
        readable_moment(manifest["made_at"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return False
    texts = (club.get("name"), club.get("key"))
    listed = all(
        isinstance(said, dict)
        and isinstance(said.get("sha256"), str)
        and all(type(said.get(name)) is int for name in ("rows", "bytes"))
        and 0 <= said["rows"] <= said["bytes"] <= MOST_BYTES
        for said in files.values()
    )
    known = README in files and all(isinstance(text, str) for text in texts)
    return bool(listed and known and KEY.fullmatch(club["key"]))
