"""Words for the things on the table: spaces, dice, dangers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.template.loader import get_template
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy, ngettext, ngettext_lazy
from django.utils.translation import gettext as _

from championship.catalogue import Words
from engine.dirt.facts import facts

OPTIONS = {
    "stage": gettext_lazy("one for each stage"),
    "rally": gettext_lazy("one for the whole rally"),
    "service": gettext_lazy("one, and it comes back with service"),
    "all": gettext_lazy("all drivers"),
    "newcomers": gettext_lazy("newcomers only"),
    "none": gettext_lazy("not used"),
    "coast": gettext_lazy("a damaged coast die"),
    "gear": gettext_lazy("a damaged gear die"),
    "random": gettext_lazy("each driver rolls for themselves"),
    "duplicate": gettext_lazy("the same faces for everybody"),
    "card": gettext_lazy("by its card"),
    "online": gettext_lazy("on line, 30 seconds"),
}
"""Labels of the values of the options."""
WORDS = Words(
    notice=gettext_lazy("The rules played here are those of Rallyman: DIRT."),
    at_piece=gettext_lazy("Tile %(number)d: %(message)s"),
    no_course=gettext_lazy("A stage is a list of tiles whose road runs from a start to a finish."),
    stages=gettext_lazy("Special stages"),
    border=gettext_lazy("Tile %(number)d"),
    at_border=gettext_lazy("after tile"),
    bonus=gettext_lazy("Won"),
    off=gettext_lazy("At the finish the seconds won are taken off."),
    facts=gettext_lazy("Seconds of cards and other facts of the game"),
    options=OPTIONS,
    advice=gettext_lazy(
        "A good length for a rally: two or three short stages, two long ones, or three standard ones."
        " A short stage has about 10 tiles, a standard one 14, a long one 18."
    ),
    splits=gettext_lazy(
        "The time so far, from the cards of all turns up to the one in which the car first left a tile, "
        "and the gap to the fastest there."
    ),
    no_splits=gettext_lazy("No car has left the first tile yet."),
    sheet=gettext_lazy("These are the damage, spare wheel and SISU with which the car starts the next stage."),
    service=gettext_lazy("Your car has been through the service park: no damage, and the spare wheel is back."),
)

SLOTS = {
    "l": gettext_lazy("left"),
    "r": gettext_lazy("right"),
    "s": gettext_lazy("slide"),
    "i": gettext_lazy("cut"),
    "o": gettext_lazy("drift"),
    "m": gettext_lazy("middle"),
}
NOTES = {
    "jump": gettext_lazy("jump"),
    "risky jump": gettext_lazy("a warning loses control"),
    "water": gettext_lazy("water"),
    "shortcut": gettext_lazy("shortcut: draws a token"),
    "slide": gettext_lazy("slide"),
    "drift": gettext_lazy("drift"),
    "flying start": gettext_lazy("flying start: a warning ends the turn"),
    "finish": gettext_lazy("over the finish line"),
}
LOSSES = {
    "M1": gettext_lazy("above the limit: loss of control"),
    "M3": gettext_lazy("flies too far: loss of control"),
    "R2": gettext_lazy("one warning too many: loss of control"),
}
DAMAGE = {
    "gear": ngettext_lazy("gear die", "gear dice", 1),
    "coast": ngettext_lazy("coast die", "coast dice", 1),
    "brake": ngettext_lazy("brake die", "brake dice", 1),
}

SURE = 1e-9
"""Chances nearer to 0 or 1 than this are certain; the difference is a rounding error."""

DICE = {
    "gear": gettext_lazy("gear %(number)s"),
    "coast": gettext_lazy("coast"),
    "leader": gettext_lazy("leader"),
    "brake": gettext_lazy("brake"),
}
FACES = {
    "unrolled": gettext_lazy("%(die)s, not rolled"),
    "clear": gettext_lazy("%(die)s, no warning"),
    "warning": gettext_lazy("%(die)s, a warning"),
    "secured": gettext_lazy("%(die)s, secured"),
}


@dataclass(frozen=True, slots=True)
class DieShown:
    """A die on a page, for dirt/die.html: its kind, its number (gear dice), its face and its words."""

    kind: str
    number: int | None
    face: str
    label: str

    @property
    def drawn(self) -> SafeString:
        """The die, with its words for screen readers."""
        return _drawn(self.kind, self.number, self.face, self.label)

    @property
    def asked(self) -> SafeString:
        """The die as a link to what the rulebook says about it."""
        return _asked(self.kind, self.number, self.face, self.label)

    @property
    def sign(self) -> SafeString:
        """The die without words, for a place with words beside it."""
        return _drawn(self.kind, self.number, self.face, "")


@lru_cache(maxsize=1000)
def _drawn(kind: str, number: int | None, face: str, label: str) -> SafeString:
    shown = {"kind": kind, "number": number, "face": face, "label": label}
    return SafeString(get_template("dirt/die.html").render(shown))


@lru_cache(maxsize=1000)
def _asked(kind: str, number: int | None, face: str, label: str) -> SafeString:
    term = f"{kind}-die"
    address = reverse("runs:rules_about", args=["dirt", term])
    die = _drawn(kind, number, face, label)
    return SafeString(f'<a class="term" href="{address}" data-place="{term}" hx-boost="false">{die}</a>')


def space_words(name: str) -> str:
    """Return a space in words: "2.1 left", "4.2 cut 1", "3 shortcut 1.1", the grid."""
    return _space_in(name, get_language())


@lru_cache(maxsize=4000)
def _space_in(name: str, language: str | None) -> str:
    """Return the same in the active language. It is cached, because a page names many spaces; `language` is part of the
    cache key.
    """
    if name == "grid":
        return _("on the grid")
    tile, section, *slot = name.split(".")
    if section.startswith("k"):
        return _("%(tile)s shortcut") % {"tile": tile}
    letter, count = slot[0][0], slot[0][1:]
    return f"{tile}.{section} {SLOTS[letter]}{' ' + count if count else ''}"


def die_shown(die: str, face: str = "unrolled") -> DieShown:
    """Return a die by the engine's name ("3", "coast", "leader", "brake") and its face: unrolled, clear, warning,
    secured.
    """
    return _die_in(die, face, get_language())


@lru_cache(maxsize=1000)
def _die_in(die: str, face: str, language: str | None) -> DieShown:
    """Return the same in the active language; `language` is part of the cache key."""
    kind, number = ("gear", int(die)) if die.isdigit() else (die, None)
    name = str(DICE[kind]) % {"number": number}
    return DieShown(kind, number, face, str(FACES[face]) % {"die": name})


def dice_words(dice: Sequence[str]) -> str:
    """Return the dice of one move in words: "gear 3 with a brake", "coast"."""
    name = die_shown(dice[0]).label.split(",")[0]
    brakes = len(dice) - 1
    if not brakes:
        return name
    return ngettext("%(die)s with a brake", "%(die)s with %(brakes)d brakes", brakes) % {"die": name, "brakes": brakes}


def warnings_to_stop_at() -> int:
    """Return the number of warnings at which a careful driver stops: the next one would lose control (R2)."""
    return facts().warning_limit - 1


def warnings_words(count: int) -> str:
    """Return the number of warnings in words."""
    if not count:
        return _("no warning")
    return ngettext("%(count)d warning", "%(count)d warnings", count) % {"count": count}


def card_words(event: Mapping[str, Any]) -> str:
    """Return the effect of a card in words."""
    seconds = event["seconds"]
    if event["side"] == "front":
        return _("The time card costs %(seconds)d s.") % {"seconds": seconds}
    if event["back"] == "spin":
        return _("The car spins: %(seconds)d s, gear 0.") % {"seconds": seconds}
    if event["back"] == "sisu":
        return _("The card says SISU: only %(seconds)d s, and the gear stays.") % {"seconds": seconds}
    return _("A crash: %(seconds)d s, the car stands beside the track.") % {"seconds": seconds}


def token_words(shows: str) -> str:
    """Return the effect of a token from the bag in words."""
    return {
        "gear": _("Damage: one gear die less from the next turn."),
        "coast": _("Damage: one coast die less from the next turn."),
        "brake": _("Damage: one brake die less from the next turn."),
        "green": _("Green flag: no damage."),
        "ok": _("The shortcut holds: no harm done."),
        "mud": _("Mud flies onto the track: the bends of this tile get slower for the others."),
    }[shows]


def percent(share: float) -> str:
    """Return a chance as a whole percentage. 100 and 0 mean certainty, so that no risk is rounded away."""
    return _percent(share, get_language())


@lru_cache(maxsize=4000)
def _percent(share: float, language: str | None) -> str:
    if share > 1 - SURE or share < SURE:
        number = "100" if share > 0.5 else "0"
    elif share > 0.99 or share < 0.01:
        number = number_format(min(max(round(100 * share, 1), 0.1), 99.9), decimal_pos=1)
    else:
        number = str(round(100 * share))
    return (_("%(number)s %%") % {"number": number}).replace(" ", "\u00a0")


def seconds(expected: float) -> str:
    """Return expected seconds, with one decimal unless they are whole."""
    return _tenths(round(expected, 1), get_language())


@lru_cache(maxsize=4000)
def _tenths(tenths: float, language: str | None) -> str:
    number = number_format(tenths, decimal_pos=0 if tenths == int(tenths) else 1)
    return (_("%(number)s s") % {"number": number}).replace(" ", "\u00a0")


def standing_words(orders: Mapping[str, Any]) -> list[str]:
    """Return standing orders in short: "one by one", "stop at 2 warnings"."""
    if not orders:
        return []
    words = [_("flat out") if orders.get("roll") == "flat out" else _("one by one")]
    if "stop_at" in orders:
        words.append(_("stop at %(warnings)s") % {"warnings": warnings_words(orders["stop_at"])})
    if "secure_at" in orders:
        when = {"warnings": warnings_words(orders["secure_at"]), "seconds": orders.get("secure_price")}
        dear = orders.get("secure_price") is not None
        words.append(
            (_("secure at %(warnings)s for %(seconds)d s at most") if dear else _("secure at %(warnings)s")) % when
        )
    if orders.get("sisu"):
        words.append(_("SISU if it keeps control"))
    if "sisu_from" in orders:
        words.append(_("SISU in gear %(gear)d or more") % {"gear": orders["sisu_from"]})
    if orders.get("spare"):
        words.append(_("spare wheel"))
    return words
