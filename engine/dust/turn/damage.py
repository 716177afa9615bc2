"""Risk and damage (R1 to R6): rolls of risk dice, hits, tokens, and wrecks."""

from __future__ import annotations

from collections.abc import Callable

from engine.dust.state import OUT, Waiting
from engine.dust.turn.step_context import RISK, Turn

CanVoid = Callable[[Turn], bool]
"""A function that returns whether the driver can use a passive effect with `void` now (R6)."""


def take_risk(turn: Turn, can_void: CanVoid) -> None:
    """Take a Risk (R1): put a risk die into the pool and roll it. When all dice are in the pool, roll one
    of them (R2).
    """
    me = turn.me
    me["risk"] = min(me["risk"] + 1, turn.cards.limits.risk_dice)
    hits, symbols = roll(turn, 1)
    hold_or_resolve(turn, {"hits": hits, "symbols": symbols, "opening": False, "pays": 0}, can_void)


def roll(turn: Turn, dice: int) -> tuple[int, int]:
    """Roll risk dice, and return the totals of hits and of popularity symbols (R4)."""
    hits = symbols = 0
    for _ in range(dice):
        hit, _, symbol = turn.draw(RISK, turn.cards.risk_faces).partition("/")
        hits += int(hit)
        symbols += int(symbol)
    return hits, symbols


def hold_or_resolve(turn: Turn, rolled: Waiting, can_void: CanVoid) -> None:
    """Leave a roll pending if it is not blank and can be voided (R6), else resolve it."""
    if rolled["hits"] or rolled["symbols"]:
        turn.me["pending"] = rolled
        if can_void(turn):
            return
        turn.me["pending"] = None
    resolve(turn, rolled)


def resolve(turn: Turn, rolled: Waiting) -> None:
    """Resolve a risk roll: hits, then symbols (R3), and after the roll of the dice phase the popularity die
    (D3, D4).
    """
    _hit(turn, rolled["hits"])
    if turn.me["phase"] == OUT:
        return
    turn.gain("popularity", rolled["symbols"])
    pay_for_die(turn, rolled)


def pay_for_die(turn: Turn, rolled: Waiting) -> None:
    """Pay for the popularity die of the dice phase (D4), unless the car is wrecked (R5)."""
    if rolled["opening"] and turn.me["phase"] != OUT:
        turn.lose("popularity", rolled["pays"])


def _hit(turn: Turn, hits: int) -> None:
    """Move the damage marker and flip tokens (R3); an eighth token wrecks the car (R5)."""
    me, limits = turn.me, turn.cards.limits
    moved = me["hits"] + hits
    tokens, left = divmod(moved, limits.damage_track)
    if me["flipped"] + tokens > limits.damage_tokens:
        me["flipped"] = limits.damage_tokens
        wreck(turn)
    else:
        me["flipped"] += tokens
        me["hits"] = left


def wreck(turn: Turn) -> None:
    """Take a driver out of the game at once (R5). Fields that the rule does not name do not change."""
    me = turn.me
    me["phase"] = OUT
    me["speed"] = me["popularity"] = me["hits"] = 0
    me["markers"] = {}
    me["aside"] = []
    me["dice"] = []
    me["open"] = None
    me["pending"] = None
