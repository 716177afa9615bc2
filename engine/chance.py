"""Chance: random whole numbers and picks from piles, computed from a secret whose hash is published beforehand.

A game names each draw in its own words, such as "ana turn 2 move 3". The words are part of the hashed input. When the
secret is published later, anyone can repeat every draw. Nothing here depends on a game. docs/records.md specifies the
exact bytes.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

SECRET_BYTES = 32

DrawScope = Literal["run", "seat", "stage"]
"""What a draw depends on besides its words.

"run": the draw counter of the run, so the same words drawn twice give two numbers. "seat": nothing else, so the order
in which seats post does not matter; the game makes the words unique. "stage": nothing else, and the secret is the
common secret of all runs of the stage, without salt, so the same words give the same number in each run.
"""
DRAW_SCOPES: tuple[DrawScope, ...] = ("run", "seat", "stage")


class ChanceError(ValueError):
    """A draw is impossible: an empty pile, a bad or missing secret, or given draws that have run out or do not fit."""


class Chance(Protocol):
    """The random numbers that a game may draw."""

    def number(self, what: str, ends: int, *, by: DrawScope = "run") -> int:
        """Return a random whole number from 0 to ends - 1, each equally likely. `what` names the draw.

        Raises: ChanceError when `ends` is less than 1.
        """


class CountedChance:
    """Chance from another source that counts what it is asked for. `asked` counts every draw of any scope, also one
    that the source refuses.
    """

    def __init__(self, source: Chance) -> None:
        self._source = source
        self.asked = 0

    def number(self, what: str, ends: int, *, by: DrawScope = "run") -> int:
        self.asked += 1
        return self._source.number(what, ends, by=by)


def pick(chance: Chance, what: str, pile: Mapping[str, int], *, by: DrawScope = "run") -> str:
    """Return a random name from a pile, given as the number of copies of each name. Each copy is equally likely.

    Raises: ChanceError when the pile is empty.
    """
    return name_at(chance.number(what, sum(pile.values()), by=by), pile)


def commitment(secret: bytes) -> str:
    """Return the SHA-256 of a secret in hex. It is published before anything is drawn from the secret."""
    return hashlib.sha256(secret).hexdigest()


def derive_secret(secret: bytes, words: str) -> bytes:
    """Return a secret derived from another one: the HMAC-SHA-256 of the words with that secret as the key."""
    return hmac.digest(secret, words.encode(), "sha256")


def secret_of_run(seal: bytes, number: int) -> bytes:
    """Return the secret of the stage's run with this number."""
    return derive_secret(seal, f"run {number}")


def common_secret(seal: bytes) -> bytes:
    """Return the secret of the draws that all runs of a stage share."""
    return derive_secret(seal, "common")


def json_bytes(value: object) -> bytes:
    """Return a value as the bytes that are hashed: JSON without spaces, all characters outside ASCII escaped."""
    return json.dumps(value, separators=(",", ":")).encode()


def digest(phrases: Sequence[str]) -> str:
    """Return the SHA-256 of a stage's phrases in their published order, in hex."""
    return hashlib.sha256(json_bytes(list(phrases))).hexdigest()


def number_from(secret: bytes, words: Sequence[object], ends: int) -> int:
    """Return a whole number from 0 to ends - 1, computed from the secret and the words.

    An HMAC gives one of 2^256 numbers. Numbers from the largest multiple of `ends` upwards are rejected and the next
    attempt is hashed, so that each result is equally likely.

    Raises: ChanceError when `ends` is less than 1.
    """
    if ends < 1:
        raise ChanceError("nothing to draw from")
    fair = (1 << 256) - (1 << 256) % ends
    attempt = 0
    while True:
        number = int.from_bytes(hmac.digest(secret, json_bytes([*words, attempt]), "sha256"), "big")
        if number < fair:
            return number % ends
        attempt += 1


def name_at(number: int, pile: Mapping[str, int]) -> str:
    """Return the name of copy number `number` of a pile, counted from 0, with the copies sorted by name.

    Raises: ChanceError when the pile has no such copy.
    """
    for name in sorted(pile):
        number -= pile[name]
        if number < 0:
            return name
    raise ChanceError("an empty pile")


def _checked(secret: bytes) -> bytes:
    if len(secret) != SECRET_BYTES:
        raise ChanceError(f"a secret has {SECRET_BYTES} bytes")
    return secret


class SealChance:
    """Chance of a run: its secret is derived from the stage's seal, and each order comes with a salt.

    `phrases` is the digest of the stage's phrases. `salt` is the salt of the order that is played now. `common` is the
    secret of draws by "stage". `drawn` counts the draws by "run" so far; the run stores it between two orders. `draws`
    lists the draws of this object in the form that records store.
    """

    def __init__(
        self, secret: bytes, *, phrases: str, salt: str = "", drawn: int = 0, common: bytes | None = None
    ) -> None:
        self._secret = _checked(secret)
        self._common = None if common is None else _checked(common)
        self._phrases = phrases
        self.salt = salt
        self.drawn = drawn
        self.draws: list[dict[str, Any]] = []

    def number(self, what: str, ends: int, *, by: DrawScope = "run") -> int:
        number = self.number_of(what, ends, by)
        self.drawn += by == "run"
        self.draws.append({"what": what, "ends": ends, "by": by, "number": number})
        return number

    def number_of(self, what: str, ends: int, by: DrawScope) -> int:
        """Return what the next draw with these arguments would give, without drawing.

        Raises: ChanceError when `by` is "stage" and there is no common secret.
        """
        if by == "run":
            return number_from(self._secret, ["run", self._phrases, self.salt, what, self.drawn], ends)
        if by == "seat":
            return number_from(self._secret, ["seat", self._phrases, self.salt, what], ends)
        if self._common is None:
            raise ChanceError("the runs of this stage share no secret")
        return number_from(self._common, ["stage", self._phrases, what], ends)


class SeededChance:
    """Chance from one secret alone, used by runs of record format 1, by simulations and for random stages.

    `drawn` counts the draws by "run" so far; the run stores it between two orders. Draws by "stage" use `common`, a
    secret that several runs may share.
    """

    def __init__(
        self, secret: bytes, phrases: Iterable[str] = (), *, drawn: int = 0, common: bytes | None = None
    ) -> None:
        self._secret = _checked(secret)
        self._common = secret if common is None else _checked(common)
        self._phrases = sorted(phrases)
        self.drawn = drawn

    def number(self, what: str, ends: int, *, by: DrawScope = "run") -> int:
        if by == "stage":
            return number_from(self._common, ["shared", what], ends)
        if by == "seat":
            return number_from(self._secret, ["seat", self._phrases, what], ends)
        number = number_from(self._secret, [self._phrases, what, self.drawn], ends)
        self.drawn += 1
        return number
