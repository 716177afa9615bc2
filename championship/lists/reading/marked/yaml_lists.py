"""Records as people write them in YAML: lines of "key: value", indented, with a dash before each record.

Only what such lists need is read: blocks of keys and of dashes, {short: records}, texts and figures. Anchors, texts
over several lines and types are not.
"""

from __future__ import annotations

import json
import re
from typing import Any

MOST_LINES = 20_000
MOST_LETTERS = 400_000
_KEY = re.compile(r"(\"[^\"]{1,60}\"|'[^']{1,60}'|[^\W\d][\w ./-]{0,59}?)[ ]*:(?:[ ]+(.*))?")
_DASH = re.compile(r"-(?:[ ]+(.*))?")
Line = tuple[int, str]


class _NoYaml(ValueError):
    pass


def records_of(text: str) -> Any:
    """Return the lists and objects of such a text, None when it is none, or has no record."""
    cards = _cards(text)
    if cards:
        return cards
    if not re.search(r"^[ ]*-[ ]+(?:\{|[^\W\d][\w ]{0,40}:[ ])", text[:100_000], re.MULTILINE):
        return None
    lines: list[Line] = []
    for line in text.replace("\t", "    ").split("\n", MOST_LINES):
        bare = re.sub(r"(?:^|[ ])#[ ].*$", "", line).rstrip()
        if bare.strip() and bare.strip() not in ("---", "..."):
            lines.append((len(bare) - len(bare.lstrip()), bare.strip()))
    try:
        found, rest = _block(lines, 0, 0)
    except _NoYaml:
        return None
    return found if rest == len(lines) and isinstance(found, list | dict) else None


def _cards(text: str) -> list[dict[str, str]]:
    """Return records that blank lines keep apart, each line "key: value" and all with the same first key; [] for any
    other text.
    """
    blocks = [block.strip().split("\n") for block in re.split(r"\n[ ]*\n", text[:MOST_LETTERS].strip())]
    found = [[_KEY.fullmatch(line.strip()) for line in block] for block in blocks]
    if len(found) < 2 or not all(len(block) > 1 and all(block) for block in found):
        return []
    cards = [{key.group(1): key.group(2) or "" for key in block if key} for block in found]
    firsts = {next(iter(card)).casefold() for card in cards}
    return cards if len(firsts) == 1 and len({len(card) for card in cards}) <= 3 else []


def _block(lines: list[Line], at: int, depth: int) -> tuple[Any, int]:
    """Return the value that begins at a line, and the line behind it."""
    if depth > 12 or at >= len(lines):
        raise _NoYaml
    indent, line = lines[at]
    return _dashes(lines, at, indent, depth) if _DASH.fullmatch(line) else _keys(lines, at, indent, depth)


def _dashes(lines: list[Line], at: int, indent: int, depth: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    while at < len(lines) and lines[at][0] == indent and (dash := _DASH.fullmatch(lines[at][1])):
        rest = dash.group(1)
        if not rest:
            value, at = _block(lines, at + 1, depth + 1)
        elif not rest.startswith(("{", "[", '"', "'")) and _KEY.fullmatch(rest):
            inner = indent + len(lines[at][1]) - len(rest)
            lines[at] = (inner, rest)
            value, at = _keys(lines, at, inner, depth + 1)
        else:
            value, at = _value(rest), at + 1
        found.append(value)
    return found, at


def _keys(lines: list[Line], at: int, indent: int, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    while at < len(lines) and lines[at][0] == indent and not _DASH.fullmatch(lines[at][1]):
        key = _KEY.fullmatch(lines[at][1])
        if not key:
            raise _NoYaml
        name, said = key.group(1).strip("\"'"), key.group(2)
        if said:
            found[name], at = _value(said), at + 1
            continue
        at += 1
        deeper = at < len(lines) and (
            lines[at][0] > indent or (lines[at][0] == indent and bool(_DASH.fullmatch(lines[at][1])))
        )
        found[name], at = _block(lines, at, depth + 1) if deeper else ("", at)
    if at < len(lines) and lines[at][0] > indent:
        raise _NoYaml
    return found, at


def _value(said: str) -> Any:
    if said.startswith(("{", "[")):
        return _short(said)
    if said[0] in "\"'" and said[-1] == said[0] and len(said) > 1:
        return said[1:-1]
    return "" if said in ("~", "null") else said


def _short(said: str) -> Any:
    """Return {place: 1, driver: Ana} or [1, 2] on one line."""
    try:
        return json.loads(said)
    except ValueError:
        pass
    inner, closing = said[1:-1], {"{": "}", "[": "]"}[said[0]]
    if said[-1] != closing or re.search(r"[{}\[\]]", inner):
        raise _NoYaml
    parts = [part.strip() for part in re.findall(r"(?:\"[^\"]*\"|'[^']*'|[^,])+", inner)]
    if said[0] == "[":
        return [_value(part) for part in parts if part]
    keys = [_KEY.fullmatch(part) for part in parts if part]
    if not all(keys):
        raise _NoYaml
    return {key.group(1).strip("\"'"): _value(key.group(2)) if key.group(2) else "" for key in keys if key}
