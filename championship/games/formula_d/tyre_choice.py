"""The choice of tyres: the proposed kind, and the effects of the kinds on the track in its current state (T2 to T4,
W7).
"""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from engine.formula_d.facts import facts
from engine.formula_d.race import Race, wet

RULES = ("T3", "T4", "W7")


def proposed(race: Race, seat: str) -> str:
    """Return the tyres that are proposed: in the wet those that slide least, else the car's current ones."""
    slide = facts().tyres.slide
    return min(slide, key=lambda kind: slide[kind]) if wet(race) else str(race["cars"][seat]["tyres"])


def explanation(race: Race) -> str:
    """Return which kinds of tyres are sensible now, and why."""
    tyres = facts().tyres
    if wet(race):
        said = ngettext(
            "The track is wet: on wet tyres a car slides %(least)d space farther in a corner, on the others %(most)d.",
            "The track is wet: on wet tyres a car slides %(least)d spaces farther in a corner, on the others %(most)d.",
            min(tyres.slide.values()),
        ) % {"least": min(tyres.slide.values()), "most": max(tyres.slide.values())}
    else:
        said = _(
            "The track is dry: on their first lap, soft tyres can drive one more space a turn. On soft "
            "and on wet tyres an overshoot costs twice as much."
        )
    final = race["weather"] is None or race["weather"] in facts().weather.final
    return said if final else f"{said} {_('The weather may still change.')}"
