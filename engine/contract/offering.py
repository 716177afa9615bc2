"""Find out whether a game offers a capability."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeVar, cast

from engine.contract.core import Game
from engine.contract.errors import NotOffered

Role = TypeVar("Role")
Capability = Callable[..., Role]
"""A protocol of this package. Its type is a callable because a type checker does not accept a protocol as a `type`."""

ALIKE = 0.8
"""How similar two names are, from 0 to 1, when one may be the other misspelt."""


def offered(game: object, capability: Capability[Role]) -> Role | None:
    """Return the game in the role of a capability, or None when the game does not offer it."""
    return cast(Role, game) if isinstance(game, cast(type, capability)) else None


def required(game: Game, capability: Capability[Role]) -> Role:
    """Return the game in the role of a capability that it must offer.

    Raises: NotOffered when the game does not offer it.
    """
    role = offered(game, capability)
    if role is None:
        raise NotOffered(
            "%(game)s does not offer this (%(what)s)", game=game.title, what=getattr(capability, "__name__", "")
        )
    return role


@dataclass(frozen=True, slots=True)
class NearlyOffered:
    """A capability that a game does not offer, although it has a part of it: `lacks` are the missing names. `like`
    holds the names of the game that are spelt almost like one of them.
    """

    capability: str
    lacks: tuple[str, ...]
    like: tuple[str, ...] = ()


def members(capability: object) -> frozenset[str]:
    """Return the names of the methods and attributes of a capability, or of the core interface."""
    kinds = [kind for kind in cast(type, capability).__mro__ if getattr(kind, "_is_protocol", False)]
    names = {name for kind in kinds for name in (*vars(kind), *getattr(kind, "__annotations__", ()))}
    return frozenset(name for name in names if not name.startswith("_"))


def nearly_offered(game: object, capabilities: Sequence[Capability[object]]) -> tuple[NearlyOffered, ...]:
    """Return the capabilities that a game probably means to offer and does not, because a name is missing or misspelt.

    Names count that belong to no capability that the game offers: methods with several uses say nothing.
    """
    used = members(Game).union(*(members(one) for one in capabilities if offered(game, one) is not None))
    own = {name for name in dir(game) if not name.startswith("_")} - used
    strange = own.difference(*(members(one) for one in capabilities))
    found = []
    for one in capabilities:
        lacks = sorted(name for name in members(one) if not hasattr(game, name))
        like = sorted({match for name in lacks for match in get_close_matches(name, strange, cutoff=ALIKE)})
        if lacks and (own & members(one) or like):
            found.append(NearlyOffered(getattr(one, "__name__", ""), tuple(lacks), tuple(like)))
    return tuple(found)
