"""Tables of Dirt & Dust for tests: begun, posted to, and played at random."""

from __future__ import annotations

from random import Random
from typing import Any

from engine.dust import game
from tests.games.dust.engine.luck import Luck
from tests.games.dust.engine.random_sets import random_set

GAME = game()
STAGES = ("saltwind", "oldtown", "harrow", "fernwood", "nightowl", "training")


def begun(names: str = "ana bo", stage: str = "saltwind", document: Any = None, **options: Any) -> dict[str, Any]:
    course = GAME.read_course({"stage": stage, "set": document})
    state = GAME.setup(course, [{"id": name} for name in names.split()], options)
    return GAME.begin(state, Luck())[0]


def post(
    state: dict[str, Any], seat: str, *steps: str, luck: Luck | None = None
) -> tuple[dict[str, Any], tuple[Any, ...]]:
    return GAME.play(state, seat, {"do": "steps", "steps": list(steps)}, luck or Luck())


def random_start(seed: int, *, small: float = 0.0) -> tuple[dict[str, Any], Random]:
    """Return a random table: our own set or a random one, one to four drivers, any stage, any options. Of a share of
    tables, `small`, each has at most two drivers and half the cards.
    """
    rng = Random(seed)
    stage = rng.choice(STAGES)
    few = bool(small) and rng.random() < small
    names = " ".join(["ana", "bo", "cy", "dee"][: rng.randint(1, 2 if few else 4)])
    options: dict[str, Any] = {"damaged": rng.randint(0, 2)}
    if stage != "training":
        options |= {"pool": rng.choice(("basic", "advanced")), "cards": "5" if few else rng.choice(("10", "5"))}
        if names == "ana":
            options["ghost"] = rng.choice(("none", "plain", "devil"))
    return begun(names, stage, random_set(seed) if seed % 3 else None, **options), rng


def random_step(state: dict[str, Any], seat: str, rng: Random) -> str:
    """Return any legal step; rarely the end of the turn."""
    ways = [way.text for way in GAME.choices(state, seat).ways]
    busy = [way for way in ways if way != "end"]
    doing = [way for way in ways if way.startswith("do ")]
    if doing and rng.random() < 0.6:
        return rng.choice(doing)
    return rng.choice(busy) if busy and rng.random() < 0.9 else rng.choice(ways)
