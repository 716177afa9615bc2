"""The recording of the demo: what its clubs have driven before a demo begins. `manage.py record_demo` writes it,
`services.seed` plays it.

`recorded/` holds one archive of each club (championship.archive), without the engine records, which a restore does not
read. A file of each game (`DemoRally.recorded`) holds its rallies that are under way: the secrets of their stages, the
starting order, and every post in order, so that the rules draw the same again.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from championship import catalogue
from championship.archive.services.writing import MANIFEST, table_file
from championship.demo.dates import moved
from championship.rallies.models import Rally
from championship.stages.demo_rallies import DEMO

FOLDER = Path(__file__).parent / "recorded"


@dataclass(frozen=True, slots=True)
class Given:
    """One post: the seat's orders, and the salt of the draws, "" from the codriver."""

    seat: str
    orders: Mapping[str, Any]
    salt: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A rally that is under way: the secrets of its stages as hex, the start numbers in starting order, its posts."""

    game: str
    version: str
    secrets: Sequence[str]
    order: Sequence[int]
    posts: Sequence[Given]


def under_way() -> dict[str, Recorded]:
    """Return the recorded rallies that are under way, by name, of all installed games."""
    read = {name: told for file in _files() if file.exists() for name, told in json.loads(file.read_text()).items()}
    return {
        name: Recorded(**{**told, "posts": [Given(*post) for post in told["posts"]]}) for name, told in read.items()
    }


def _files() -> dict[Path, set[str]]:
    """Return the games' files of rallies that are under way, each with the names of its rallies."""
    found: dict[Path, set[str]] = defaultdict(set)
    for game in catalogue.offers(DEMO):
        for rally in DEMO.of(game) or ():
            if rally.recorded is not None:
                found[rally.recorded].add(rally.name)
    return found


def write_under_way(rallies: Mapping[str, Recorded]) -> None:
    """Write the rallies that are under way, given by name, into the files of their games."""
    for file, names in _files().items():
        told = {
            name: asdict(each) | {"posts": [[post.seat, post.orders, post.salt] for post in each.posts]}
            for name, each in rallies.items()
            if name in names
        }
        file.write_text(json.dumps(told, separators=(",", ":")) + "\n")


def file_of(club: str) -> Path:
    """Return the file with the recorded archive of a club of that name."""
    return FOLDER / f"{club.lower().replace(' ', '-')}.zip"


def games_in(club: str) -> set[str]:
    """Return the games of the rallies in the recorded archive of a club."""
    with zipfile.ZipFile(file_of(club)) as archive:
        lines = archive.read(table_file(Rally._meta.label_lower)).splitlines()
    return {json.loads(line)["game"] for line in lines}


def archive_of(club: str, *, now: datetime) -> io.BytesIO:
    """Return the recorded archive of a club as if it was made now or less than a day ago: every day and moment in it
    is moved by the same number of days.
    """
    with zipfile.ZipFile(file_of(club)) as recorded:
        made_at = datetime.fromisoformat(json.loads(recorded.read(MANIFEST))["made_at"])
        days = (now - made_at).days
        return _written({name: moved(recorded.read(name), days) for name in recorded.namelist()}, zipfile.ZIP_STORED)


def keep_archive(club: str, archive: io.BytesIO) -> int:
    """Keep the archive of a club as the recording. Returns its size in bytes."""
    with zipfile.ZipFile(archive) as made:
        names = [name for name in made.namelist() if not name.startswith("records/")]
        kept = _written({name: made.read(name) for name in names}, zipfile.ZIP_DEFLATED)
    return file_of(club).write_bytes(kept.getvalue())


def _written(files: dict[str, bytes], compression: int) -> io.BytesIO:
    """Return a zip of these files, with a manifest that lists no others."""
    manifest = json.loads(files.pop(MANIFEST))
    manifest["files"] = {
        name: {**manifest["files"][name], "bytes": len(inside), "sha256": hashlib.sha256(inside).hexdigest()}
        for name, inside in files.items()
    }
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", compression, compresslevel=9) as written:
        for name, inside in {**files, MANIFEST: json.dumps(manifest, separators=(",", ":")).encode()}.items():
            written.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), inside, compression)
    found.seek(0)
    return found
