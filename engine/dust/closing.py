"""The end of a round (S4): orders, the assessment (V, G5, G2), clearing (Q1, Q5), the next round (D1) or the end."""

from __future__ import annotations

from typing import Any

from engine.dust.cards.card_set import CardSet
from engine.dust.facts import facts
from engine.dust.orders import Settled, settle
from engine.dust.state import DONE, FINISHED, GHOST, OUT, PREPARE, Driver, Ghost, Laid, Table, still_in
from engine.dust.turn.step_context import with_one_added


def all_ended(table: Table) -> bool:
    """Return whether all drivers have ended their turns (S4)."""
    return all(driver["phase"] in (DONE, OUT) for driver in table["drivers"].values())


def close(table: Table, cards: CardSet) -> tuple[Table, dict[str, Any]]:
    """Close the round. Return the table and the facts for the log: settled orders, gains of markers."""
    table, settled = settle(table, still_in(table), cards)
    table, assessed = assess(table, cards)
    if table["round"] == table["cards"] or not still_in(table):
        table = finish(table)
    else:
        table = open_round(clear(table, cards, settled))
    return table, {"settled": settled, "assessed": assessed}


def assess(table: Table, cards: CardSet) -> tuple[Table, dict[str, dict[str, int]]]:
    """Resolve the stage card of the round (V1): the gains of each marker (V2, V3), then the ghost (G5, G2). Return the
    table and the gains by name.
    """
    number = str(table["round"])
    drivers = dict(table["drivers"])
    told: dict[str, dict[str, int]] = {}
    for name in still_in(table):
        driver = drivers[name]
        count = driver["markers"].get(number, 0)
        if not count:
            continue
        space = cards.spaces[driver["space"]]
        new = driver.copy()
        new["speed"] += count * space.speed
        new["popularity"] = min(new["popularity"] + count * space.popularity, cards.limits.popularity)
        new["markers"] = {card: markers for card, markers in driver["markers"].items() if card != number}
        drivers[name] = new
        told[name] = {
            "markers": count,
            "speed": new["speed"] - driver["speed"],
            "popularity": new["popularity"] - driver["popularity"],
        }
    ghost = table["ghost"]
    if ghost is not None:
        scored = _ghost_assessed(ghost, table["round"], cards)
        told[GHOST] = {
            "pairs": scored["pairs"],
            "speed": scored["speed"] - ghost["speed"],
            "popularity": scored["popularity"] - ghost["popularity"],
        }
        ghost = scored
    return {**table, "drivers": drivers, "ghost": ghost}, told


def _ghost_assessed(ghost: Ghost, round_: int, cards: CardSet) -> Ghost:
    """Return the ghost after the round: it gains for its risk dice that are not blocked (G5), and gets a pair for a
    stage card of its level (G2), up to the limit (G1).
    """
    new = ghost.copy()
    for pair in ghost["dice"]:
        if not pair["blocked"]:
            hits, _, symbols = pair["face"].partition("/")
            new["speed"] += int(hits)
            new["popularity"] = min(new["popularity"] + int(symbols), cards.limits.popularity)
    if round_ in ghost["cards"]:
        new["pairs"] = min(new["pairs"] + 1, facts().ghost_pairs)
        new["cards"] = [card for card in ghost["cards"] if card != round_]
    return new


def finish(table: Table) -> Table:
    """End the game (F1). The boards are not cleared, and the round number does not change."""
    drivers = {
        name: driver if driver["phase"] == OUT else {**driver, "phase": FINISHED}
        for name, driver in table["drivers"].items()
    }
    return {**table, "drivers": drivers, "over": True, "holder": None}  # type: ignore[typeddict-item]


def clear(table: Table, cards: CardSet, settled: list[Settled]) -> Table:
    """Clear the boards of the drivers still in (Q1), apply token 7 (Q5), and increase the round number."""
    back = {name: sum(one["back"] for one in settled if one["seat"] == name) for name in table["order"]}
    drivers = {
        name: driver if driver["phase"] == OUT else _cleared(driver, cards, back[name])
        for name, driver in table["drivers"].items()
    }
    ghost = table["ghost"]
    if ghost is not None:
        ghost = {**ghost, "dice": [], "drawn": {}}
    return {**table, "drivers": drivers, "ghost": ghost, "round": table["round"] + 1}


def _cleared(driver: Driver, cards: CardSet, back: int) -> Driver:
    """Return one driver after the clearing (Q1, Q5). `back` are the keys that were given back for orders, which token 7
    does not take (B6).
    """
    new = driver.copy()
    board: dict[str, Laid] = {}
    for slot, to in zip(cards.slots, (*cards.slots[1:], None), strict=True):
        laid = driver["board"].get(slot)
        if laid is None:
            continue
        if to is None:
            new["discard"] = with_one_added(new["discard"], laid["card"])
        else:
            board[to] = {**laid, "used": False}
    new["board"] = board
    new["phase"] = PREPARE
    new["dice"], new["spent"] = [], []
    new["boosts"], new["passives"], new["drawn"] = 0, {}, {}
    if driver["flipped"] >= facts().tokens.nothing_kept:
        new["keys"], new["traction"] = back, 0
    return new


def open_round(table: Table) -> Table:
    """Open a round: give out the popularity die (D1), and store the state that others see until it closes (S3)."""
    return {**table, "holder": leader(table), "opened": table["drivers"]}


def leader(table: Table) -> str | None:
    """Return the driver who alone has the most popularity, at least 1, or None. The ghost counts as a driver (D1)."""
    has = {name: table["drivers"][name]["popularity"] for name in still_in(table)}
    if table["ghost"] is not None:
        has[GHOST] = table["ghost"]["popularity"]
    most = max(has.values(), default=0)
    leaders = [name for name, popularity in has.items() if popularity == most]
    return leaders[0] if most >= 1 and len(leaders) == 1 else None
