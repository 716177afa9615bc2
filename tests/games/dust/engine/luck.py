"""Chance for tests: a hash of the words of the draw, so that the order of posts does not matter."""

from __future__ import annotations

import hashlib
from typing import Literal


class Luck:
    """Numbers that depend on a seed and the words of the draw. Records the draws."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.asked: list[tuple[str, int]] = []
        self._words: set[str] = set()

    def number(self, what: str, ends: int, *, by: Literal["run", "seat", "stage"] = "run") -> int:
        assert by == "seat"
        assert what not in self._words, "words asked with are never used twice (S7)"
        self._words.add(what)
        self.asked.append((what, ends))
        digest = hashlib.sha256(f"{self.seed} {what}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % ends
