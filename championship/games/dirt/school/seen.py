"""What was driven in a scene, as its tests ask."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from championship.games.dirt.school.openings import PUPIL
from championship.runs.watch.scenes import Driven


def _own(driven: Driven, kind: str) -> list[Mapping[str, Any]]:
    return driven.of_kind(kind, driver=PUPIL)


def plan_of(driven: Driven) -> list[str]:
    """Return the moves that the pupil laid first; none before that, and where the turn had begun."""
    turns = _own(driven, "turn")
    return str(turns[0]["plan"]).split() if turns else []


def dice_laid(driven: Driven) -> list[str]:
    """Return the dice of the plan without their brakes: "1" to "6", "c" for a coast die, "x" for a brake alone."""
    return [move.partition(":")[0].rstrip("b") for move in plan_of(driven)]


def braked(driven: Driven) -> bool:
    """Return whether a brake die was laid with a gear die."""
    return any("b" in move.partition(":")[0] for move in plan_of(driven))


def spaces(driven: Driven) -> list[str]:
    """Return the spaces that the pupil's car was moved onto, in order."""
    return [str(event["space"]) for event in _own(driven, "move")]


def onto(driven: Driven, *slots: str) -> bool:
    """Return whether the car was moved onto a space whose slot begins with one of these, and kept control there."""
    for event, following in pairwise([*_own_or_general(driven), {"kind": ""}]):
        there = event["kind"] == "move" and str(event["space"]).split(".")[-1].startswith(slots)
        if there and following["kind"] != "loss":
            return True
    return False


def _own_or_general(driven: Driven) -> list[Mapping[str, Any]]:
    return [event for event in driven.events if event.get("driver") == PUPIL and event["kind"] != "phase"]


def reached(driven: Driven, *sections: str) -> bool:
    """Return whether the car was moved onto a space of one of these sections, such as "3.1"."""
    return any(space.startswith(f"{section}.") for space in spaces(driven) for section in sections)


def in_control(driven: Driven) -> bool:
    """Return whether the pupil ended a turn in control, after a move, and lost it in none."""
    return ended_in_gear(driven, 1) and not _own(driven, "loss")


def ended_in_gear(driven: Driven, least: int) -> bool:
    """Return whether the pupil's last card is a time card of this gear or a higher one."""
    cards = _own(driven, "card")
    return bool(cards) and cards[-1]["side"] == "front" and int(cards[-1]["gear"]) >= least


def seconds(driven: Driven) -> int:
    """Return what the pupil's turns cost: the cards, less the second tokens that were won, and with those spent."""
    cards = sum(int(event["seconds"]) for kind in ("card", "spare") for event in _own(driven, kind))
    won = sum(int(event["seconds"]) for event in _own(driven, "roll all"))
    spent = sum(int(event["seconds"]) for event in _own(driven, "secure"))
    return cards + spent - won


def last_gear(driven: Driven) -> int:
    """Return the gear of the pupil's last card; 0 without one."""
    cards = _own(driven, "card")
    return int(cards[-1]["gear"]) if cards else 0


def jumped(driven: Driven) -> bool:
    """Return whether the car was moved over a bump, by a jump."""
    return any("^" in str(event["plan"]) for event in _own(driven, "move"))
