"""Scenes of Dirt & Dust for tests: by default drivers have dice 1 2 3 and empty hands; cards can be changed for
a test.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from engine.dust import scenario
from engine.dust.cards import card_set_reading
from engine.dust.cards.card_set import CardSet
from engine.dust.choices import choices
from engine.dust.viewing import printed

OWN = card_set_reading.own()
BARE: dict[str, Any] = {"hand": [], "deck": []}


def card_set(cards: Mapping[str, Any] | None = None, stage: Sequence[Any] = (), **changes: Any) -> CardSet:
    """Return our own set with other effects for some cards, other first cards of saltwind, or other tables."""
    document = copy.deepcopy(card_set_reading.own_document())
    for name, effects in (cards or {}).items():
        one = next(card for card in document["card"] if card["name"] == name)
        one.update(effects if isinstance(effects, dict) else {"effects": effects})
    for place, card in enumerate(stage):
        document["stages"]["saltwind"]["cards"][place] = {"cost": 0, **card}
    for name, table in changes.items():
        document[name].update(table)
    return card_set_reading.of_document(document)


def probe(*effects: Any, **changes: Any) -> CardSet:
    """Return our own set in which the card `bolts` has these effects. A text is an effect without conditions."""
    return card_set({"bolts": [{"do": one} if isinstance(one, str) else one for one in effects]}, **changes)


def document(
    *turns: tuple[str, Sequence[str]],
    drivers: Mapping[str, Mapping[str, Any]],
    chance: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return a scenario: each driver by id with its start. `driver` in it is the character."""
    listed: list[dict[str, Any]] = []
    for name, start in drivers.items():
        one: dict[str, Any] = {"id": name, "start": {**BARE, **{k: v for k, v in start.items() if k != "driver"}}}
        if "driver" in start:
            one["driver"] = start["driver"]
        listed.append(one)
    given = {name: {"dice": "123" * 12} for name in drivers}
    for name, kinds in (chance or {}).items():
        given[name] = {**given.get(name, {}), **kinds}
    return {
        "game": "dust",
        "stage": "saltwind",
        "drivers": listed,
        "chance": given,
        "turns": [{"driver": name, "steps": list(steps)} for name, steps in turns],
        **more,
    }


def run(*turns: tuple[str, Sequence[str]], cards: CardSet = OWN, **more: Any) -> dict[str, Any]:
    """Return the printed result after these turns, all of them legal."""
    table, error = scenario.ended(document(*turns, **more), cards)
    assert error is None, error
    return printed(table, cards)


def stopped(*turns: tuple[str, Sequence[str]], cards: CardSet = OWN, **more: Any) -> str:
    """Return the rule that refuses the last step of the last turn. All steps before it must be legal."""
    _, error = scenario.ended(document(*turns, **more), cards)
    assert error is not None, "nothing was refused"
    assert (error["turn"], error["step"]) == (len(turns), len(turns[-1][1])), error
    rule: str = error["rule"]
    return rule


def _alone(
    steps: Sequence[str], dice: str, risk: Sequence[str], popularity: str, drawn: Sequence[str], start: dict[str, Any]
) -> dict[str, Any]:
    chance = {"dice": dice, "risk": list(risk), "popularity": popularity, "cards": list(drawn)}
    return {"drivers": {"ana": {"driver": "harry", **start}}, "chance": {"ana": chance}}


def after(
    *steps: str,
    dice: str = "123",
    risk: Sequence[str] = (),
    popularity: str = "",
    drawn: Sequence[str] = (),
    cards: CardSet = OWN,
    prepare: str = "prepare",
    more: Mapping[str, Any] | None = None,
    **start: Any,
) -> dict[str, Any]:
    """Return Ana's printed state after `prepare` and these steps, alone on the stage."""
    told = _alone(steps, dice, risk, popularity, drawn, start)
    ana: dict[str, Any] = run(("ana", [prepare, *steps]), cards=cards, **told, **(more or {}))["drivers"]["ana"]
    return ana


def refused(
    *steps: str,
    dice: str = "123",
    risk: Sequence[str] = (),
    popularity: str = "",
    drawn: Sequence[str] = (),
    cards: CardSet = OWN,
    prepare: str | None = "prepare",
    more: Mapping[str, Any] | None = None,
    **start: Any,
) -> str:
    """Return the rule that refuses the last of these steps, after `prepare` unless that is None."""
    told = _alone(steps, dice, risk, popularity, drawn, start)
    return stopped(("ana", [*([prepare] if prepare else []), *steps]), cards=cards, **told, **(more or {}))


def legal(*steps: str, cards: CardSet = OWN, dice: str = "123", risk: Sequence[str] = (), **start: Any) -> list[str]:
    """Return Ana's legal next steps after `prepare` and these steps."""
    told = _alone(steps, dice, risk, "", (), start)
    table, error = scenario.ended(document(("ana", ["prepare", *steps]), **told), cards)
    assert error is None, error
    return choices(table, "ana", cards)


def laid(**slots: str) -> dict[str, str]:
    """Return a board: s4="ready" puts a card on slot 4."""
    return {slot[1:]: card for slot, card in slots.items()}
