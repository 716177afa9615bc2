"""Find out whether a game offers a capability."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from engine.contract.core import Game
from engine.contract.errors import NotOffered

Role = TypeVar("Role")
Capability = Callable[..., Role]
"""A protocol of this package. Its type is a callable because a type checker does not accept a protocol as a `type`."""


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
