"""Archives that are made to take memory, and a process that restores each of them and measures its own peak.

`python -m tests.championship.archive.bombs OWNER FILE...` prints a line of JSON for each file: its outcome, and the
peak of its process in MiB, interpreter and Django included. DATABASE names the database, as JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

MEGABYTE = 1024**2
CLUBS = "tables/clubs.club.jsonl"
RECORDS = "tables/audit.record.jsonl"
EVENTS = "tables/runs.event.jsonl"


class Bomb:
    """Writes an archive of these files to `path`. Its manifest matches them."""

    def __init__(self, path: Path, files: dict[str, bytes]) -> None:
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        self.manifest = json.loads(files["manifest.json"])
        self.manifest["files"] = {}
        key = hashlib.sha256(path.stem.encode()).hexdigest()[:12]  # a club of its own: two of them are restored
        self.manifest["club"]["key"] = key
        club = json.loads(files[CLUBS]) | {"key": key}
        files = {**files, CLUBS: json.dumps(club).encode() + b"\n"}
        self.files = {name: content for name, content in files.items() if name != "manifest.json"}

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        self.files.pop(name, None)
        sha256, size, rows = hashlib.sha256(), 0, 0
        with self.zip.open(name, "w", force_zip64=True) as inside:
            for piece in pieces:
                inside.write(piece)
                sha256.update(piece)
                size, rows = size + len(piece), rows + piece.count(b"\n")
        self.manifest["files"][name] = {"rows": rows, "bytes": size, "sha256": sha256.hexdigest()}

    def close(self, manifest: bytes | None = None) -> None:
        """Write the other files, and the manifest."""
        for name, content in list(self.files.items()):
            self.write(name, [content])
        self.write("records/noise.json", [random.Random(7).randbytes(3 * MEGABYTE)])
        self.zip.writestr("manifest.json", json.dumps(self.manifest) if manifest is None else manifest)
        self.zip.close()


def _rows_like(table: bytes, count: int, **columns: str) -> Iterator[bytes]:
    """Yield a table's rows, and `count` more like the last one in which the columns are these JSON texts."""
    yield table
    last = json.loads(table.splitlines()[-1])
    for number in range(1, count + 1):
        row = last | {"id": last["id"] + number} | dict.fromkeys(columns, 0)
        fields = (f"{json.dumps(name)}:{columns.get(name) or json.dumps(value)}" for name, value in row.items())
        yield ("{" + ",".join(fields) + "}\n").encode()


def _lists(count: int) -> str:
    return "[" + ",".join(["[]"] * count) + "]"


def write_all(folder: Path, files: dict[str, bytes]) -> dict[str, Path]:
    """Write every bomb made of the files of an archive, and return their paths by name."""
    made: dict[str, Path] = {}

    def bomb(name: str) -> Bomb:
        made[name] = folder / f"{name.replace(' ', '_')}.zip"
        return Bomb(made[name], files)

    bomb("manifest of 60 MiB").close(b'{"files":[' + b"[]," * (20 * MEGABYTE) + b"[]]}")
    bomb("manifest of 4 MiB").close(b'{"files":[' + b"[]," * (MEGABYTE * 4 // 3 - 9) + b"[]]}")
    made["manifest of which the zip says less"] = _understated(folder, bomb("manifest that is larger"))
    for name, line in (
        ("lines of 8 MiB", '{"a":' + _lists(8 * MEGABYTE // 3 - 400) + "}"),
        ("lines of 1 MiB", '{"a":' + _lists(MEGABYTE // 3 - 400) + "}"),
        ("lines that are allowed", '{"a":' + _lists(14_000) + "}"),
        ("texts that are allowed", '{"a":["' + "x" * (MEGABYTE - 2000) + '"]}'),
        ("nested", '{"a":' + "[" * 100_000 + "]" * 100_000 + "}"),
    ):
        long = bomb(name)
        long.write(RECORDS, _rows_like(files[RECORDS], 12 if "8 MiB" in name else 100, details=line))
        long.close()
    events = bomb("one run with many events")
    events.write(EVENTS, _rows_like(files[EVENTS], 100, data='{"kind":"x","a":' + _lists(9_000) + "}"))
    events.close()
    tiny = bomb("many tiny files")
    for number in range(120_000):
        tiny.zip.writestr(f"records/{number}.json", b"")
    tiny.close()
    inner = bomb("zip of zips")
    inner.write("records/a.zip", [made["many tiny files"].read_bytes()])
    inner.close()
    blank = bomb("blanks")
    blank.write("tables/rallies.rally.jsonl", [b" " * MEGABYTE] * 300)
    blank.close()
    return made


def _understated(folder: Path, large: Bomb) -> Path:
    """Write an archive whose zip says that its manifest has 1 kB. It has 96 MiB."""
    large.close(b"[]," * (32 * MEGABYTE))
    path = folder / "understated.zip"
    real, said = (96 * MEGABYTE).to_bytes(4, "little"), (1024).to_bytes(4, "little")
    content = (folder / "manifest_that_is_larger.zip").read_bytes()
    assert real in content
    path.write_bytes(content.replace(real, said))
    return path


def _peak() -> float:
    """Return the highest memory that this process has had, in MiB."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def _restored(owner: str, path: str) -> str:
    from championship.accounts.models import User
    from championship.archive.services.restoring import restore_club
    from championship.platform.refusals import Refused

    try:
        with Path(path).open("rb") as file:
            return f"restored: {restore_club(by=None, file=file, owner=User.objects.get(email=owner))}"
    except Refused as refusal:
        return str(refusal)


def main(owner: str, *paths: str) -> None:
    import django
    from django.conf import settings

    settings.DATABASES["default"].update(json.loads(os.environ["DATABASE"]))
    django.setup()
    for path in paths:
        sys.stdout.flush()
        child = os.fork()
        if not child:
            begun = _peak()
            outcome = _restored(owner, path)
            print(
                json.dumps({"file": Path(path).name, "begun": begun, "peak": _peak(), "outcome": outcome}), flush=True
            )
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
