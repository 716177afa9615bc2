"""The standings of a championship before one of its rallies, for rallies that are seeded by them."""

from __future__ import annotations

from collections.abc import Sequence

from championship.rallies.models import Rally
from championship.seasons import selectors
from championship.seasons.models import Round


class ChampionshipStandings:
    """The standings before a rally, with the interface that rallies.seeding needs."""

    def name(self, rally: Rally) -> str:
        """Return the name of the championship; "" for a rally that is not a round. One query."""
        found = Round.objects.filter(rally=rally).values_list("championship__name", flat=True).first()
        return found or ""

    def order(self, rally: Rally) -> Sequence[int]:
        """Return the ids of the drivers in the championship's table, best first; empty before its first
        round is over.
        """
        here = Round.objects.filter(rally=rally).select_related("championship").first()
        return [line.who.pk for line in selectors.table(here.championship).drivers] if here else ()
