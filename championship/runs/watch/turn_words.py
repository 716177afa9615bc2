"""A game's words for the questions of its capability `Puzzles`: themes, chances, and a way in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from django.utils.translation import gettext_lazy as _

from championship.catalogue import Part

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from championship.runs.run_pages import DraftShown


@dataclass(frozen=True, slots=True)
class Asking:
    """How a page asks, and how it judges. `goal` stands below the title of a puzzle, `goal_again` below that of an own
    turn. `costly` and `nothing` stand above the list of own turns: `sum` in the `unit` is what they gave up. `against`
    follows what an answer gives up.
    """

    title: _StrPromise
    goal: _StrPromise
    goal_again: _StrPromise
    costly: _StrPromise
    nothing: _StrPromise
    missed: _StrPromise
    against: _StrPromise
    judged: _StrPromise


FASTEST = Asking(
    title=_("Which way is the fastest?"),
    goal=_("Decide as if it were your turn. Nothing is drawn: what counts is what your way is worth."),
    goal_again=_("Decide as if it were your turn. Nothing is rolled, and nothing of the stage changes."),
    costly=_(
        "Here your decisions gave up most: %(sum)s %(unit)s together. First you decide once more, then you see what was"
        " better."
    ),
    nothing=_("No decision of this stage gave anything up."),
    missed=_("Not the fastest."),
    against=_("%(unit)s against the best way, as expected before any roll."),
    judged=_(
        "A way is judged by its exact value: the result to expect when a driver goes on who weighs only the mean."
    ),
)


class TurnWords(Protocol):
    """What a game with questions provides for their pages."""

    ASKING: Asking
    """How the page asks and judges."""

    THEMES: Mapping[str, _StrPromise]
    """Words for the themes, by the names of the engine."""

    CHANCES: Mapping[str, _StrPromise]
    """Words for the chances, by the names of the engine."""

    def way(self, orders: Mapping[str, Any], state: Mapping[str, Any], seat: str) -> str:
        """Return a way in a few words, from its orders. `state`: that in which the seat is asked."""

    def laid(self, orders: Mapping[str, Any]) -> DraftShown:
        """Return a way as the draft with which the game's page shows it on its map."""


TURN_WORDS: Part[TurnWords] = Part("turn words")
