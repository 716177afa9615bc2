"""The numbers of the rules that are not printed on cards, dice or boards (`data/ruleset.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Level:
    """A level of the ghost driver (G2): its pairs at the start, and the stage cards that give one more pair each."""

    pairs: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tokens:
    """The numbers of the damage tokens with each effect (R7). `small_hand_limit` is the hand limit of token
    `small_hand`.
    """

    longer_moves: tuple[int, ...]
    dearer_cards: int
    dearer_markers: int
    small_hand: int
    small_hand_limit: int
    no_passive: int
    nothing_kept: int


@dataclass(frozen=True, slots=True)
class Facts:
    """All numbers of the rules."""

    name: str
    title: str
    version: str
    seats_least: int
    seats_most: int
    player_dice: int
    faces: int
    piles: int
    stage_cards: int
    short_cards: int
    training_cards: int
    start_cards: int
    driver_cards: int
    steer_traction: int
    tune_keys: int
    risk_traction: int
    tokens: Tokens
    most_damaged: int
    ghost_pairs: int
    levels: Mapping[str, Level]
    wrecked_behind: int
    speed_dial: int


@cache
def facts() -> Facts:
    """Return the numbers of the rules."""
    found = tomllib.loads(files("engine.dust").joinpath("data/ruleset.toml").read_text("utf-8"))
    tokens = found["tokens"]
    return Facts(
        name=found["name"],
        title=found["title"],
        version=found["version"],
        seats_least=found["seats"]["least"],
        seats_most=found["seats"]["most"],
        player_dice=found["dice"]["player"],
        faces=found["dice"]["faces"],
        piles=found["pool"]["piles"],
        stage_cards=found["stage"]["cards"],
        short_cards=found["stage"]["short"],
        training_cards=found["stage"]["training"],
        start_cards=found["deck"]["start"],
        driver_cards=found["deck"]["driver"],
        steer_traction=found["special"]["steer_traction"],
        tune_keys=found["special"]["tune_keys"],
        risk_traction=found["special"]["risk_traction"],
        tokens=Tokens(**{**tokens, "longer_moves": tuple(tokens["longer_moves"])}),
        most_damaged=found["options"]["damaged"],
        ghost_pairs=found["ghost"]["pairs"],
        levels={name: Level(one["pairs"], tuple(one["cards"])) for name, one in found["ghost"]["levels"].items()},
        wrecked_behind=found["seconds"]["wrecked_behind"],
        speed_dial=found["dials"]["speed"],
    )


@cache
def codrivers() -> Mapping[str, Mapping[str, int]]:
    """Return the weights of codrivers by manner, in hundredths of a point."""
    found: Mapping[str, Mapping[str, int]] = tomllib.loads(
        files("engine.dust").joinpath("data/codrivers.toml").read_text("utf-8")
    )
    return found
