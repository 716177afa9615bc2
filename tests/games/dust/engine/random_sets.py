"""Random card sets that use every operation, condition and combination of the effect language (chapter E)."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

from engine.dust.cards import card_set_reading

ROWS_ZONES = ("accelerate", "brake", "red", "yellow", "grey", "holder")
FREE = (
    "keys {n}",
    "traction {n}",
    "popularity {n}",
    "speed {n}",
    "keys {n} per risk",
    "traction 1 per {k} empty max {n}",
    "popularity 1 per removed",
    "speed 1 per {k} dice max 2",
    "lose keys {n}",
    "lose traction {n}",
    "lose popularity {n}",
    "move left {n}",
    "move right {n}",
    "move {n}",
    "shift",
    "centre",
    "repair {n}",
    "set one {v} {w}",
    "set all {v}",
    "nudge",
    "cover left {n}",
    "cover any",
    "take 1-3",
    "take 0-5",
    "shuffle",
)
MOVING = ("discard any", "discard all", "remove any", "return", "swap")
THIS = ("discard this", "remove this")
CHANCE = ("boost", "reroll", "draw {n}")


def _filled(rng: Random, text: str) -> str:
    return text.format(n=rng.randint(1, 3), k=rng.randint(1, 3), v=rng.randint(1, 6), w=rng.randint(1, 6))


def effect(rng: Random, *, on_stage: bool = False, passive: bool = False) -> dict[str, Any]:
    """Return a random effect that chapter E allows."""
    made: dict[str, Any] = {}
    voids = passive and rng.random() < 0.3
    this = not on_stage and rng.random() < 0.25
    pool = list(FREE) + ([] if this and passive else list(MOVING))
    if voids:
        pool = [one for one in FREE if one.split()[0] in ("keys", "traction", "popularity", "speed", "centre", "lose")]
        pool += ["discard all"] if not this else []
    names = [_filled(rng, rng.choice(pool)) for _ in range(rng.randint(0, 2))]
    if this:
        names.insert(rng.randint(0, len(names)), rng.choice(THIS))
    if voids:
        names.insert(0, "void")
    if rng.random() < 0.3:
        names.append(_filled(rng, rng.choice(CHANCE[:1] + CHANCE[2:] if voids else CHANCE)))
    if rng.random() < 0.15:
        names.append("risk")
    names = names or ["keys 1"]
    when = [rng.choice(ROWS_ZONES)] if rng.random() < 0.35 else []
    if rng.random() < 0.1:
        when.append(f"risk>={rng.randint(0, 2)}")
    if not passive and not on_stage and rng.random() < 0.2:
        when.append(rng.choice(("die=1-3", "die=4", "kind=player", "kind=boost", "kind=popularity")))
    if when:
        made["when"] = " ".join(when)
    if passive:
        made["passive"] = True
    elif rng.random() < 0.25:
        made["must"] = True
    if not made.get("must") and rng.random() < 0.25:
        resource = rng.choice(("keys", "traction", "popularity"))
        made["pay"] = f"{resource} {rng.choice(('1', '2', 'all'))}"
        if rng.random() < 0.5:
            names.insert(1 if voids else 0, f"{rng.choice(('keys', 'speed'))} 1 per paid max 4")
    made["do"] = "; ".join(names)
    return made


def random_set(seed: int) -> dict[str, Any]:
    """Return the document of a card set: our own with other effects, costs and end points."""
    rng = Random(seed)
    document = copy.deepcopy(card_set_reading.own_document())
    for card in document["card"]:
        effects = [effect(rng) for _ in range(rng.randint(0, 3))]
        if rng.random() < 0.5:
            effects.insert(rng.randint(0, len(effects)), effect(rng, passive=True))
        card["effects"] = effects
        if "cost" in card:
            card["cost"] = rng.randint(0, 5)
            card["points"] = rng.randint(-2, 3)
    for stage in document["stages"].values():
        for card in stage["cards"]:
            card["effects"] = [effect(rng, on_stage=True) for _ in range(rng.randint(0, 3))]
            card["cost"] = rng.randint(0, 4)
            card["star"] = rng.random() < 0.2
            card.pop("move", None)
            if rng.random() < 0.8:
                card["move"] = f"{rng.choice(('left', 'right'))} {rng.randint(1, 3)}"
    return document
