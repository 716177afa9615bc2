"""How long a rally takes, for its organisers' page."""

from typing import Any

from django import template

from championship import catalogue
from championship.platform import clock
from championship.rallies.clock.rounds_together import supports_rounds_together
from championship.rallies.models import Rally
from championship.seasons.calendar_fit import fit_of

register = template.Library()


@register.inclusion_tag("seasons/parts/rally_fit.html")
def rally_fit(rally: Rally) -> dict[str, Any]:
    """How long a rally takes that has not begun, and whether it overlaps the next round; empty for other rallies."""
    if rally.status != Rally.Status.ENTRIES or rally.on_paper or rally.game not in catalogue.names():
        return {"fit": None}
    could = rally.mode == Rally.Mode.CONVOY and supports_rounds_together(rally.game) and not rally.together
    return {"fit": fit_of(rally, clock.now().date()), "rally": rally, "shorter": could}
