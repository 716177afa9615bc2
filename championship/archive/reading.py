"""Reads an uploaded archive. Nothing in it is trusted before its manifest and checksums are verified.

Nothing is ever unpacked to a disk, so names in the zip cannot point to other folders. Sizes are checked before any byte
is read.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import datetime
from os import SEEK_END
from typing import IO, Any

from django.utils.translation import gettext as _

from championship.archive.row_upgrades import FIRST, table_name_in, upgrade_row
from championship.archive.rows import KEY
from championship.archive.tables import BY_NAME
from championship.archive.writing import FORMAT, MANIFEST, PEOPLE, README, READY_MADE, VERSION, table_file
from championship.bounded_input import plain_json
from championship.refusals import Refused

MOST_BYTES = 2 * 1024**3
"""The largest size to which an archive may unpack."""
MOST_RATIO = 60
"""The largest ratio of the unpacked size to the size of the file. Our own archives have about a tenth of it."""
ALWAYS_FITS = 16 * 1024**2
"""Bytes to which an archive may unpack whatever its ratio."""
MOST_FILES = 200_000
LONGEST_LINE = 8 * 1024**2
LARGEST_MANIFEST = 64 * 1024**2
NAME = re.compile(r"(tables/[a-z. ]{1,80}\.jsonl|records/[A-Za-z0-9_-]{1,80}\.json|README\.txt|manifest\.json)")
PIECE = 1024 * 1024


class Damaged(Refused):
    """The archive is not as it was written."""

    def __init__(self, where: str) -> None:
        super().__init__(_("This archive is damaged: %(where)s.") % {"where": where}, field="file")


class VerifiedArchive:
    """An archive whose manifest and checksums are verified.

    Raises: Refused (field file) when it cannot be verified; it says what is wrong.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = _opened(file)
        self._names = _checked_names(self._zip, file.seek(0, SEEK_END))
        self.manifest = self._manifest()
        self.files: dict[str, Any] = self.manifest["files"]
        self._check_sums()

    def count(self, table: str) -> int:
        """Return how many rows a table has."""
        listed = self.files.get(self._file_of(table))
        return int(listed["rows"]) if listed else 0

    @property
    def made_at(self) -> datetime:
        """The moment of the data in the archive."""
        return datetime.fromisoformat(self.manifest["made_at"])

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table in order; none when an older archive has no such table.

        Raises: Damaged when a row is no JSON object with an id.
        """
        name = self._file_of(table)
        if name not in self.files:
            return
        with self._zip.open(name) as inside:
            for number in range(1, self.count(table) + 1):
                line = inside.readline(LONGEST_LINE)
                row = _plain(line, f"{name}, {number}")
                if not isinstance(row, dict) or not isinstance(row.get("id"), int) or isinstance(row["id"], bool):
                    raise Damaged(f"{name}, {number}")
                yield upgrade_row(self.manifest["version"], table, row)
            if inside.read(1):
                raise Damaged(name)

    def _file_of(self, table: str) -> str:
        return table_file(table_name_in(self.manifest["version"], table))

    def _manifest(self) -> dict[str, Any]:
        if MANIFEST not in self._names or self._zip.getinfo(MANIFEST).file_size > LARGEST_MANIFEST:
            raise Refused(_("This is not an archive of a club: it has no manifest."), field="file")
        found = _plain(_whole(self._zip, MANIFEST), MANIFEST)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise Refused(_("This is not an archive of a club."), field="file")
        version = found.get("version")
        if isinstance(version, int) and version > VERSION:
            raise newer_version_error()
        if type(version) is not int or version < FIRST or not _well_formed(found):
            raise Damaged(MANIFEST)
        return found

    def _check_sums(self) -> None:
        """Check that the zip holds exactly the files in the manifest, and that their sizes and checksums match."""
        if set(self.files) != self._names - {MANIFEST}:
            odd = sorted(set(self.files) ^ (self._names - {MANIFEST}))
            raise Damaged(_("%(file)s is missing or was added") % {"file": odd[0]})
        known = {self._file_of(name) for name in (*BY_NAME, PEOPLE, READY_MADE)}
        for name, said in self.files.items():
            if name.startswith("tables/") and name not in known:
                raise newer_version_error()
            if self._zip.getinfo(name).file_size != said["bytes"]:
                raise Damaged(_("%(file)s is not what the manifest says") % {"file": name})
        for name, said in self.files.items():
            sha256, size = hashlib.sha256(), 0
            try:
                with self._zip.open(name) as inside:
                    while size <= said["bytes"] and (piece := inside.read(PIECE)):
                        sha256.update(piece)
                        size += len(piece)
            except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
                raise Damaged(name) from error
            if sha256.hexdigest() != said["sha256"] or size != said["bytes"]:
                raise Damaged(_("%(file)s is not what the manifest says") % {"file": name})


def newer_version_error() -> Refused:
    """Return the refusal of an archive that contains something this installation does not know."""
    message = _("A newer version of the service made this archive. Bring this installation up to date first.")
    return Refused(message, field="file")


def _opened(file: IO[bytes]) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError, OverflowError) as error:
        message = _("This is not a complete zip file. Download the archive again.")
        raise Refused(message, field="file") from error


def _checked_names(found: zipfile.ZipFile, packed: int) -> set[str]:
    """Return the names in the zip, whose file has `packed` bytes. The size that the zip declares for a file is the
    limit when it is read.

    Raises: Refused when there are too many files or bytes, or a name that is unknown, a path or a duplicate.
    Raises: Damaged when a file is encrypted or its compression is unknown.
    """
    infos = found.infolist()
    most = min(MOST_BYTES, max(ALWAYS_FITS, MOST_RATIO * packed))
    if len(infos) > MOST_FILES or sum(info.file_size for info in infos) > most:
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


def _whole(found: zipfile.ZipFile, name: str) -> bytes:
    try:
        return found.read(name)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
        raise Damaged(name) from error


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
        moment = datetime.fromisoformat(manifest["made_at"])
    except (KeyError, TypeError, ValueError):
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
    return bool(listed and known and KEY.fullmatch(club["key"]) and moment.tzinfo is not None)
