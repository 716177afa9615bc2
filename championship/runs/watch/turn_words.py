"""A game's words for the questions of its capability `Puzzles`: themes, chances, and a way in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from championship.catalogue import Part

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from championship.runs.run_pages import DraftShown


class TurnWords(Protocol):
    """What a game with questions provides for their pages."""

    THEMES: Mapping[str, _StrPromise]
    """Words for the themes, by the names of the engine."""

    CHANCES: Mapping[str, _StrPromise]
    """Words for the chances, by the names of the engine."""

    def way(self, orders: Mapping[str, Any]) -> str:
        """Return a way in a few words, from its orders."""

    def laid(self, orders: Mapping[str, Any]) -> DraftShown:
        """Return a way as the draft with which the game's page shows it on its map."""


TURN_WORDS: Part[TurnWords] = Part("turn words")
