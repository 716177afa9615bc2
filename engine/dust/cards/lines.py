"""The line numbers of the values in a TOML text, which `tomllib` does not report."""

from __future__ import annotations

import re

Path = tuple[str | int, ...]

_HEADER = re.compile(r"\[\[?\s*([^\]]+?)\s*\]\]?")
_KEY = re.compile(r"""\s*("[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+)(\s*\.\s*("[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+))*\s*=""")
_PART = re.compile(r"""\s*("[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+)\s*\.?""")
_BLANKS = re.compile(r"(?:\s|#[^\n]*)*")
_STRING = re.compile(r'"""(?:\\.|[^\\])*?"""|' + r"'''.*?'''|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'", re.DOTALL)
_BARE = re.compile(r"[^,\]}\n#]*")


def lines(text: str) -> dict[Path, int]:
    """Return the line, counted from 1, of every table, key and array element of a valid TOML text."""
    return _Scan(text).run()


class _Scan:
    """A single pass over a TOML text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.counted = 0
        self.line = 1
        self.found: dict[Path, int] = {}
        self.tables: dict[Path, int] = {}

    def run(self) -> dict[Path, int]:
        table: Path = ()
        self.blanks()
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.pair(table)
            self.blanks()
        return self.found

    def here(self) -> int:
        self.line += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        return self.line

    def blanks(self) -> None:
        match = _BLANKS.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def note(self, path: Path) -> None:
        self.found.setdefault(path, self.here())

    def header(self) -> Path:
        """Read the header of a table and return its path. In an array of tables the index is part of the path."""
        match = _HEADER.match(self.text, self.at)
        if match is None:
            self.at = len(self.text)
            return ()
        names = _parts(match[1])
        path: Path = ()
        for name in names[:-1]:
            path = (*path, name)
            if path in self.tables:
                path = (*path, self.tables[path])
        path = (*path, names[-1])
        if match[0].startswith("[["):
            self.tables[path] = self.tables.get(path, -1) + 1
            path = (*path, self.tables[path])
        self.note(path)
        self.at = match.end()
        return path

    def pair(self, table: Path) -> None:
        match = _KEY.match(self.text, self.at)
        if match is None:
            self.at = len(self.text)
            return
        path = (*table, *_parts(match[0].rstrip()[:-1]))
        self.note(path)
        self.at = match.end()
        self.value(path)

    def value(self, path: Path) -> None:
        self.blanks()
        opening = self.text[self.at : self.at + 1]
        if opening == "[":
            self.inside(path, "]")
        elif opening == "{":
            self.inside(path, "}")
        else:
            match = _STRING.match(self.text, self.at) or _BARE.match(self.text, self.at)
            self.at = match.end() if match else len(self.text)

    def inside(self, path: Path, end: str) -> None:
        """Read the elements of an array or an inline table."""
        self.at += 1
        place = 0
        self.blanks()
        while self.at < len(self.text) and self.text[self.at] != end:
            if end == "}":
                self.pair(path)
            else:
                self.note((*path, place))
                self.value((*path, place))
                place += 1
            self.blanks()
            if self.text[self.at : self.at + 1] == ",":
                self.at += 1
                self.blanks()
        self.at += 1


def _parts(dotted: str) -> list[str]:
    return [match[1].strip("\"'") for match in _PART.finditer(dotted)]
