"""Records: write, fold and verify a run as one JSON document with setup, turns, chance and events.

Format 2 holds the stage's seal, the phrases, and every order with its salt, its draws and its events. Format 1 holds a
secret of the run instead; new runs no longer write it, but it is still read. docs/records.md specifies both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine import registry, verification
from engine.chance import Chance, CountedChance, SeededChance, commitment
from engine.contract import (
    Courses,
    Event,
    Game,
    GameError,
    OldOrders,
    OptionError,
    RuleError,
    StageError,
    State,
    offered,
)
from engine.verification import RecordError, require_field

__all__ = [
    "FORMAT",
    "FORMATS",
    "Checked",
    "OldForm",
    "RecordError",
    "check",
    "fold",
    "message_with_place",
    "opened",
    "opening_turn",
    "require_field",
    "verify",
    "write",
]

Find = Callable[[str], Game]

FORMAT = 2
"""The format of new records."""
FORMATS = (1, FORMAT)

OPENING = ""
"""The "driver" of a record's first turn when that turn holds what happened before any seat played."""
CODRIVER = "codriver"
"""The `sent` of orders that the codriver or the clock gave."""
MOST_TURNS = 5_000
MOST_EVENTS = 400
"""The most events that one order may bring."""

_DAMAGE_ERRORS = (KeyError, TypeError, ValueError, AttributeError, IndexError)
"""The exceptions that a damaged document may cause while it is read."""


def message_with_place(error: GameError) -> str:
    """Return the message of an error in a stage or in options, with its place in the document in front."""
    if isinstance(error, StageError):
        return f"stage: {error.placed}"
    return f"options: {error.option}: {error.message}" if isinstance(error, OptionError) else error.message


def _damage_message(error: Exception) -> str:
    """Return a message for an exception that a damaged document caused."""
    if isinstance(error, GameError):
        return error.message
    if isinstance(error, KeyError):
        return f"{error.args[0]!r:.40} is missing"
    return f"something else was expected here ({error!s:.80})"


def write(
    *,
    rules: Game,
    stage: Mapping[str, Any],
    entrants: Sequence[Mapping[str, Any]],
    options: Mapping[str, Any],
    turns: Sequence[Mapping[str, Any]],
    chance: Mapping[str, Any],
    form: int = FORMAT,
) -> dict[str, Any]:
    """Return a record. `turns`: {"driver", "orders", "salt", "draws", "events"} in order; `chance` as
    `verification.chance_of` returns it. In format 1 turns have no salt and no draws, and `chance` is {"commitment",
    "phrases", "secret"}.
    """
    return {
        "record": form,
        "game": rules.name,
        "version": rules.version,
        "stage": dict(stage),
        "entrants": [dict(entrant) for entrant in entrants],
        "options": dict(options),
        "turns": [dict(turn) for turn in turns],
        "chance": dict(chance),
    }


def opening_turn(events: Sequence[Event], draws: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what happened before any seat played, as the first turn of a record."""
    return {"driver": OPENING, "orders": {}, "salt": "", "draws": list(draws), "events": list(events)}


def _set_up(document: Any, find: Find) -> tuple[Game, State]:
    """Return the game of a record and its state before the first turn.

    Raises: RecordError when the document cannot be read, or has more cars, turns or events than a stage can have.
    """
    form = document.get("record") if isinstance(document, Mapping) else None
    if type(form) is not int or form not in FORMATS:  # True and 1.0 also equal 1
        raise RecordError(f"record: this is not a record of format {' or '.join(map(str, FORMATS))}")
    try:
        rules = find(require_field(document, "game", str))
        _check_version(rules, require_field(document, "version", str))
        _check_sizes(rules, document)
        courses, course = offered(rules, Courses), document.get("stage")
        course = course if courses is None else courses.read_course(course)
        options = rules.clean_options(require_field(document, "options", dict))
        return rules, rules.setup(course, require_field(document, "entrants", list), options)
    except GameError as error:
        raise RecordError(f"setup: {message_with_place(error)}") from None
    except _DAMAGE_ERRORS as error:
        raise RecordError(f"setup: entrants: {_damage_message(error)}") from None


def _check_sizes(rules: Game, document: Mapping[str, Any]) -> None:
    """Check the numbers of cars, turns and events, before they cost any time.

    Raises: RecordError when there are more than a stage can have.
    """
    cars, turns = len(require_field(document, "entrants", list)), require_field(document, "turns", list)
    if cars > rules.seats.most:
        raise RecordError(f"entrants: {cars} cars, but at most {rules.seats.most} start together")
    if len(turns) > MOST_TURNS:
        raise RecordError(f"turns: {len(turns)}, but a record has at most {MOST_TURNS}")
    for number, turn in enumerate(turns, 1):
        events = turn.get("events") if isinstance(turn, Mapping) else None
        if isinstance(events, list) and len(events) > MOST_EVENTS:
            raise RecordError(f"turn {number}: {len(events)} events, but an order brings at most {MOST_EVENTS}")


def _check_version(rules: Game, version: str) -> None:
    """Check that the version of the rules is the present one or an earlier one.

    Raises: RecordError when it is later, or not a version.
    """
    numbers = [_numbers(one) for one in (version, rules.version)]
    if not numbers[0] or numbers[0] > numbers[1]:
        raise RecordError(f"version: {version!r:.20} is not known here, {rules.title} goes up to {rules.version}")


def _numbers(version: str) -> tuple[int, ...]:
    """Return (1, 10) for "1.10", and () for a text that is not a version."""
    parts = version.split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() and len(part) < 6 for part in parts) else ()


def fold(document: Any, *, find: Find = registry.get) -> tuple[Game, State]:
    """Return the game of a record and the state in which it ends, from its events alone. `find` returns a game by name.

    Raises: RecordError when the document cannot be read.
    """
    rules, state = _set_up(document, find)
    for number, turn in enumerate(require_field(document, "turns", list), 1):
        place = f"turn {number}"
        try:
            for count, event in enumerate(turn["events"], 1):
                place = f"turn {number}, event {count}"
                state = rules.apply(state, event)
            rules.view(state, None)
        except _DAMAGE_ERRORS as error:
            raise RecordError(f"{place}: {_damage_message(error)}") from None
    return rules, state


def opened(document: Any, *, find: Find = registry.get) -> tuple[Game, State, list[Event]]:
    """Return the game of a record, its state before the first turn, and all its events in order.

    Raises: RecordError when the document cannot be read.
    """
    fold(document, find=find)
    rules, state = _set_up(document, find)
    return rules, state, [event for turn in document["turns"] for event in turn["events"]]


@dataclass(frozen=True, slots=True)
class OldForm:
    """Orders of a record in a form that the rules take no longer. Such orders could be refused after a draw, so the
    driver could have tried them before, with other salts. `turn` is their number in the record, from 1.
    """

    turn: int
    driver: str

    def __str__(self) -> str:
        return (
            f"turn {self.turn}, driver {self.driver}: these orders have a form that could be refused when it had "
            "drawn; the driver could have tried them before, with other salts"
        )


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking a record: the first thing that is wrong, None when everything agrees; and the orders of
    drivers that have an old form and made a draw, as far as the record was played. These make nothing wrong.
    """

    wrong: str | None
    old_forms: tuple[OldForm, ...] = ()


def verify(document: Any, *, promised: str = "", phrases: str = "", find: Find = registry.get) -> str | None:
    """Return the first thing that is wrong in a record, None when everything agrees. Arguments and errors are those of
    `check`.
    """
    return check(document, promised=promised, phrases=phrases, find=find).wrong


def check(document: Any, *, promised: str = "", phrases: str = "", find: Find = registry.get) -> Checked:
    """Check a record: its chance against its seal, then every draw and event against the rules.

    `promised` is the SHA-256 of the seal, and `phrases` the SHA-256 of the phrases, as somebody noted them before the
    stage: in hex, or "" when nobody noted it. `find` returns a game by name.

    Raises: RecordError when the document cannot be read at all.
    """
    verification.check_size(document)
    rules, state = _set_up(document, find)
    table = _Table(rules)
    if document["record"] == 1:
        wrong = _verify_format_1(table, state, document, promised)
    else:
        wrong = verification.check_chance(document, promised=promised, phrases=phrases)
        wrong = wrong or _verify_rules(table, state, document)
    return Checked(wrong, tuple(table.old_forms))


@dataclass(slots=True)
class _Table:
    """The rules by which a record is played again, and the orders of drivers with an old form that made a draw."""

    rules: Game
    old_forms: list[OldForm] = field(default_factory=list)

    def play(
        self, state: State, turn: Mapping[str, Any], chance: Chance, number: int, *, may_open: bool
    ) -> tuple[State, tuple[Event, ...]]:
        """Play one turn of a record. `may_open`: it may be the opening."""
        if may_open and turn["driver"] == OPENING:
            return self.rules.begin(state, chance)
        old, counted = offered(self.rules, OldOrders), CountedChance(chance)
        if old is None:
            return self.rules.play(state, turn["driver"], turn["orders"], counted)
        orders = old.with_old_meaning(turn["orders"], require_field(turn, "events", list))
        is_old = old.is_old(state, turn["driver"], orders)
        played = old.play_recorded(state, turn["driver"], orders, counted)
        if is_old and counted.asked and turn.get("sent") != CODRIVER:
            self.old_forms.append(OldForm(number, turn["driver"]))
        return played


def _verify_rules(table: _Table, state: State, document: Mapping[str, Any]) -> str | None:
    """Check that the orders make exactly the draws of a record and bring exactly its events. Return what is wrong."""
    rules = table.rules
    if wrong := _missing_opening(rules, state, document["turns"]):
        return wrong
    for number, turn in enumerate(document["turns"], 1):
        chance = verification.ListedDraws(turn["draws"])
        try:
            state, events = table.play(state, turn, chance, number, may_open=number == 1)
            wrong = chance.left_over() or _first_difference(
                require_field(turn, "events", list), list(events), "the rules give"
            )
        except verification.UnlistedDraw as error:
            return f"turn {number}, {error}"
        except RuleError as error:
            return f"turn {number}: {error}"
        except _DAMAGE_ERRORS as error:
            raise RecordError(f"turn {number}: {_damage_message(error)}") from None
        if wrong:
            return f"turn {number}, {wrong}"
    return None if rules.result(state) else "the record breaks off: the stage goes on after its last turn"


def _missing_opening(rules: Game, state: State, turns: Sequence[Mapping[str, Any]]) -> str | None:
    """Return what is wrong when a record begins with a seat's turn although something happens before it."""
    try:
        if turns and turns[0]["driver"] == OPENING:
            return None
        _state, events = rules.begin(state, verification.ListedDraws([]))
    except verification.UnlistedDraw:
        events = ({},)
    except _DAMAGE_ERRORS as error:
        raise RecordError(f"turn 1: {_damage_message(error)}") from None
    return "the record leaves out what happens before the first turn" if events else None


def _verify_format_1(table: _Table, state: State, document: Mapping[str, Any], promised: str) -> str | None:
    """Verify a record of format 1, whose draws are made again while the rules play. Return what is wrong."""
    given = require_field(document, "chance", dict)
    try:
        secret = bytes.fromhex(require_field(given, "secret", str))
        common = bytes.fromhex(require_field(given, "common", str)) if given.get("common") is not None else None
        chance = SeededChance(secret, require_field(given, "phrases", list, []), common=common)
    except (TypeError, ValueError) as error:
        raise RecordError(f"chance: {error}") from None
    if promised and promised != given.get("commitment"):
        return "the promise in the record is not the one given (a record of format 1 holds the promise of its run only)"
    if commitment(secret) != given.get("commitment"):
        return "the secret is not the one that was promised: its SHA-256 differs"
    for number, turn in enumerate(require_field(document, "turns", list), 1):
        try:
            state, events = table.play(state, turn, chance, number, may_open=False)
            wrong = _first_difference(require_field(turn, "events", list), list(events), "the secret gives")
        except RuleError as error:
            return f"turn {number}: {error}"
        except _DAMAGE_ERRORS as error:
            raise RecordError(f"turn {number}: {_damage_message(error)}") from None
        if wrong:
            return f"turn {number}, {wrong}"
    return None if table.rules.result(state) else "the record breaks off: the secret plays on from its last turn"


def _first_difference(written: Sequence[Event], drawn: Sequence[Event], source: str) -> str | None:
    for number, (there, here) in enumerate(zip(written, drawn, strict=False), 1):
        if there != here:
            return f"event {number} ({here['kind']}): the record says {there!s:.300}, {source} {here!s:.300}"
    if len(written) != len(drawn):
        return f"the record has {len(written)} events, {source} {len(drawn)}"
    return None
