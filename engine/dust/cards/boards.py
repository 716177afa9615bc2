"""Parsing the parts of a card set other than cards: dice, limits, team board, cockpit and score (C1 to C3,
M1, M4, M6).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from engine.dust.cards.card_set import BLANK, Limits, Score, Space
from engine.dust.cards.effects import ROWS, ZONES
from engine.dust.cards.faults import Collector, Reason

_RISK_FACE = re.compile(r"[0-9]/[0-9]", re.ASCII)


def dice(document: Mapping[str, Any], found: Collector, faces: int) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """Return the faces of the risk die and of the popularity die, and the most boost dice of a round (C2)."""
    table = found.table(document, "dice", (), "dice", "C2")
    risk = found.entries(table, "risk", ("dice",), "dice", "C2")
    popularity = found.entries(table, "popularity", ("dice",), "dice", "C2")
    for place, face in enumerate(risk):
        if not isinstance(face, str) or not _RISK_FACE.fullmatch(face):
            found.add(
                ("dice", "risk", place),
                "dice",
                "C2",
                Reason("%(face).40r is not written as hits/popularity", face=face),
            )
    for place, face in enumerate(popularity):
        if face != BLANK and not (isinstance(face, str) and len(face) == 1 and face in _digits(faces)):
            found.add(
                ("dice", "popularity", place),
                "dice",
                "C2",
                Reason("%(face).40r is neither a value nor %(blank)r", face=face, blank=BLANK),
            )
    if not risk or not popularity:
        found.add(("dice",), "dice", "C2", Reason("a die has at least one face"))
    supply = found.number(table, "boost_supply", ("dice",), "dice", "C2")
    return tuple(str(face) for face in risk), tuple(str(face) for face in popularity), supply


def _digits(faces: int) -> str:
    return "".join(str(value) for value in range(1, faces + 1))


def limits(document: Mapping[str, Any], found: Collector) -> Limits:
    """Return the limits of a card set (C1)."""
    table = found.table(document, "limits", (), "limits", "C1")
    least = {"damage_track": 1, "open_stage_cards": 1, "copies_in_pile": 1, "damage_tokens": 0}
    return Limits(
        **{
            one.name: found.number(table, one.name, ("limits",), "limits", "C1", least=least.get(one.name, 0))
            for one in fields(Limits)
        }
    )


def slots(document: Mapping[str, Any], found: Collector, faces: int) -> tuple[str, ...]:
    """Return the slots from left to right (C3)."""
    table = found.table(document, "team_board", (), "team_board", "C3")
    read = found.entries(table, "slots", ("team_board",), "team_board", "C3")
    if sorted(read, key=str) != list(range(1, faces + 1)):
        found.add(
            ("team_board", "slots"),
            "team_board",
            "C3",
            Reason("slots are the values 1 to %(most)d, each once", most=faces),
        )
    return tuple(str(one) for one in read)


Cockpit = tuple[str, dict[str, Space], dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]


def cockpit(document: Mapping[str, Any], found: Collector) -> Cockpit:
    """Return the centre, the spaces, the rows from left to right, and for each space the spaces to which a change of
    row leads (M1, M4, M6).
    """
    table = found.table(document, "cockpit", (), "cockpit", "M1")
    upper, lower = ROWS["accelerate"], ROWS["brake"]
    spaces: dict[str, Space] = {}
    rows: dict[str, tuple[str, ...]] = {}
    for key, row in (("upper", upper), ("lower", lower)):
        read = found.entries(table, key, ("cockpit",), "cockpit", "M6")
        rows[row] = tuple(f"{row}{place}" for place in range(1, len(read) + 1))
        for place, one in enumerate(read):
            spaces[rows[row][place]] = _space(one, ("cockpit", key, place), found)
    shifts = {
        **_shifts(table, "down", rows[upper], rows[lower], found),
        **_shifts(table, "up", rows[lower], rows[upper], found),
    }
    centre = found.text(table, "centre", ("cockpit",), "cockpit", "M1")
    if centre not in spaces:
        found.add(
            ("cockpit", "centre"), "cockpit", "M1", Reason("%(centre).40r is no space of the track", centre=centre)
        )
    return centre, spaces, rows, shifts


def _space(read: Any, path: tuple[str | int, ...], found: Collector) -> Space:
    if not isinstance(read, dict) or read.get("zone") not in ZONES:
        found.add(path, "cockpit", "M6", Reason("a space has a zone: one of %(known)s", known=", ".join(ZONES)))
        return Space(ZONES[0])
    return Space(
        read["zone"],
        found.number(read, "speed", path, "cockpit", "M6", default=0),
        found.number(read, "popularity", path, "cockpit", "M6", default=0),
    )


def _shifts(
    table: Mapping[str, Any], key: str, row: tuple[str, ...], other: tuple[str, ...], found: Collector
) -> dict[str, tuple[str, ...]]:
    read = found.entries(table, key, ("cockpit",), "cockpit", "M4")
    if len(read) != len(row):
        found.add(
            ("cockpit", key),
            "cockpit",
            "M4",
            Reason(
                "%(key)s gives %(number)d spaces, the row has %(spaces)d", key=key, number=len(read), spaces=len(row)
            ),
        )
    for place, one in enumerate(read):
        if not isinstance(one, list) or not one or any(space not in other for space in one):
            found.add(
                ("cockpit", key, place), "cockpit", "M4", Reason("%(key)s leads to spaces of the other row", key=key)
            )
    return {
        space: tuple(str(one) for one in leads)
        for space, leads in zip(row, read, strict=False)
        if isinstance(leads, list)
    }


def score(document: Mapping[str, Any], found: Collector) -> Score:
    """Return the numbers for the score at the end (F2, F3, F5)."""
    table = found.table(document, "score", (), "score", "F2")
    return Score(
        **{one.name: found.number(table, one.name, ("score",), "score", "F2", least=None) for one in fields(Score)}
    )
