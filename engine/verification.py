"""Check the chance of a record from its seal alone: commitment, phrases, derived secrets, every draw.

No rules are needed. docs/records.md specifies the order of the checks and the bytes that are hashed. The site's browser
script makes the same checks in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine import chance
from engine.chance import DrawScope
from engine.contract import DocumentError

MOST_VALUES = 300_000
DEEPEST_NESTING = 20
LONGEST_TEXT = 1_000
LONGEST_COURSE = 400_000
"""The most characters of a text in a course: some games write a whole map as one text."""
LARGEST_NUMBER = 2**53
MOST_DRAWS = 400
"""The most draws that one order may make."""
MOST_ENDS = 2**32
MOST_PHRASES = 20_000
SALT_LENGTH = 64
MOST_RUNS = 32_767

_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)
_HALF = re.compile("[\ud800-\udfff]")
"""A surrogate: half of a pair that JSON escapes one by one. No page and no terminal can show one half alone."""
_CHANCE = ("promise", "seal", "secret", "phrases_sha256")


class RecordError(DocumentError):
    """A document that cannot be read. The message says what is wrong and where."""


class UnlistedDraw(Exception):
    """The rules make a draw that the record does not list."""


def require_field(document: Mapping[str, Any], field: str, kind: type, default: Any = None) -> Any:
    """Return a field of a document, of the given type.

    Raises: RecordError when it is of another type, or missing without a default.
    """
    value = document.get(field, default)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise RecordError(f"{field}: {kind.__name__} expected, not {value!r:.40}")
    return value


def check_size(document: Any) -> None:
    """Check the size of a document before anything else is done with it.

    Raises: RecordError when it holds more values, longer texts, larger numbers or deeper nesting than a record may, or
    a text with a lone surrogate.
    """
    level, count = [document], 0
    stage = document.get("stage") if isinstance(document, Mapping) else None
    courses = {text for text in stage.values() if isinstance(text, str)} if isinstance(stage, Mapping) else set()
    for _depth in range(DEEPEST_NESTING):
        count += len(level)
        if count > MOST_VALUES:
            raise RecordError(f"record: it holds more than {MOST_VALUES} values")
        below: list[Any] = []
        for value in level:
            if isinstance(value, str):
                most = LONGEST_COURSE if value in courses else LONGEST_TEXT
                if len(value) > most:
                    raise RecordError(f"record: a text has at most {most} characters, not {value!r:.40}")
                if _HALF.search(value):
                    raise RecordError(f"record: a text holds half a character that nobody can write: {value!r:.40}")
            elif isinstance(value, Mapping):
                below += value
                below += value.values()
            elif isinstance(value, list):
                below += value
            elif isinstance(value, int) and abs(value) > LARGEST_NUMBER:
                raise RecordError(f"record: a number is at most {LARGEST_NUMBER}")
        if not below:
            return
        level = below
    raise RecordError("record: nested too deeply")


def chance_of(
    *, seal: bytes, promise: str, run: int, secret: bytes, common: bytes | None, phrases: Sequence[str], published: str
) -> dict[str, Any]:
    """Return the chance of a record as it is stored. `published`: the digest of the phrases, public since the stage
    opened.
    """
    stored: dict[str, Any] = {
        "promise": promise,
        "seal": seal.hex(),
        "run": run,
        "secret": secret.hex(),
        "phrases_sha256": published,
        "phrases": list(phrases),
    }
    return stored if common is None else stored | {"common": common.hex()}


def check_chance(document: Mapping[str, Any], *, promised: str = "", phrases: str = "") -> str | None:
    """Check the chance of a record of format 2 against its seal. Return a message about the first difference, or None.

    `promised` and `phrases` are as in `record.verify`.

    Raises: RecordError when the chance or the turns cannot be read.
    """
    stored = require_field(document, "chance", dict)
    for field in (*_CHANCE, *(["common"] if "common" in stored else [])):
        if not _HEX.fullmatch(require_field(stored, field, str)):
            raise RecordError(f"chance: {field}: 64 hexadecimal digits in small letters expected")
    number = require_field(stored, "run", int)
    if not 1 <= number <= MOST_RUNS:
        raise RecordError(f"chance: run: a number from 1 to {MOST_RUNS} expected")
    listed = require_field(stored, "phrases", list)
    if len(listed) > MOST_PHRASES or not all(isinstance(phrase, str) for phrase in listed):
        raise RecordError(f"chance: phrases: at most {MOST_PHRASES} texts expected")
    turns = require_field(document, "turns", list)
    for place, turn in enumerate(turns, 1):
        _check_turn(place, turn)
    return _secrets(stored, number, promised, phrases) or _draws(stored, turns)


def _secrets(stored: Mapping[str, Any], number: int, promised: str, phrases: str) -> str | None:
    seal = bytes.fromhex(stored["seal"])
    if promised and stored["promise"] != promised:
        return f"the promise in the record is not the one given: {stored['promise']}"
    if chance.commitment(seal) != stored["promise"]:
        return "the seal is not the one that was promised: its SHA-256 differs"
    if phrases and stored["phrases_sha256"] != phrases:
        return f"the SHA-256 of the phrases in the record is not the one given: {stored['phrases_sha256']}"
    if chance.digest(stored["phrases"]) != stored["phrases_sha256"]:
        return "the phrases are not those that were published: their SHA-256 differs"
    if chance.secret_of_run(seal, number).hex() != stored["secret"]:
        return f"the secret of run {number} does not follow from the seal"
    if "common" in stored and chance.common_secret(seal).hex() != stored["common"]:
        return "the common secret does not follow from the seal"
    return None


def _draws(stored: Mapping[str, Any], turns: Sequence[Mapping[str, Any]]) -> str | None:
    common = bytes.fromhex(stored["common"]) if "common" in stored else None
    sealed = chance.SealChance(bytes.fromhex(stored["secret"]), phrases=stored["phrases_sha256"], common=common)
    for place, turn in enumerate(turns, 1):
        sealed.salt = turn["salt"]
        for count, draw in enumerate(turn["draws"], 1):
            if draw["by"] == "stage" and common is None:
                raise RecordError(f"turn {place}, draw {count}: drawn by stage, but there is no common secret")
            number = sealed.number(draw["what"], draw["ends"], by=draw["by"])
            if number != draw["number"]:
                return (
                    f"turn {place}, draw {count} ({draw['what']}): "
                    f"the record says {draw['number']}, the seal gives {number}"
                )
    return None


def _check_turn(place: int, turn: Any) -> None:
    """Check the form of the salt and the draws of a turn.

    Raises: RecordError when they cannot be read.
    """
    if not isinstance(turn, Mapping):
        raise RecordError(f"turn {place}: an object expected")
    salt, draws = turn.get("salt"), turn.get("draws")
    if not isinstance(salt, str) or len(salt) > SALT_LENGTH:
        raise RecordError(f"turn {place}: salt: a text of at most {SALT_LENGTH} characters expected")
    if not isinstance(draws, list) or len(draws) > MOST_DRAWS:
        raise RecordError(f"turn {place}: draws: at most {MOST_DRAWS} expected")
    for count, draw in enumerate(draws, 1):
        if not _readable(draw):
            raise RecordError(f"turn {place}, draw {count}: what, ends, by and number expected")


def _readable(draw: Any) -> bool:
    if not isinstance(draw, Mapping):
        return False
    if not (isinstance(draw.get("what"), str) and draw.get("by") in chance.DRAW_SCOPES and _whole(draw.get("number"))):
        return False
    return _whole(draw.get("ends")) and 1 <= draw["ends"] <= MOST_ENDS


def _whole(value: object) -> bool:
    """Return whether a value is an integer and not a boolean."""
    return isinstance(value, int) and not isinstance(value, bool)


class ListedDraws:
    """Chance that returns the draws of an order as a record lists them. They have been checked against the seal."""

    def __init__(self, draws: Sequence[Mapping[str, Any]]) -> None:
        self._draws = draws
        self._drawn = 0

    def number(self, what: str, ends: int, *, by: DrawScope = "run") -> int:
        self._drawn += 1
        if self._drawn > len(self._draws):
            raise UnlistedDraw(f"draw {self._drawn}: the rules ask for {what}, the record has no such draw")
        draw = self._draws[self._drawn - 1]
        if (draw["what"], draw["ends"], draw["by"]) != (what, ends, by):
            there = f"{draw['what']} ({draw['ends']}, {draw['by']})"
            raise UnlistedDraw(f"draw {self._drawn}: the rules ask for {what} ({ends}, {by}), the record has {there}")
        number: int = draw["number"]
        return number

    def left_over(self) -> str | None:
        """Return what is wrong when an order has been played and draws are left, else None."""
        if self._drawn == len(self._draws):
            return None
        return f"draw {self._drawn + 1}: the record has {len(self._draws)} draws, the rules ask for {self._drawn}"
