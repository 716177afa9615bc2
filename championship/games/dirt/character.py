"""The length and the character of a stage in a few words: "14 tiles, winding, 2 hairpins, a jump"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from engine.contract import GameError
from engine.dirt.course.pacenotes import pace_notes

HAIRPIN = 1
"""The limit of a bend that is called a hairpin here."""
FAST, SLOW = 2.6, 1.9
"""Mean limits of the bends from which a stage is fast, and up to which it is slow."""
FLOWING = 3.0
"""Plain rows for each bend from which a stage flows."""


def character(spec: Mapping[str, Any]) -> str:
    """Return the number of tiles, how the road runs, and what is on it; "" for a course that cannot be read."""
    try:
        notes = pace_notes(spec)
        tiles = len(spec["tiles"])
    except (GameError, KeyError, TypeError, AttributeError):
        return ""
    calls = [call for note in notes for call in note["calls"]]
    limits = [limit for call in calls if call["call"] == "bend" for limit in call["limits"]]
    rows = sum(note["after"] for note in notes)
    said = [ngettext("%(count)d tile", "%(count)d tiles", tiles) % {"count": tiles}, _pace(limits, rows)]
    return ", ".join(said + _marks(Counter(call["call"] for call in calls), limits.count(HAIRPIN)))


def _pace(limits: list[int], rows: int) -> str:
    if not limits:
        return pgettext("character of a stage", "straight")
    mean = sum(limits) / len(limits)
    if mean >= FAST:
        return pgettext("character of a stage", "fast")
    if mean <= SLOW:
        return pgettext("character of a stage", "slow and tight")
    if rows / len(limits) >= FLOWING:
        return pgettext("character of a stage", "flowing")
    return pgettext("character of a stage", "winding")


def _marks(found: Counter[str], hairpins: int) -> list[str]:
    """Return what is on the road, each with its number."""
    counted = [
        (hairpins, ngettext("a hairpin", "%(n)d hairpins", hairpins)),
        (found["jump"], ngettext("a jump", "%(n)d jumps", found["jump"])),
        (found["water"], ngettext("a ford", "%(n)d fords", found["water"])),
        (found["narrow"], ngettext("a narrow place", "%(n)d narrow places", found["narrow"])),
    ]
    told = [words % {"n": number} for number, words in counted if number]
    return told or [_("no surprises")]
