"""The standings of the championship that a rally belongs to.

Rallies know nothing about championships. The app of championships registers its standings when Django is ready.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from championship.rallies.models import Rally


class Standings(Protocol):
    """The standings in the championship that a rally belongs to."""

    def name(self, rally: Rally) -> str:
        """The championship's name; "" when the rally belongs to none."""

    def order(self, rally: Rally) -> Sequence[int]:
        """Ids of drivers in the order of the standings before this rally, best first; empty before the first round."""


class _NoStandings:
    def name(self, rally: Rally) -> str:
        return ""

    def order(self, rally: Rally) -> Sequence[int]:
        return ()


_standings: Standings = _NoStandings()


def register_standings(standings: Standings) -> None:
    """Register the standings that rallies use; they replace the ones before."""
    global _standings
    _standings = standings


def championship_of(rally: Rally) -> str:
    """The name of the championship whose standings can order the rally's start list; "" for none."""
    return _standings.name(rally)


def order_of(rally: Rally) -> Sequence[int]:
    """Ids of drivers in the order of the standings, best first."""
    return _standings.order(rally)
