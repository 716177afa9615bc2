"""A whole turn in one order: for scenarios and records of earlier versions only. It may be refused after a roll.

Here the SISU token is played before the dice when the orders have it, as in those versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.contract import RuleError
from engine.dirt.ending import spare
from engine.dirt.table import Table
from engine.dirt.turn import AT_ONCE, FLAT_OUT, ONE_BY_ONE, accept, lay, relay, roll_next, secure_next, stop


def whole_turn(table: Table, orders: Mapping[str, Any]) -> None:
    """Play a turn whose orders are given all at once: plan, roll, stop_after, secure, sisu, relay, spare.

    Raises: RuleError when the orders are illegal, lack what the turn needs, or contain what it does not need, also when
    dice have been rolled.
    """
    text, roll = orders.get("plan", ""), orders.get("roll", ONE_BY_ONE)
    made = len(text.split())
    stop_after = orders.get("stop_after")
    secure = orders.get("secure") or []
    if stop_after is not None and not 1 <= stop_after <= made:
        raise RuleError("R1" if stop_after else "D9", "stop after 1 to %(made)d moves", made=made)
    if any(not 1 <= number <= made for number in secure):
        raise RuleError("R3", "only moves 1 to %(made)d can be secured", made=made)
    if secure and roll == FLAT_OUT:
        raise RuleError("R3", "dice are secured one by one only, not flat out")
    if stop_after is not None and roll == FLAT_OUT:
        raise RuleError("R4", "flat out all dice are rolled at once: there is no stopping")
    if not made and orders.get("sisu"):
        raise RuleError("R7", "a SISU token helps against dice, and none are rolled")
    lay(table, text, roll, sisu=AT_ONCE if orders.get("sisu") else "")
    while _phase(table) == "rolling":
        if table.turn["made"] == stop_after:
            stop(table)
        elif table.turn["made"] + 1 in secure:
            secure_next(table)
        else:
            roll_next(table)
    if _phase(table) == "lost":
        accept(table)
    _finish_whole_turn(table, orders)


def _phase(table: Table) -> str | None:
    return table.turn["phase"] if table.state["turn"] else None


def _finish_whole_turn(table: Table, orders: Mapping[str, Any]) -> None:
    """Carry out the re-lay and the spare wheel of a whole turn.

    Raises: RuleError when the turn needs a re-lay and there is none, or the orders have one that it does not need.
    """
    again = orders.get("relay")
    if _phase(table) == "relay":
        if not again:
            raise RuleError("R6", "control is lost: lay the dice again")
        relay(table, again)
    elif again:
        raise RuleError("R6", "control is kept: there is nothing to lay again")
    if _phase(table) == "spare":
        spare(table, take=bool(orders.get("spare")))
    elif orders.get("spare"):
        raise RuleError(
            "E4", "the spare wheel is taken at the end of a move in gear 1, unused, for damage aboard before the turn"
        )
