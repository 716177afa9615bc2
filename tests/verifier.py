"""Verifies records. Written from docs/records.md alone: it imports nothing of this project and knows no game.

python tests/verifier.py RECORD.json [PROMISE [PHRASES]]
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def text_in_json(text: str) -> str:
    """Return the text as a JSON string, escaped by UTF-16 code units as docs/records.md says."""
    units = text.encode("utf-16-be", "surrogatepass")
    escaped = ""
    for high, low in zip(units[::2], units[1::2], strict=True):
        unit = high << 8 | low
        letter = chr(unit)
        escaped += ESCAPES.get(letter) or (letter if 0x20 <= unit <= 0x7E else f"\\u{unit:04x}")
    return f'"{escaped}"'


def json_bytes(value: Any) -> bytes:
    """Return texts, integers and lists as the JSON that docs/records.md describes."""
    if isinstance(value, str):
        return text_in_json(value).encode()
    if isinstance(value, list):
        return b"[" + b",".join(map(json_bytes, value)) + b"]"
    return str(value).encode()


def mac(key: bytes, message: bytes) -> bytes:
    """Return the HMAC-SHA-256."""
    return hmac.new(key, message, hashlib.sha256).digest()


def drawn(key: bytes, words: Sequence[Any], ends: int) -> int:
    """Return the random number of a draw, from 0 to `ends` - 1."""
    top = 2**256 - 2**256 % ends
    attempt = 0
    while True:
        number = int.from_bytes(mac(key, json_bytes([*words, attempt])), "big")
        if number < top:
            return number % ends
        attempt += 1


def first_wrong(record: Mapping[str, Any], promise: str = "", phrases: str = "") -> str:
    """Return the number of the first check that fails, for check 7 with turn and draw. Return "" when all hold."""
    chance = record["chance"]
    seal = bytes.fromhex(chance["seal"])
    if promise and chance["promise"] != promise:
        return "1"
    if hashlib.sha256(seal).hexdigest() != chance["promise"]:
        return "2"
    if phrases and chance["phrases_sha256"] != phrases:
        return "3"
    if hashlib.sha256(json_bytes(chance["phrases"])).hexdigest() != chance["phrases_sha256"]:
        return "4"
    if mac(seal, f"run {chance['run']}".encode()).hex() != chance["secret"]:
        return "5"
    if "common" in chance and mac(seal, b"common").hex() != chance["common"]:
        return "6"
    return _first_wrong_draw(record["turns"], chance)


def _first_wrong_draw(turns: Sequence[Mapping[str, Any]], chance: Mapping[str, Any]) -> str:
    own, common = (bytes.fromhex(chance.get(name, "")) for name in ("secret", "common"))
    published, counter = chance["phrases_sha256"], 0
    for number, turn in enumerate(turns, 1):
        for place, draw in enumerate(turn["draws"], 1):
            words = {
                "run": ["run", published, turn["salt"], draw["what"], counter],
                "seat": ["seat", published, turn["salt"], draw["what"]],
                "stage": ["stage", published, draw["what"]],
            }[draw["by"]]
            if drawn(common if draw["by"] == "stage" else own, words, draw["ends"]) != draw["number"]:
                return f"7, turn {number}, draw {place}"
            counter += draw["by"] == "run"
    return ""


def first_wrong_of_format_1(record: Mapping[str, Any]) -> str:
    """Check a record of format 1. Without the rules of the game only its commitment can be checked."""
    chance = record["chance"]
    holds = hashlib.sha256(bytes.fromhex(chance["secret"])).hexdigest() == chance["commitment"]
    return "" if holds else "commitment"


if __name__ == "__main__":
    document = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    wrong = first_wrong_of_format_1(document) if document["record"] == 1 else first_wrong(document, *sys.argv[2:4])
    print(wrong or "holds")
    sys.exit(1 if wrong else 0)
