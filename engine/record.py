"""A stage as one JSON document: setup, turns, events, chance; written, read, replayed, verified.

Two documents are read here. A scenario (chance given in advance, orders turn by turn) is how rules are
tried. A record (`"record": 1`) is what a run leaves behind: its setup, every order with the events it
brought, and, once the run is over, the secret from which anyone can draw all chance again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine import ruleset
from engine.chance import ChanceError, Given, Seeded, commitment
from engine.ruleset import Event, GameError, OptionError, RuleError, Ruleset, StageError, State

FORMAT = 1


_DAMAGED = (KeyError, TypeError, ValueError, AttributeError, IndexError)
"""What reading on in a damaged document runs into."""


class RecordError(GameError):
    """A document that cannot be read: what is wrong and where."""


def _have(document: Mapping[str, Any], field: str, kind: type, default: Any = None) -> Any:
    value = document.get(field, default)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise RecordError(f"{field}: {kind.__name__} expected, not {value!r:.40}")
    return value


def _placed(error: GameError) -> str:
    """What is wrong with a stage or with options, behind its place in the document."""
    if isinstance(error, StageError):
        return f"stage: tile {error.tile}: {error.message}" if error.tile else f"stage: {error.message}"
    return f"options: {error.option}: {error.message}" if isinstance(error, OptionError) else error.message


def _broken(error: Exception) -> str:
    """What reading on in a damaged document ran into, in words."""
    if isinstance(error, GameError):
        return error.message
    if isinstance(error, KeyError):
        return f"{error.args[0]!r:.40} is missing"
    return f"something else was expected here ({error!s:.80})"


# Scenarios ----------------------------------------------------------------------------------------


def play_scenario(document: Any) -> tuple[dict[str, Any], bool]:
    """Play a scenario file: what there is to print, and whether all turns were legal. Errors: RecordError."""
    if not isinstance(document, Mapping):
        raise RecordError("a scenario is a JSON object")
    rules = ruleset.get(_have(document, "game", str, "dirt"))
    state, drivers = _scenario_setup(rules, document)
    chance = _given(_have(document, "chance", dict, {}))
    for number, turn in enumerate(_have(document, "turns", list, []), 1):
        try:
            state = _scenario_turn(rules, state, turn, chance)
        except RuleError as error:
            return {"error": {"turn": number, "rule": error.rule, "message": error.message}}, False
        except (RecordError, ChanceError) as error:
            raise RecordError(f"turn {number}: {error}") from None
    return _summary(rules, state, drivers), True


def _given(written: Mapping[str, Any]) -> Given:
    """The chance of a scenario, each kind of draw a list of words. Errors: RecordError."""
    lists = ("cards", "tokens", "shortcuts")
    if strange := set(written) - {"dice", *lists}:
        raise RecordError(f"chance: {min(strange):.40}: there are dice, {', '.join(lists)}")
    words = {name: _have(written, name, list, []) for name in lists}
    for name, drawn in words.items():
        if not all(isinstance(word, str) for word in drawn):
            raise RecordError(f"chance: {name} lists words")
    try:
        return Given(dice=_have(written, "dice", str, ""), **words)
    except ChanceError as error:
        raise RecordError(f"chance: {error}") from None


def _scenario_setup(rules: Ruleset, document: Mapping[str, Any]) -> tuple[State, list[str]]:
    named = _have(document, "stage", object)
    if isinstance(named, str):
        if named not in rules.library():
            raise RecordError(f"stage: there is no ready-made stage {named!r}")
        named = rules.library()[named]
    last = _have(document, "last_stage", bool, True)
    options = {name: "none" if value is None else value for name, value in _have(document, "options", dict, {}).items()}
    try:
        stage = {**rules.read_stage(named), "last": last}
        cleaned = rules.clean_options(options)
    except GameError as error:
        raise RecordError(_placed(error)) from None
    entrants = [_entrant(rules, driver, cleaned) for driver in _have(document, "drivers", list, [])]
    names = [entrant["id"] for entrant in entrants]
    if not names or len(set(names)) < len(names):
        raise RecordError("drivers: at least one, and each of them once")
    if len(names) > rules.most_on_a_stage:
        raise RecordError(f"drivers: at most {rules.most_on_a_stage} drive a stage together")
    try:
        return rules.setup(stage, entrants, cleaned), names
    except GameError as error:
        raise RecordError(f"drivers: {error.message}") from None


def _entrant(rules: Ruleset, driver: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(driver, Mapping):
        raise RecordError("drivers: each is an object with an id")
    car = rules.new_car(options)
    car["damage"] = {**car["damage"], **_have(driver, "damage", dict, {})}
    car["spare"] = _have(driver, "spare", bool, car["spare"])
    car["sisu"] = _have(driver, "sisu", bool, car["sisu"])
    entrant: dict[str, Any] = {"id": _have(driver, "id", str), "car": car}
    if "space" in driver:
        entrant["space"] = _have(driver, "space", str)
    for field in ("gear", "tokens"):
        if field in driver:
            entrant[field] = _have(driver, field, int)
    return entrant


def _scenario_turn(rules: Ruleset, state: State, turn: Any, chance: Given) -> State:
    if not isinstance(turn, Mapping):
        raise RecordError("an object with driver and plan")
    orders = {"do": "turn", "plan": _have(turn, "plan", str, ""), "roll": _have(turn, "roll", str, "one by one")}
    for field, kind in (("stop_after", int), ("secure", list), ("sisu", bool), ("relay", str), ("spare", bool)):
        if turn.get(field) is not None:
            orders[field] = _have(turn, field, kind)
    if _have(turn, "retire", bool, False):
        orders["do"] = "retire"
    if not all(type(number) is int for number in orders.get("secure", ())):
        raise RecordError("secure: the numbers of moves")
    return rules.play(state, _have(turn, "driver", str), orders, chance)[0]


def _summary(rules: Ruleset, state: State, drivers: Sequence[str]) -> dict[str, Any]:
    """What a replay prints: each driver, who is next, the mud on each tile."""
    shown = rules.view(state, None)
    playing = rules.to_play(state)
    return {
        "drivers": {
            name: {
                **{
                    field: shown["drivers"][name][field]
                    for field in ("space", "gear", "on_track", "cards", "tokens", "spare", "sisu")
                },
                "damage": shown["damage"][name],
                **{field: shown["drivers"][name][field] for field in ("finished", "retired", "stage_time")},
            }
            for name in drivers
        },
        "next": playing[0] if playing else None,
        "mud": {tile: sum(thrown.values()) for tile, thrown in shown["mud"].items()},
    }


# Records ------------------------------------------------------------------------------------------


def write(
    *,
    rules: Ruleset,
    stage: Mapping[str, Any],
    entrants: Sequence[Mapping[str, Any]],
    options: Mapping[str, Any],
    turns: Sequence[Mapping[str, Any]],
    chance: Mapping[str, Any],
) -> dict[str, Any]:
    """A record. `turns`: {"driver", "orders", "events"} in order; `chance`: {"commitment", "phrases",
    "secret"}, the secret in hex.
    """
    return {
        "record": FORMAT,
        "game": rules.name,
        "version": rules.version,
        "stage": dict(stage),
        "entrants": [dict(entrant) for entrant in entrants],
        "options": dict(options),
        "turns": [dict(turn) for turn in turns],
        "chance": dict(chance),
    }


def _opened(document: Any) -> tuple[Ruleset, State]:
    """The ruleset of a record and its state before the first turn. Errors: RecordError."""
    if not isinstance(document, Mapping) or document.get("record") != FORMAT:
        raise RecordError(f"record: this is not a record of format {FORMAT}")
    try:
        rules = ruleset.get(_have(document, "game", str))
        _check_version(rules, _have(document, "version", str))
        stage = {**rules.read_stage(document.get("stage")), "last": _have(document["stage"], "last", bool, True)}
        options = rules.clean_options(_have(document, "options", dict))
        return rules, rules.setup(stage, _have(document, "entrants", list), options)
    except GameError as error:
        raise RecordError(f"setup: {_placed(error)}") from None
    except _DAMAGED as error:
        raise RecordError(f"setup: entrants: {_broken(error)}") from None


def _check_version(rules: Ruleset, version: str) -> None:
    """Rules of this version and of those before it are known here. Errors: RecordError."""
    numbers = [_numbers(one) for one in (version, rules.version)]
    if not numbers[0] or numbers[0] > numbers[1]:
        raise RecordError(f"version: {version!r:.20} is not known here, {rules.title} goes up to {rules.version}")


def _numbers(version: str) -> tuple[int, ...]:
    """1.10 as 1 and 10; nothing for what is no version."""
    parts = version.split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() and len(part) < 6 for part in parts) else ()


def fold(document: Any) -> tuple[Ruleset, State]:
    """The state a record ends in, told by its events alone. Errors: RecordError."""
    rules, state = _opened(document)
    for number, turn in enumerate(_have(document, "turns", list), 1):
        place = f"turn {number}"
        try:
            for count, event in enumerate(turn["events"], 1):
                place = f"turn {number}, event {count}"
                state = rules.apply(state, event)
            rules.view(state, None)
        except _DAMAGED as error:
            raise RecordError(f"{place}: {_broken(error)}") from None
    return rules, state


def verify(document: Any) -> str | None:
    """Draw all chance of a record again from its secret. None when everything agrees, else the first thing that
    does not, in words.

    Errors: RecordError when the document cannot be read at all.
    """
    rules, state = _opened(document)
    given = _have(document, "chance", dict)
    try:
        secret = bytes.fromhex(_have(given, "secret", str))
        common = bytes.fromhex(_have(given, "common", str)) if given.get("common") is not None else None
        chance = Seeded(secret, _have(given, "phrases", list, []), common=common)
    except (TypeError, ValueError) as error:
        raise RecordError(f"chance: {error}") from None
    if commitment(secret) != given.get("commitment"):
        return "the secret is not the one that was promised: its SHA-256 differs"
    for number, turn in enumerate(_have(document, "turns", list), 1):
        try:
            state, events = rules.play(state, turn["driver"], turn["orders"], chance)
            wrong = _first_difference(_have(turn, "events", list), list(events))
        except RuleError as error:
            return f"turn {number}: {error}"
        except _DAMAGED as error:
            raise RecordError(f"turn {number}: {_broken(error)}") from None
        if wrong:
            return f"turn {number}, {wrong}"
    return None if rules.result(state) else "the record breaks off: the secret plays on from its last turn"


def _first_difference(written: Sequence[Event], drawn: Sequence[Event]) -> str | None:
    for number, (there, here) in enumerate(zip(written, drawn, strict=False), 1):
        if there != here:
            return f"event {number} ({here['kind']}): the record says {there}, the secret gives {here}"
    if len(written) != len(drawn):
        return f"the record has {len(written)} events, the secret gives {len(drawn)}"
    return None
