"""The columns of results that this service writes (`championship/papers/csv_export.py`), in each of its languages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from championship.lists.reading.layouts import Head
from championship.lists.reading.words import SUBROLE_OF, folded

OWN = frozenset({"penalties and decisions", "strafen und entscheidungen", "kary i decyzje"})
OWN_POINTS = frozenset({"championship points", "meisterschaftspunkte", "punkty mistrzostw"})
"""The published points; all other points there are what a game counts."""
_PENALTIES = re.compile(r"(?:penalties|(?:zeit)?strafen|kary) (?!and decisions|und entsch|i decyzje).*")
_POINTS = frozenset(word for word, role in SUBROLE_OF.items() if role == "points") | {"punktow"}


def is_own(heads: Sequence[Head]) -> bool:
    """Whether these are the headings of results that this service wrote."""
    return any(folded(head.label) in OWN for head in heads)


def own_roles(heads: Sequence[Head], roles: Mapping[int, str]) -> dict[int, str]:
    """Return the roles that differ from `roles`. Our own results hold times of stages, or what a game counts, which is
    no point of a championship. Points of stages are their totals, with what was added to them.
    """
    found: dict[int, str] = {}
    of_stages = [
        head.index
        for head in heads
        if head.group and roles[head.index] == "stage" and not _POINTS.isdisjoint(folded(head.label).split())
    ]
    for head in heads:
        role, words = roles[head.index], folded(head.label)
        timed = words.endswith(" s")
        whole = not head.group and ":" not in head.label
        game = role in ("total", "points", "round") and not timed
        if of_stages and _PENALTIES.fullmatch(words):
            found[head.index] = "penalty"
        elif not head.group and words in OWN_POINTS:
            found[head.index] = "points"
        elif game or (not whole and not (role == "stage" and head.group and timed)):
            found[head.index] = "ignore"
    return found | dict.fromkeys(of_stages, "stage_points")
