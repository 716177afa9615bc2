"""Capabilities around a turn: drafts, orders sent ahead, odds, manners of codrivers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from engine.contract.core import Ways
from engine.contract.errors import RuleError
from engine.contract.values import Event, Json, Orders, SeatName, State


@dataclass(frozen=True, slots=True)
class Drafted:
    """What of a draft is legal: its legal beginning, the ways on behind it, and the error of what follows.

    `laying`: whether anything can be laid now.
    """

    draft: Json
    ways: Ways
    error: RuleError | None = None
    laying: bool = True


@runtime_checkable
class Drafting(Protocol):
    """A capability: orders are laid step by step before they are sent. `choices` goes on from a draft.

    A draft is plain JSON of the game's own.
    """

    def empty_draft(self) -> Json:
        """Return a draft in which nothing is laid."""

    def extend(self, draft: Json, text: str) -> Json:
        """Return the draft with one more step, whether or not that is legal."""

    def undo(self, draft: Json) -> Json:
        """Return the draft without its last step."""

    def legal(self, state: State, seat: SeatName, draft: Json) -> Drafted:
        """Return what of a draft is legal now.

        Raises:
            RuleError: this seat is not to play.
        """


@runtime_checkable
class OrdersAhead(Protocol):
    """A capability: orders sent before the turn has come, carried out when it comes.

    Orders ahead leave nothing to decide. An outlook is plain JSON: what the orders meet.
    """

    def ahead(self, state: State, seat: SeatName) -> State:
        """Return the state as if it were this seat's turn.

        Raises:
            RuleError: it is this seat's turn already, or it plays no more.
        """

    def begins(self, state: State, seat: SeatName) -> bool:
        """Return whether this seat is to play and its turn has not begun."""

    def joined(self, draft: Json, orders: Orders) -> dict[str, Json]:
        """Return the orders that `play` takes: what is laid, and how it is to be carried out."""

    def outlook(self, state: State, seat: SeatName, orders: Orders) -> dict[str, Json]:
        """Return what joined orders meet where this seat is to play.

        Raises:
            RuleError: they cannot be carried out, or leave something to decide.
        """

    def changed(self, kept: Mapping[str, Json], now: Mapping[str, Json]) -> RuleError | None:
        """Return why orders should not be carried out whose outlook was `kept` and is `now`; None to go on."""

    def lasts(self, orders: Orders) -> bool:
        """Return whether orders ahead hold for the turns behind the next one as well, until they are withdrawn."""

    def standing(self, state: State, seat: SeatName, orders: Orders) -> dict[str, Json] | None:
        """Return the next single orders of a turn under joined orders, or None where they leave something to decide.

        Raises:
            RuleError: this seat is not to play, or the orders are illegal.
        """


@runtime_checkable
class Rounds(Protocol):
    """A capability: seats play one after the other in rounds, so that all of a round may have one deadline."""

    def this_round(self, state: State) -> tuple[SeatName, ...]:
        """Return the seats that have yet to play in this round, in their order, those that are to play first."""


@runtime_checkable
class Sealing(Protocol):
    """A capability: events of a run may have readers of their own, until a phase closes or the run is over.

    An organiser who drives in such a run is told no more of it than other drivers are, from its start to its end: else
    what is shown would tell that something is sealed at this moment.
    """

    seals: bool


@runtime_checkable
class Odds(Protocol):
    """A capability: what a turn comes to before chance has had its say."""

    def odds(
        self, state: State, seat: SeatName, orders: Orders, draft: Json = None, events: Sequence[Event] = ()
    ) -> dict[str, Json]:
        """Return the exact chances of what this seat's turn can bring from now on.

        `draft` is what is laid and not sent yet; `orders` say how it is carried out. `events`, all of the run, tell
        what has been seen; without them what is hidden is as at the start.

        Raises:
            RuleError: this cannot be laid or carried out.
            GameError: the orders cannot be read.
        """


@runtime_checkable
class Manners(Protocol):
    """A capability: codrivers of several manners, by name, for `autopilot`; "" is what an absent driver gets."""

    manners: tuple[str, ...]
