"""Chance: dice, decks and bags, drawn from a committed secret or given in advance.

A game asks in its own words ("ana 3.2 die 4"): the words become part of the draw, so that whoever learns the
secret later can recompute every draw in order. Nothing here knows a game.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

SECRET_BYTES = 32


class ChanceError(ValueError):
    """Chance that was given in advance has run out, or is not what was asked for."""


class Chance(Protocol):
    """What a game may leave to luck."""

    def die(self, what: str, *, warnings: int, faces: int, shared: bool = False) -> bool:
        """Roll a die of which `warnings` of `faces` faces show a warning: whether one came up.

        `shared`: all who ask in the same words roll the same face, in whatever order they ask.
        """

    def card(self, what: str, left: Mapping[str, int], *, seen: bool) -> str | None:
        """The top card of a shuffled deck of which `left` lie there: its back. None: nobody needs to know
        (`seen` is false).
        """

    def token(self, what: str, left: Mapping[str, int], *, side: int) -> str | None:
        """A two-sided token "a/b" out of a bag that holds `left`, to be looked at on `side` 0 or 1. None from
        an empty bag.
        """


def commitment(secret: bytes) -> str:
    """The SHA-256 of a secret, in hex: published when a run opens, checked when it is over."""
    return hashlib.sha256(secret).hexdigest()


class Seeded:
    """Draws from a secret: HMAC-SHA-256 over the drivers' phrases, what is drawn and a counter, mapped without bias.

    `drawn` counts the draws so far; a run keeps it between two posts and starts the next one from there. Shared
    dice are drawn without the counter from `common`, a secret that several runs may have between them.
    """

    def __init__(
        self, secret: bytes, phrases: Iterable[str] = (), *, drawn: int = 0, common: bytes | None = None
    ) -> None:
        if len(secret) != SECRET_BYTES or (common is not None and len(common) != SECRET_BYTES):
            raise ChanceError(f"a secret has {SECRET_BYTES} bytes")
        self._secret = secret
        self._common = secret if common is None else common
        self._phrases = sorted(phrases)
        self.drawn = drawn

    def below(self, what: str, ends: int) -> int:
        """A whole number from 0 to ends - 1, each as likely as the other; the next draw is another one."""
        number = _number(self._secret, [self._phrases, what, self.drawn], ends)
        self.drawn += 1
        return number

    def _out_of(self, what: str, left: Mapping[str, int]) -> str:
        place = self.below(what, sum(left.values()))
        for name in sorted(left):
            place -= left[name]
            if place < 0:
                return name
        raise ChanceError("an empty pile")

    def die(self, what: str, *, warnings: int, faces: int, shared: bool = False) -> bool:
        number = _number(self._common, ["shared", what], faces) if shared else self.below(what, faces)
        return number < warnings

    def card(self, what: str, left: Mapping[str, int], *, seen: bool) -> str | None:
        return self._out_of(what, left)

    def token(self, what: str, left: Mapping[str, int], *, side: int) -> str | None:
        if not any(left.values()):
            return None
        return self._out_of(what, left)


def _number(secret: bytes, words: Sequence[object], ends: int) -> int:
    """A whole number below `ends` that follows from the secret and the words. Numbers at the top of the 2^256 that an
    HMAC may give, where the ends do not come round, are drawn again: each result is as likely as the other.
    """
    if ends < 1:
        raise ChanceError("nothing to draw from")
    fair = (1 << 256) - (1 << 256) % ends
    attempt = 0
    while True:
        message = json.dumps([*words, attempt], separators=(",", ":")).encode()
        number = int.from_bytes(hmac.digest(secret, message, "sha256"), "big")
        if number < fair:
            return number % ends
        attempt += 1


def derived(secret: bytes, words: str) -> bytes:
    """A secret that follows from another one: HMAC-SHA-256 over the words."""
    return hmac.digest(secret, words.encode(), "sha256")


class Given:
    """Chance as a scenario file tells it: each kind of draw from its own list, in order."""

    def __init__(
        self,
        *,
        dice: str = "",
        cards: Sequence[str] = (),
        tokens: Sequence[str] = (),
        shortcuts: Sequence[str] = (),
    ) -> None:
        if strange := set(dice) - {".", "!"}:
            raise ChanceError(f"dice are written with . and !, not {''.join(sorted(strange))!r}")
        self._dice = iter(dice)
        self._cards = iter(cards)
        self._tokens = (iter(tokens), iter(shortcuts))

    def die(self, what: str, *, warnings: int, faces: int, shared: bool = False) -> bool:
        face = next(self._dice, None)
        if face is None:
            raise ChanceError(f"no die is left for {what}")
        return face == "!"

    def card(self, what: str, left: Mapping[str, int], *, seen: bool) -> str | None:
        if not seen:
            return None
        back = next(self._cards, None)
        if back is None:
            raise ChanceError(f"no card is left for {what}")
        return back

    def token(self, what: str, left: Mapping[str, int], *, side: int) -> str | None:
        shown = next(self._tokens[side], None)
        if shown is None:
            raise ChanceError(f"no token is left for {what}")
        other = "?"
        return f"{shown}/{other}" if side == 0 else f"{other}/{shown}"
