"""Chance: whole numbers and picks out of piles, drawn from a secret that is promised beforehand.

A game asks in its own words, such as "ana turn 2 move 3". The words are part of the draw. The secret can be shown
later, and then anyone can repeat every draw. Nothing here knows a game. docs/records.md has the exact bytes.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

SECRET_BYTES = 32

By = Literal["run", "seat", "stage"]
"""What a draw depends on besides its words.

"run": the counter of the run; the same words drawn twice give two numbers. "seat": nothing else, so that the order in
which seats post does not matter; the game makes the words unique. "stage": nothing else, and the secret is the one that
all runs of the stage share, without salt: the same words give the same number in each run.
"""
WAYS: tuple[By, ...] = ("run", "seat", "stage")


class ChanceError(ValueError):
    """Chance that was given in advance has run out, or is not what was asked for."""


class Chance(Protocol):
    """What a game may leave to luck."""

    def number(self, what: str, ends: int, *, by: By = "run") -> int:
        """A whole number from 0 to ends - 1, each as likely as the others.

        Raises: ChanceError when `ends` is less than 1.
        """


def pick(chance: Chance, what: str, pile: Mapping[str, int], *, by: By = "run") -> str:
    """A name out of a pile that holds so many copies of each, every copy as likely as the others.

    Raises: ChanceError when the pile is empty.
    """
    return picked(chance.number(what, sum(pile.values()), by=by), pile)


def commitment(secret: bytes) -> str:
    """The SHA-256 of a secret, in hex: published before anything is drawn from it."""
    return hashlib.sha256(secret).hexdigest()


def derived(secret: bytes, words: str) -> bytes:
    """A secret that follows from another one: HMAC-SHA-256 over the words."""
    return hmac.digest(secret, words.encode(), "sha256")


def secret_of_run(seal: bytes, number: int) -> bytes:
    """The secret of a stage's run of that number."""
    return derived(seal, f"run {number}")


def common_secret(seal: bytes) -> bytes:
    """The secret of what all runs of a stage draw alike."""
    return derived(seal, "common")


def written(value: object) -> bytes:
    """A value as the bytes that are hashed: JSON without blanks, all letters outside ASCII escaped."""
    return json.dumps(value, separators=(",", ":")).encode()


def digest(phrases: Sequence[str]) -> str:
    """The SHA-256 of a stage's phrases in their published order, in hex."""
    return hashlib.sha256(written(list(phrases))).hexdigest()


def number_from(secret: bytes, words: Sequence[object], ends: int) -> int:
    """A whole number below `ends` that follows from the secret and the words.

    An HMAC gives one of 2^256 numbers. Those at the top, where the ends do not come round, are drawn again with the
    next attempt, so that each result is as likely as the others.

    Raises: ChanceError when `ends` is less than 1.
    """
    if ends < 1:
        raise ChanceError("nothing to draw from")
    fair = (1 << 256) - (1 << 256) % ends
    attempt = 0
    while True:
        number = int.from_bytes(hmac.digest(secret, written([*words, attempt]), "sha256"), "big")
        if number < fair:
            return number % ends
        attempt += 1


def picked(number: int, pile: Mapping[str, int]) -> str:
    """The name at that place of a pile whose copies lie in the order of their names, counted from 0.

    Raises: ChanceError when the pile has no such place.
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


class Sealed:
    """Chance of a run: its secret follows from the stage's seal, and each order brings a salt.

    `phrases` is the digest of the stage's phrases; `salt` the one of the order that is played now; `common` the secret
    of draws by "stage". `drawn` counts the draws by "run" so far: a run keeps it between two orders. `draws` lists what
    this object has drawn, as records have it.
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

    def number(self, what: str, ends: int, *, by: By = "run") -> int:
        number = self.number_of(what, ends, by)
        self.drawn += by == "run"
        self.draws.append({"what": what, "ends": ends, "by": by, "number": number})
        return number

    def number_of(self, what: str, ends: int, by: By) -> int:
        """What the next draw of that kind would give; nothing is drawn.

        Raises: ChanceError for a draw by "stage" without a common secret.
        """
        if by == "run":
            return number_from(self._secret, ["run", self._phrases, self.salt, what, self.drawn], ends)
        if by == "seat":
            return number_from(self._secret, ["seat", self._phrases, self.salt, what], ends)
        if self._common is None:
            raise ChanceError("the runs of this stage share no secret")
        return number_from(self._common, ["stage", self._phrases, what], ends)


class Seeded:
    """Chance from one secret alone, as runs of record format 1 have it; also for rehearsals and random stages.

    `drawn` counts the draws by "run" so far: a run keeps it between two orders. Draws by "stage" come from `common`, a
    secret that several runs may have between them.
    """

    def __init__(
        self, secret: bytes, phrases: Iterable[str] = (), *, drawn: int = 0, common: bytes | None = None
    ) -> None:
        self._secret = _checked(secret)
        self._common = secret if common is None else _checked(common)
        self._phrases = sorted(phrases)
        self.drawn = drawn

    def number(self, what: str, ends: int, *, by: By = "run") -> int:
        if by == "stage":
            return number_from(self._common, ["shared", what], ends)
        if by == "seat":
            return number_from(self._secret, ["seat", self._phrases, what], ends)
        number = number_from(self._secret, [self._phrases, what, self.drawn], ends)
        self.drawn += 1
        return number
