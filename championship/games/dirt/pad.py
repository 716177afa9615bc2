"""The pad of Rallyman: DIRT: time cards by gear, losses of control, second tokens, and the damage at the finish."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from championship.catalogue.pads import Brought, Pad, PadField, Throw
from engine.dirt.facts import facts
from engine.dirt.rally import COUNTED_SECONDS, wheel_seconds

CARDS, TIME, CAR = _("Time cards"), _("Seconds"), _("The car at the finish")
DAMAGE = {"gear": _("Gear damage"), "coast": _("Coast damage"), "brake": _("Brake damage")}
SIGN = "!"


def pad_of(options: Mapping[str, Any]) -> Pad:
    """The pad for these options of a rally: the cards are worth what the organiser has set (E4, F2)."""
    known = facts()
    cards = tuple(
        PadField(name=f"card_{gear}", label=_gear(gear), worth=options[f"time_card_{gear}"], group=CARDS)
        for gear in range(1, known.top_gear + 1)
    )
    more = (
        PadField(name="loss", label=_("Control lost"), worth=options["loss_seconds"], group=CARDS),
        PadField(name="wheel", label=_("Spare wheel taken"), worth=wheel_seconds(options), most=1, group=CARDS),
        PadField(name="sisu", label=_("SISU card"), worth=options["sisu_seconds"], most=9, group=CARDS),
        PadField(name="won", label=_("Second tokens left"), worth=-1, group=TIME),
    )
    car = (
        *(PadField(name=f"damage_{kind}", label=label, most=9, group=CAR) for kind, label in DAMAGE.items()),
        PadField(name="sisu_used", label=_("SISU token played"), most=1, group=CAR),
    )
    return Pad(fields=(*cards, *more, *car), brings=_brought, begins=_begins, throws=_throws())


def _gear(gear: int) -> str | Promise:
    return _("Gear %(gear)d") % {"gear": gear}


def _begins(luggage: Any) -> dict[str, int]:
    """A car begins with the damage that it brings from the stage before (F3)."""
    return {f"damage_{kind}": luggage["damage"][kind] for kind in DAMAGE}


def _brought(numbers: Mapping[str, int], result: int | None, luggage: Any) -> Brought:
    """The damage as counted, and the spare wheel and the SISU token unless they were used. A car that retires and has
    no time gets one from its cards when nobody finishes (E7).
    """
    damage = {kind: numbers.get(f"damage_{kind}", luggage["damage"][kind]) for kind in DAMAGE}
    spare = bool(luggage["spare"]) and not numbers.get("wheel")
    sisu = bool(luggage["sisu"]) and not numbers.get("sisu_used")
    return Brought({"damage": damage, "spare": spare, "sisu": sisu}, {COUNTED_SECONDS: result or 0})


def _throws() -> tuple[Throw, ...]:
    """The dice of the box (D1): the faces with a warning show a sign, the others the name of the die."""
    known = facts()
    names = {str(gear): f"{gear}" for gear in range(1, known.gear_dice + 1)}
    labels: dict[str, str | Promise] = {gear: _("Gear die %(gear)s") % {"gear": gear} for gear in names}
    labels |= {"coast": _("Coast die"), "leader": _("Leader die"), "brake": _("Brake die")}
    shows = names | {"coast": "●", "leader": "●", "brake": "■"}
    return tuple(
        Throw(name, labels[name], (SIGN,) * signs + (shows[name],) * (known.faces - signs))
        for name, signs in known.warnings.items()
    )
