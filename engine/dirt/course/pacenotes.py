"""Pace notes: what a codriver reads out on a stage, computed from what is printed on its tiles.

    [{"tile": 2, "after": 3, "hazard": "orange", "calls": [{"call": "bend", "side": "left", "limits": [2], …}, …]}, …]

A note begins at a section that has a call. Further calls belong to the same note if no plain row is between them; a
bend to the same side still belongs to it behind one plain row. `after` counts the plain rows since the note before.
`hazard` is the worst colour of its tiles.
Calls are in driving order. Consecutive bends to the same side are one call:

    {"call": "start"}, {"call": "finish"}
    {"call": "bend", "side", "limits": of the inner path, bend by bend, "long": one of them has several inner spaces,
     "shape": of its first tile, "cuts": limits of the shortcuts along each bend}
    {"call": "jump", "limit"}   {"call": "water"}   {"call": "narrow", "limit": or None}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.dirt.course.compiled_stage import driven
from engine.dirt.facts import CRASH_COLOURS, Section, faces

Note = dict[str, Any]
NEAR = 1
"""The most plain rows between two bends of one call."""


def pace_notes(stage: Mapping[str, Any]) -> list[Note]:
    """Return the notes of a stage in normal form, from the start line to the finish line or the end of the road."""
    reader = _Reader()
    for spot in _spots(stage):
        reader.add(spot)
    return reader.notes


@dataclass(frozen=True, slots=True)
class _Spot:
    """A section of the road, and the hazard and shape of its tile. `cuts`: the limits of shortcuts along it."""

    tile: int
    section: Section
    hazard: str
    shape: str
    cuts: tuple[int, ...]


def _spots(stage: Mapping[str, Any]) -> Iterator[_Spot]:
    """Yield all sections in driving order, from the start line to the finish line."""
    started = False
    for tile, entry in enumerate(stage["tiles"], 1):
        face = faces()[entry["tile"]]
        sections, shortcuts = driven(face, backwards=entry["via"] != face.edges)
        number = 0
        for section in sections:
            line = section.kind in ("start", "finish")
            number += not line
            started = started or section.kind == "start"
            cuts = tuple(
                limit
                for shortcut in shortcuts
                if not line and max(shortcut.leaves) < number < min(shortcut.joins)
                for limit in shortcut.limits
            )
            if started:
                yield _Spot(tile, section, face.hazard, face.shape, cuts)
            if section.kind == "finish":
                return


@dataclass(slots=True)
class _Reader:
    """Collects the notes section by section. `rows` counts the plain rows since the last call."""

    notes: list[Note] = field(default_factory=list)
    rows: int = 0

    def add(self, spot: _Spot) -> None:
        call = _call(spot)
        if call is None:
            self.rows += 1
            return
        last = self.notes[-1]["calls"][-1] if self.notes else {}
        continues = call["call"] == "bend" == last.get("call") and call["side"] == last["side"] and self.rows <= NEAR
        if not continues and (not self.notes or self.rows or call["call"] == "finish"):
            self.notes.append({"tile": spot.tile, "after": self.rows, "hazard": spot.hazard, "calls": []})
        note = self.notes[-1]
        note["hazard"] = max(note["hazard"], spot.hazard, key=CRASH_COLOURS.index)
        if continues:
            last["limits"] += call["limits"]
            last["cuts"] += call["cuts"]
            last["long"] = last["long"] or call["long"]
        else:
            note["calls"].append(call)
        self.rows = 0


def _call(spot: _Spot) -> Note | None:
    """Return the call of one section, or None for a plain row."""
    section = spot.section
    if section.kind in ("start", "finish"):
        return {"call": section.kind}
    if section.kind == "bend":
        return {
            "call": "bend",
            "side": section.inside,
            "limits": [min(section.inner)],
            "long": len(section.inner) > 1,
            "shape": spot.shape,
            "cuts": [list(spot.cuts)],
        }
    if section.kind == "single":
        return {"call": "narrow", "limit": section.limit}
    if section.jump is not None:
        return {"call": "jump", "limit": section.jump}
    return {"call": "water"} if section.water else None
