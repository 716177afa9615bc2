"""What was driven in a scene, as its tests ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from championship.games.dust.school.openings import PUPIL
from championship.runs.watch.scenes import Driven
from engine.dust.cards import card_set_reading


def me(driven: Driven) -> Mapping[str, Any]:
    """Return the pupil's side of the table as it is now."""
    found: Mapping[str, Any] = driven.state["drivers"][PUPIL]
    return found


def steps(driven: Driven, *first: str) -> list[list[str]]:
    """Return the words of the pupil's steps that begin with one of these, in order."""
    words = [str(event.get("step", "")).split() for event in driven.of_kind("step", seat=PUPIL)]
    return [each for each in words if each and each[0] in first]


def did(driven: Driven, *first: str) -> bool:
    """Return whether there was such a step."""
    return bool(steps(driven, *first))


def rolled_risk(driven: Driven) -> bool:
    """Return whether a risk die of the pupil was rolled."""
    return any(kind == "risk" for event in driven.events for _who, kind, _face in event.get("drawn", ()))


def below_a_die(driven: Driven) -> bool:
    """Return whether the pupil played a card onto a slot whose number one of the active dice showed then."""
    dice = [die[1] for die in driven.opening.state["drivers"][PUPIL]["dice"]]
    return any(words[2] in dice for words in steps(driven, "play"))


def bought_points(driven: Driven) -> int:
    """Return the points at the end of the cards that the pupil bought."""
    cards = card_set_reading.own().cards
    return sum(cards[words[1]].points for words in steps(driven, "buy"))
