"""The pad of Formula D: the place, laps, and the wear points that are left. The place gives the points (R3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from championship.catalogue.pads import Brought, Pad, PadField, Throw
from engine.formula_d.facts import facts

WEAR = {
    "tires": _("Tires"),
    "brakes": _("Brakes"),
    "gearbox": _("Gearbox"),
    "body": _("Body"),
    "engine": _("Engine"),
    "road": _("Road holding"),
}
RACE, LEFT = _("Race"), _("Wear points left")
BGG = 37904
"""The number of Formula D at BoardGameGeek."""


def pad_of(options: Mapping[str, Any]) -> Pad:
    """The pad for these options of a race: wear points in one pool or by area (Y2)."""
    known = facts()
    points = known.race_points
    areas = known.wear_basic if options["rules"] == "basic" else known.wear_advanced
    build = known.build_with_repair if options["rules"] != "basic" else 0
    race = (
        PadField(name="place", label=_("Place"), table=points, most=len(points), group=RACE, needed=True),
        PadField(name="laps", label=_("Laps"), most=options["laps"], group=RACE),
    )
    wear = tuple(
        PadField(name=f"wear_{area}", label=WEAR.get(area, _("Wear points")), most=max(most, build), group=LEFT)
        for area, most in areas.items()
    )
    return Pad(fields=(*race, *wear), brings=_brought, throws=_throws(), most_throws=2, bgg_id=BGG)


def _brought(numbers: Mapping[str, int], result: int | None, luggage: Any) -> Brought:
    """Cars with equal points are ordered by their place, then by the wear points left (R6)."""
    left = sum(number for name, number in numbers.items() if name.startswith("wear_"))
    return Brought(luggage, rank=(numbers.get("place", 0), -left))


def _throws() -> tuple[Throw, ...]:
    """The die of each gear (G1), and the black die."""
    known = facts()
    gears = [
        Throw(f"gear_{gear}", _("Gear %(gear)d") % {"gear": gear}, tuple(map(str, faces)))
        for gear, faces in known.gears.items()
    ]
    black = Throw("black", _("Black die"), tuple(map(str, range(1, known.black.faces + 1))))
    return (*gears, black)
