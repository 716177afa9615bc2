"""Scenarios: a few turns of Rallyman: DIRT as one JSON document with all draws given in advance. They serve to try out
rules. docs/records.md specifies the format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.chance import ChanceError, DrawScope
from engine.contract import Event, GameError, RuleError, State
from engine.dirt.game import WHOLE_TURN, Dirt, game
from engine.dirt.table import Dealer
from engine.record import message_with_place
from engine.verification import RecordError, require_field

READS_UNNAMED = True
"""A scenario file without a game belongs to this game."""


class Given(Dealer):
    """Chance with the draws of a scenario: each kind of draw comes from its own list, in order."""

    def __init__(
        self,
        *,
        dice: str = "",
        cards: Sequence[str] = (),
        tokens: Sequence[str] = (),
        shortcuts: Sequence[str] = (),
    ) -> None:
        if strange := set(dice) - {".", "!"}:
            raise ChanceError(f"dice are written with . and !, not {''.join(sorted(strange))!r}")
        self._dice = iter(dice)
        self._cards = iter(cards)
        self._tokens = (iter(tokens), iter(shortcuts))

    def number(self, what: str, ends: int, *, by: DrawScope = "run") -> int:
        raise ChanceError(f"a scenario tells dice, cards and tokens only, not {what}")

    def die(self, what: str, *, warnings: int, faces: int, shared: bool) -> bool:
        face = next(self._dice, None)
        if face is None:
            raise ChanceError(f"no die is left for {what}")
        return face == "!"

    def card(self, what: str, left: Mapping[str, int], *, seen: bool) -> str | None:
        if not seen:
            return None
        back = next(self._cards, None)
        if back is None:
            raise ChanceError(f"no card is left for {what}")
        return back

    def token(self, what: str, left: Mapping[str, int], *, side: int) -> str | None:
        shown = next(self._tokens[side], None)
        if shown is None:
            raise ChanceError(f"no token is left for {what}")
        other = "?"
        return f"{shown}/{other}" if side == 0 else f"{other}/{shown}"


def play(document: Any) -> tuple[dict[str, Any], bool]:
    """Play a scenario file. Return what to print, and whether all turns were legal.

    Raises: RecordError when the document cannot be read, or its draws do not fit.
    """
    turns = -1
    try:
        for moment in moments(document):
            state, turns = moment[0], turns + 1
    except RuleError as error:
        return {"error": {"turn": turns + 1, "rule": error.rule, "message": error.message}}, False
    return _summary(game(), state, [driver["id"] for driver in document["drivers"]]), True


def moments(document: Any) -> Iterator[tuple[State, Sequence[Event]]]:
    """Yield the state at the beginning of a scenario file without events, then the state after each turn with the
    turn's events.

    Raises: RecordError when the document cannot be read, or its draws do not fit.
    Raises: RuleError when a turn is illegal.
    """
    if not isinstance(document, Mapping):
        raise RecordError("a scenario is a JSON object")
    rules = game()
    if (named := require_field(document, "game", str, rules.name)) != rules.name:
        raise RecordError(f"game: {named!r:.40} is not {rules.name}")
    state = _scenario_setup(rules, document)
    chance = _given(require_field(document, "chance", dict, {}))
    yield state, []
    for number, turn in enumerate(require_field(document, "turns", list, []), 1):
        try:
            state, events = _scenario_turn(rules, state, turn, chance)
        except (RecordError, ChanceError) as error:
            raise RecordError(f"turn {number}: {error}") from None
        yield state, events


def _given(written: Mapping[str, Any]) -> Given:
    """Return the chance of a scenario.

    Raises: RecordError when the lists of draws cannot be read.
    """
    lists = ("cards", "tokens", "shortcuts")
    if strange := set(written) - {"dice", *lists}:
        raise RecordError(f"chance: {min(strange):.40}: there are dice, {', '.join(lists)}")
    words = {name: require_field(written, name, list, []) for name in lists}
    for name, drawn in words.items():
        if not all(isinstance(word, str) for word in drawn):
            raise RecordError(f"chance: {name} lists words")
    try:
        return Given(dice=require_field(written, "dice", str, ""), **words)
    except ChanceError as error:
        raise RecordError(f"chance: {error}") from None


def _scenario_setup(rules: Dirt, document: Mapping[str, Any]) -> State:
    named = require_field(document, "stage", object)
    if isinstance(named, str):
        if named not in rules.library():
            raise RecordError(f"stage: there is no ready-made stage {named!r}")
        named = rules.library()[named]
    last = require_field(document, "last_stage", bool, True)
    options = {
        name: "none" if value is None else value for name, value in require_field(document, "options", dict, {}).items()
    }
    try:
        stage = rules.in_rally(rules.read_course(named), last=last)
        cleaned = rules.clean_options(options)
    except GameError as error:
        raise RecordError(message_with_place(error)) from None
    entrants = [_entrant(rules, driver, cleaned) for driver in require_field(document, "drivers", list, [])]
    names = [entrant["id"] for entrant in entrants]
    if not names or len(set(names)) < len(names):
        raise RecordError("drivers: at least one, and each of them once")
    if len(names) > rules.seats.most:
        raise RecordError(f"drivers: at most {rules.seats.most} drive a stage together")
    try:
        return rules.setup(stage, entrants, cleaned)
    except GameError as error:
        raise RecordError(f"drivers: {error.message}") from None


def _entrant(rules: Dirt, driver: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(driver, Mapping):
        raise RecordError("drivers: each is an object with an id")
    car = rules.new_luggage(options)
    car["damage"] = {**car["damage"], **require_field(driver, "damage", dict, {})}
    car["spare"] = require_field(driver, "spare", bool, car["spare"])
    car["sisu"] = require_field(driver, "sisu", bool, car["sisu"])
    entrant: dict[str, Any] = {"id": require_field(driver, "id", str), "car": car}
    if "space" in driver:
        entrant["space"] = require_field(driver, "space", str)
    for field in ("gear", "tokens"):
        if field in driver:
            entrant[field] = require_field(driver, field, int)
    return entrant


def _scenario_turn(rules: Dirt, state: State, turn: Any, chance: Given) -> tuple[State, Sequence[Event]]:
    if not isinstance(turn, Mapping):
        raise RecordError("an object with driver and plan")
    orders = {
        "do": WHOLE_TURN,
        "plan": require_field(turn, "plan", str, ""),
        "roll": require_field(turn, "roll", str, "one by one"),
    }
    for field, kind in (("stop_after", int), ("secure", list), ("sisu", bool), ("relay", str), ("spare", bool)):
        if turn.get(field) is not None:
            orders[field] = require_field(turn, field, kind)
    if require_field(turn, "retire", bool, False):
        orders["do"] = "retire"
    if not all(type(number) is int for number in orders.get("secure", ())):
        raise RecordError("secure: the numbers of moves")
    return rules.play_recorded(state, require_field(turn, "driver", str), orders, chance)


def _summary(rules: Dirt, state: State, drivers: Sequence[str]) -> dict[str, Any]:
    """Return what a replay prints: each driver, the driver who plays next, the mud on each tile."""
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
