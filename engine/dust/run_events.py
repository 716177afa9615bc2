"""Events: the changes of steps and closings. Folding all events gives the state of the run.

An event has the new values of all changed fields and the results of draws. Folding it needs neither the rules nor the
card set. `only` lists the seats that may read it. `until` says how long: "phase" until an event with `closes` closes
the round (S3), "over" until the stage is over (U6: a hand and the rest of a deck are hidden from others).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from engine.contract import Event
from engine.dust.state import CHOOSE, DONE, OUT, Driver, Table
from engine.dust.turn.step_context import CARDS
from engine.dust.turn.stepping import Outcome

STEP, HAND, ENDED, CLOSED, DRAFT, RESIGNED = "step", "hand", "ended", "closed", "draft", "resigned"
PHASE, OVER = "phase", "over"

HIDDEN = ("hand", "deck")
"""The fields that only the driver may see (U6)."""


def events(old: Table, outcome: Outcome, step: str | None) -> list[Event]:
    """Return the events of a step, in order; with `step` None, those of a resignation."""
    name, before = outcome.turn.name, outcome.before_closing
    was, now = old["drivers"][name], before["drivers"][name]
    changed = _driver_changes(was, now)
    chosen = was["phase"] == CHOOSE and now["phase"] != OUT  # the cards of a character are public (U6)
    hidden = {field: changed.pop(field) for field in HIDDEN if field in changed and not chosen}
    told: Event = {"kind": RESIGNED if step is None else STEP, "seat": name, "set": changed}
    if step is not None:
        told["step"] = step
        told["drawn"] = [one for one in outcome.turn.draw_log if one[1] != CARDS]
    told |= _table_changes(old, before)
    if chosen:
        told["opens"] = True
    found = [_sealed(told, old, name)]
    if hidden:
        cards = [one for one in outcome.turn.draw_log if one[1] == CARDS]
        found.append({"kind": HAND, "seat": name, "set": hidden, "drawn": cards, "only": [name], "until": OVER})
    if now["phase"] in (DONE, OUT) and was["phase"] not in (DONE, OUT):
        found.append({"kind": ENDED, "seat": name})
    if outcome.closing is not None:
        found.append(_closed(before, outcome))
    return found


def _sealed(event: Event, table: Table, name: str) -> Event:
    """Seal the event for other drivers until the round closes (S3). Nothing is sealed on the training stage (T3), or
    while the driver chooses a character.
    """
    is_open = table["training"] or table["drivers"][name]["phase"] == CHOOSE
    return event if is_open else {**event, "only": [name], "until": PHASE}


def _driver_changes(was: Driver, now: Driver) -> dict[str, Any]:
    old, new = cast(Mapping[str, Any], was), cast(Mapping[str, Any], now)
    return {field: value for field, value in new.items() if value is not old[field] and value != old[field]}


def _table_changes(was: Table, now: Table) -> Event:
    changed = {
        field: cast(Mapping[str, Any], now)[field]
        for field in ("round", "over", "holder", "piles", "ghost")
        if cast(Mapping[str, Any], now)[field] != cast(Mapping[str, Any], was)[field]
    }
    return {"table": changed} if changed else {}


def _closed(before: Table, outcome: Outcome) -> Event:
    after = outcome.table
    drivers = {name: _driver_changes(before["drivers"][name], after["drivers"][name]) for name in after["order"]}
    return {
        "kind": CLOSED,
        "closes": True,
        "round": before["round"],
        **(outcome.closing or {}),
        "drivers": {name: changed for name, changed in drivers.items() if changed},
        "opens": not after["over"],
        **_table_changes(before, after),
    }


def draft(name: str, steps: list[str]) -> Event:
    """Return the event that gives steps back to their driver (S9)."""
    return {"kind": DRAFT, "seat": name, "set": {"draft": steps}, "only": [name], "until": OVER}


def apply(table: Table, event: Event) -> Table:
    """Return the run after an event."""
    changes: dict[str, Mapping[str, Any]] = dict(event.get("drivers", {}))
    if event["kind"] in (STEP, HAND, DRAFT, RESIGNED):
        changes[event["seat"]] = event["set"]
    drivers = dict(table["drivers"])
    for name, changed in changes.items():
        drivers[name] = cast(Driver, {**drivers[name], **changed})
    new = cast(Table, {**table, "drivers": drivers, **event.get("table", {})})
    if event.get("opens"):
        new["opened"] = drivers
    return new
