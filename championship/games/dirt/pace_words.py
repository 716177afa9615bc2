"""Pace notes in rally language: the engine's notes (engine/dirt/course/pacenotes.py) in the reader's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from championship.stages.builders import PaceNote, PaceNotes
from championship.stages.stage_pages import Spec
from engine.dirt.facts import CRASH_COLOURS
from engine.dirt.game import game

HAIRPINS = ("hairpin", "long hairpin", "double hairpin")


def pace_notes(spec: Spec) -> PaceNotes:
    """Return the notes of a stage, in the active language."""
    notes = [
        PaceNote(note["after"], _("tile %(number)d") % {"number": note["tile"]}, _note(note), _danger(note))
        for note in game().notes(spec)
    ]
    legend = _(
        "Numbers before a note are rows of the road, numbers of bends the highest gear on the inside; ! and !! are "
        "orange and red signs."
    )
    return PaceNotes(notes, legend)


def _note(note: Mapping[str, Any]) -> str:
    words = ", ".join(_call(call) for call in note["calls"])
    close = note["after"] == 1 and note["calls"][0]["call"] != "finish"
    return pgettext("pace note", "into %(call)s") % {"call": words} if close else words


def _danger(note: Mapping[str, Any]) -> int:
    """Return how urgently a note is read: the sign of its worst tile, 0 for start and finish lines."""
    lines = all(call["call"] in ("start", "finish") for call in note["calls"])
    return 0 if lines else CRASH_COLOURS.index(note["hazard"])


def _call(call: Mapping[str, Any]) -> str:
    if call["call"] == "bend":
        return _bend(call)
    if call["call"] == "jump":
        return pgettext("pace note", "jump %(gear)d") % {"gear": call["limit"]}
    if call["call"] == "water":
        return pgettext("pace note", "water")
    if call["call"] == "narrow":
        narrow = pgettext("pace note", "narrows")
        return f"{narrow} {call['limit']}" if call["limit"] else narrow
    return pgettext("pace note", "start") if call["call"] == "start" else pgettext("pace note", "finish")


def _bend(call: Mapping[str, Any]) -> str:
    """Return side and limit, "long" when the inside is long, how the bend continues, and where it may be cut."""
    side = pgettext("pace note", "left") if call["side"] == "left" else pgettext("pace note", "right")
    first, *_rest = call["limits"]
    if call["shape"] in HAIRPINS:
        side = pgettext("pace note", "hairpin %(side)s") % {"side": side}
    words = [f"{side} {first}"]
    if call["long"] or any(before == after for before, after in pairwise(call["limits"])):
        words.append(pgettext("pace note", "long"))
    words.extend(_cut(call["cuts"][0]))
    for (before, after), cuts in zip(pairwise(call["limits"]), call["cuts"][1:], strict=True):
        if after < before:
            words.append(pgettext("pace note", "tightens %(limit)d") % {"limit": after})
        elif after > before:
            words.append(pgettext("pace note", "opens %(limit)d") % {"limit": after})
        words.extend(_cut(cuts))
    return " ".join(words)


def _cut(limits: Sequence[int]) -> list[str]:
    """Return where a shortcut leads along a bend."""
    return [pgettext("pace note", "cut %(limits)s") % {"limits": "-".join(map(str, limits))}] if limits else []
