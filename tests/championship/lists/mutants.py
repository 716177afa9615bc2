"""Lists that are damaged in many ways, made of the files of `test_files.py`: the same for the same seed."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Iterator

from championship.lists.reading import Reading, Unreadable, read
from tests.championship.lists.test_files import LISTS

BITS = (
    *(b"\x00", b"\xff", b"\xfe\xff", b'"', b"'", b";", b",", b"\t", b"|", b"\n", b"\r", b"\r\n\r\n", b"=", b"+", b"-"),
    *(b"<td>", b"<table>", b"</tr>", b"<!--", b"[td]", b"[/table]", b"{", b"[[", b"}", b"\\", b"(", b"@", b"<a@b.c>"),
    *(b"0:00", b"99:99", b"1e9", b"999999999999", b"31.2.2026", b"2/3/04", b"DNF", b"=SUM(A1)", b"%s", b"{0}", b"sep="),
    *("é".encode("cp1252"), "ł".encode(), "\u202e".encode(), "e\u0301".encode(), "😀".encode(), b"\xed\xa0\x80"),
    *(b" " * 50, b";" * 200, b"a" * 500, b"9" * 60, b"((((((((((", b"1 1 1 1 1 1 1 1 1 1"),
)


def mutants(number: int, *, seed: int, workbooks: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield damaged lists with the names of the files that they are made of."""
    chance = random.Random(seed)
    packed = (".xlsx", ".xls", ".ods")
    files = [(path.name, path.read_bytes()) for path in LISTS if path.name.endswith(packed) == workbooks]
    for _ in range(number):
        name, content = chance.choice(files)
        damages = chance.choice((1, 1, 2, 3, 8))
        if content.startswith(b"PK") and chance.random() < 0.8:
            content = _repacked(content, chance, damages)
        else:
            for _ in range(damages):
                content = _damaged(content, chance, chance.choice(files)[1])
        yield name, content


def _repacked(content: bytes, chance: random.Random, damages: int) -> bytes:
    """Return a workbook with damages in the parts that are packed in it; the packing itself is sound."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        parts = {each.filename: packed.read(each) for each in packed.infolist()}
    sheets = [name for name in parts if "sheet" in name.lower() or name == "content.xml"]
    for _ in range(damages):
        name = chance.choice(sheets if chance.random() < 0.7 else list(parts))
        parts[name] = _damaged(parts[name], chance, chance.choice(list(parts.values())))
    if chance.random() < 0.05:
        del parts[chance.choice(list(parts))]
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as target:
        for name, part in parts.items():
            target.writestr(name, part)
    return written.getvalue()


def _damaged(content: bytes, chance: random.Random, other: bytes) -> bytes:
    at = chance.randrange(len(content) + 1)
    to = min(len(content), at + chance.choice((1, 1, 2, 5, 20, 200)))
    kind = chance.randrange(8)
    if kind == 0:
        return content[:at]
    if kind == 1:
        return content[:at] + content[to:]
    if kind == 2:
        return content[:at] + content[at:to] * chance.choice((2, 3, 40)) + content[to:]
    if kind == 3:
        return content[:at] + other[chance.randrange(len(other) + 1) :]
    if kind == 4:
        return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
    if kind == 5:
        lines = content.split(b"\n")
        chance.shuffle(lines)
        return b"\n".join(lines)
    return content[:at] + chance.choice(BITS) + content[at if kind == 6 else to :]


def outcome(name: str, content: bytes, *, results: bool) -> Reading | None:
    """Return what is read; None for what is refused. Anything else is an error of the reader."""
    try:
        return read(content, results=results, file_name=name)
    except Unreadable as refusal:
        assert str(refusal)
        return None
