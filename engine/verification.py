"""The chance of a record, checked from its seal alone: promise, phrases, derived secrets, every draw.

No rules are asked. docs/records.md has the order of the checks and the bytes that are hashed. The site's script in the
browser checks the same, in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine import chance
from engine.chance import By
from engine.contract import DocumentError

MOST_VALUES = 300_000
MOST_DEEP = 20
LONGEST_TEXT = 1_000
LONGEST_COURSE = 400_000
"""The longest text of a course: some games write a whole map as one text."""
LARGEST_NUMBER = 2**53
MOST_DRAWS = 400
"""Draws that one order may bring."""
MOST_ENDS = 2**32
MOST_PHRASES = 20_000
SALT_LENGTH = 64
MOST_RUNS = 32_767

_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)
_HALF = re.compile("[\ud800-\udfff]")
"""A surrogate: one unit of two that JSON escapes one by one. No page and no terminal can show it alone."""
_CHANCE = ("promise", "seal", "secret", "phrases_sha256")


class RecordError(DocumentError):
    """A document that cannot be read: what is wrong and where."""


class NotListed(Exception):
    """The rules ask for another draw than the record lists."""


def have(document: Mapping[str, Any], field: str, kind: type, default: Any = None) -> Any:
    """A field of that kind.

    Raises: RecordError when it is of another kind, or missing without a default.
    """
    value = document.get(field, default)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise RecordError(f"{field}: {kind.__name__} expected, not {value!r:.40}")
    return value


def check_size(document: Any) -> None:
    """Counts what a document holds, before anything is done with it.

    Raises: RecordError when it holds more values, longer texts, larger numbers or deeper nesting than any record, or a
    text that cannot be written.
    """
    level, count = [document], 0
    stage = document.get("stage") if isinstance(document, Mapping) else None
    courses = {text for text in stage.values() if isinstance(text, str)} if isinstance(stage, Mapping) else set()
    for _depth in range(MOST_DEEP):
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
    """What a record says of its chance. `published`: the digest of the phrases, shown since the stage opened."""
    told: dict[str, Any] = {
        "promise": promise,
        "seal": seal.hex(),
        "run": run,
        "secret": secret.hex(),
        "phrases_sha256": published,
        "phrases": list(phrases),
    }
    return told if common is None else told | {"common": common.hex()}


def check_chance(document: Mapping[str, Any], *, promised: str = "", phrases: str = "") -> str | None:
    """The first thing in the chance of a record of format 2 that does not follow from its seal, in words; None when all
    does. `promised`, `phrases`: as `record.verify` takes them.

    Raises: RecordError when it cannot be read.
    """
    told = have(document, "chance", dict)
    for field in (*_CHANCE, *(["common"] if "common" in told else [])):
        if not _HEX.fullmatch(have(told, field, str)):
            raise RecordError(f"chance: {field}: 64 hexadecimal digits in small letters expected")
    number = have(told, "run", int)
    if not 1 <= number <= MOST_RUNS:
        raise RecordError(f"chance: run: a number from 1 to {MOST_RUNS} expected")
    listed = have(told, "phrases", list)
    if len(listed) > MOST_PHRASES or not all(isinstance(phrase, str) for phrase in listed):
        raise RecordError(f"chance: phrases: at most {MOST_PHRASES} texts expected")
    turns = have(document, "turns", list)
    for place, turn in enumerate(turns, 1):
        _check_turn(place, turn)
    return _secrets(told, number, promised, phrases) or _draws(told, turns)


def _secrets(told: Mapping[str, Any], number: int, promised: str, phrases: str) -> str | None:
    seal = bytes.fromhex(told["seal"])
    if promised and told["promise"] != promised:
        return f"the promise in the record is not the one given: {told['promise']}"
    if chance.commitment(seal) != told["promise"]:
        return "the seal is not the one that was promised: its SHA-256 differs"
    if phrases and told["phrases_sha256"] != phrases:
        return f"the SHA-256 of the phrases in the record is not the one given: {told['phrases_sha256']}"
    if chance.digest(told["phrases"]) != told["phrases_sha256"]:
        return "the phrases are not those that were published: their SHA-256 differs"
    if chance.secret_of_run(seal, number).hex() != told["secret"]:
        return f"the secret of run {number} does not follow from the seal"
    if "common" in told and chance.common_secret(seal).hex() != told["common"]:
        return "the common secret does not follow from the seal"
    return None


def _draws(told: Mapping[str, Any], turns: Sequence[Mapping[str, Any]]) -> str | None:
    common = bytes.fromhex(told["common"]) if "common" in told else None
    luck = chance.Sealed(bytes.fromhex(told["secret"]), phrases=told["phrases_sha256"], common=common)
    for place, turn in enumerate(turns, 1):
        luck.salt = turn["salt"]
        for count, draw in enumerate(turn["draws"], 1):
            if draw["by"] == "stage" and common is None:
                raise RecordError(f"turn {place}, draw {count}: drawn by stage, but there is no common secret")
            number = luck.number(draw["what"], draw["ends"], by=draw["by"])
            if number != draw["number"]:
                return (
                    f"turn {place}, draw {count} ({draw['what']}): "
                    f"the record says {draw['number']}, the seal gives {number}"
                )
    return None


def _check_turn(place: int, turn: Any) -> None:
    """Raises: RecordError when salt or draws of a turn cannot be read."""
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
    if not (isinstance(draw.get("what"), str) and draw.get("by") in chance.WAYS and _whole(draw.get("number"))):
        return False
    return _whole(draw.get("ends")) and 1 <= draw["ends"] <= MOST_ENDS


def _whole(value: object) -> bool:
    """An integer that is no boolean."""
    return isinstance(value, int) and not isinstance(value, bool)


class Listed:
    """Chance that hands back the draws of an order as a record lists them, already checked against the seal."""

    def __init__(self, draws: Sequence[Mapping[str, Any]]) -> None:
        self._draws = draws
        self._drawn = 0

    def number(self, what: str, ends: int, *, by: By = "run") -> int:
        self._drawn += 1
        if self._drawn > len(self._draws):
            raise NotListed(f"draw {self._drawn}: the rules ask for {what}, the record has no such draw")
        draw = self._draws[self._drawn - 1]
        if (draw["what"], draw["ends"], draw["by"]) != (what, ends, by):
            there = f"{draw['what']} ({draw['ends']}, {draw['by']})"
            raise NotListed(f"draw {self._drawn}: the rules ask for {what} ({ends}, {by}), the record has {there}")
        number: int = draw["number"]
        return number

    def pick(self, what: str, pile: Mapping[str, int], *, by: By = "run") -> str:
        return chance.picked(self.number(what, sum(pile.values()), by=by), pile)

    def left_over(self) -> str | None:
        """What is wrong when an order has been played and draws are left."""
        if self._drawn == len(self._draws):
            return None
        return f"draw {self._drawn + 1}: the record has {len(self._draws)} draws, the rules ask for {self._drawn}"
