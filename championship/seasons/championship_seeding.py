"""How drivers stand in the championship that a rally is a round of, for rallies that are seeded by it."""

from __future__ import annotations

from collections.abc import Sequence

from championship.rallies.models import Rally
from championship.seasons import selectors
from championship.seasons.models import Round


class ChampionshipStandings:
    """The standing before a rally, as rallies.seeding asks for it."""

    def name(self, rally: Rally) -> str:
        """What the championship is called; "" for a rally that is no round: one query."""
        found = Round.objects.filter(rally=rally).values_list("championship__name", flat=True).first()
        return found or ""

    def order(self, rally: Rally) -> Sequence[int]:
        """Ids of the drivers in the championship's table, best first; empty before its first round is over."""
        here = Round.objects.filter(rally=rally).select_related("championship").first()
        return [line.who.pk for line in selectors.table(here.championship).drivers] if here else ()
