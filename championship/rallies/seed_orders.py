"""Other orders in which cars may start the first stage: what higher rooms know about a rally's drivers.

A room registers itself when it is ready. Rallies ask it, and know nothing of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from championship.rallies.models import Rally


class Standings(Protocol):
    """Who knows how drivers stand in the championship that a rally belongs to."""

    def name(self, rally: Rally) -> str:
        """What the championship is called; "" where the rally belongs to none."""

    def order(self, rally: Rally) -> Sequence[int]:
        """Ids of drivers as they stand before this rally, best first; empty before the first round."""


class _Nobody:
    def name(self, rally: Rally) -> str:
        return ""

    def order(self, rally: Rally) -> Sequence[int]:
        return ()


_standings: Standings = _Nobody()


def register(standings: Standings) -> None:
    """Let rallies be seeded by these standings, in place of those registered before."""
    global _standings
    _standings = standings


def championship_of(rally: Rally) -> str:
    """The name of the championship whose standing may seed the rally; "" for none."""
    return _standings.name(rally)


def order_of(rally: Rally) -> Sequence[int]:
    """Ids of drivers by their standing, best first."""
    return _standings.order(rally)
