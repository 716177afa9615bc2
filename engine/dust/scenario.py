"""Scenario files of Dirt & Dust: all random results given in advance, and the steps one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from engine.contract import DocumentError, RuleError
from engine.dust import setup
from engine.dust.cards import card_set_reading
from engine.dust.cards.card_set import CardSet
from engine.dust.state import Driver, Ghost, Laid, Table
from engine.dust.turn import stepping
from engine.dust.viewing import printed

_OPTIONS = ("pool", "cards", "damaged", "ghost", "damage_carries")
_CARDS = ("hand", "deck", "top", "discard", "removed")


class Given:
    """The random results of a scenario: for each driver and kind of draw a list, in the order of the draws (S7)."""

    def __init__(self, lists: Mapping[str, Mapping[str, Sequence[Any]]]) -> None:
        self._lists = lists
        self._used: dict[tuple[str, str], int] = {}

    def draw_index(self, who: str, round_: int, kind: str, number: int, faces: Sequence[str]) -> int:
        """Return the index in `faces` of the next result in the file.

        Raises: DocumentError when the list is used up, or its next entry is not one of the faces.
        """
        given = self._lists.get(who, {}).get(kind, ())
        used = self._used.get((who, kind), 0)
        if used >= len(given):
            raise DocumentError(f"chance: {who}: {kind} has run out in round {round_}")
        self._used[who, kind] = used + 1
        face = given[used]
        if face not in faces:
            raise DocumentError(f"chance: {who}: {kind} {used + 1}: {face!r:.40} cannot come up")
        return list(faces).index(face)


def play(document: Any) -> tuple[dict[str, Any], bool]:
    """Play a scenario. Return the output to print, and whether all steps were legal.

    Raises: GameError when the document cannot be read, its set-up is refused, or its list of random results is used up.
    """
    cards = card_set_reading.own()
    table, error = ended(document, cards)
    return ({"error": error}, False) if error else (printed(table, cards), True)


def ended(document: Any, cards: CardSet) -> tuple[Table, dict[str, Any] | None]:
    """Return the run after a scenario, and the error of the first refused step, or None.

    Raises: GameError when the document cannot be read, its set-up is refused, or its list of random results is used up.
    """
    for moment in moments(document, cards):
        last = moment
    return last.table, last.error


@dataclass(frozen=True, slots=True)
class Moment:
    """The run after a turn of a scenario, and what was drawn in that turn: who, the kind, the face (S7). `error` says
    which step was refused and why; it ends the scenario. The run is then that before the refused step.
    """

    table: Table
    drawn: Sequence[Sequence[str]] = ()
    error: dict[str, Any] | None = None


def moments(document: Any, cards: CardSet) -> Iterator[Moment]:
    """Yield the run before the first turn of a scenario, then the run after each turn.

    Raises: GameError when the document cannot be read, its set-up is refused, or its list of random results is used up.
    """
    table = start_position(document, cards)
    turns = _turns(document)
    chance = Given(_chance(document.get("chance", {})))
    yield Moment(table)
    for number, (name, steps) in enumerate(turns, 1):
        drawn: list[Sequence[str]] = []
        for place, step in enumerate(steps, 1):
            try:
                outcome = stepping.carry_out(table, name, step, cards, chance)
            except RuleError as error:
                said = {"turn": number, "step": place, "rule": error.rule, "message": error.message}
                yield Moment(table, drawn, said)
                return
            table = outcome.table
            drawn += outcome.turn.draw_log
        yield Moment(table, drawn)


def _turns(document: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    turns = document.get("turns", [])
    if not isinstance(turns, list):
        raise DocumentError("turns: a list is needed")
    read: list[tuple[str, list[str]]] = []
    for number, turn in enumerate(turns, 1):
        name = turn.get("driver") if isinstance(turn, dict) else None
        steps = turn.get("steps") if isinstance(turn, dict) else None
        if not isinstance(name, str) or not isinstance(steps, list) or not all(isinstance(one, str) for one in steps):
            raise DocumentError(f"turns: {number}: a driver and a list of steps are needed")
        read.append((name, steps))
    return read


def _chance(given: Any) -> dict[str, dict[str, Sequence[Any]]]:
    if not isinstance(given, dict) or not all(isinstance(one, dict) for one in given.values()):
        raise DocumentError("chance: for each driver a table of lists is needed")
    for name, kinds in given.items():
        for kind, faces in kinds.items():
            if not isinstance(faces, str | list):
                raise DocumentError(f"chance: {name}: {kind}: a text or a list is needed")
    return given


# The start position -------------------------------------------------------------------------------


def start_position(document: Any, cards: CardSet) -> Table:
    """Return the run that a scenario file describes, with its round open.

    Raises: GameError when the document cannot be read, or its set-up is refused (O6).
    """
    if not isinstance(document, dict):
        raise DocumentError("a scenario is a JSON object")
    stage = document.get("stage")
    if not isinstance(stage, str) or stage not in cards.stages:
        raise DocumentError(f"stage: there is no stage {stage!r:.40}")
    listed = document.get("drivers")
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise DocumentError("drivers: a list of tables is needed")
    table = setup.lay_out(cards, {}, stage, [_entrant(one) for one in listed], _setup_options(document))
    table["round"] = _number(document, "round", "round", default=1, least=1, most=table["cards"])
    table["piles"] = _piles(document, table)
    table["ghost"] = _ghost(document, table)
    for one in listed:
        start = one.get("start", {})
        if not isinstance(start, dict):
            raise DocumentError(f"drivers: {one['id']}: start: a table is needed")
        try:
            table["drivers"][one["id"]] = _started(table["drivers"][one["id"]], start, table, cards)
        except DocumentError as error:
            raise DocumentError(f"drivers: {one['id']}: start: {error.message}") from None
    return setup.with_open_round(table)


def _entrant(one: Mapping[str, Any]) -> setup.Entrant:
    name, character = one.get("id"), one.get("driver")
    if not isinstance(name, str) or not (character is None or isinstance(character, str)):
        raise DocumentError("drivers: id and driver are texts")
    return setup.Entrant(name, character)


def _setup_options(document: Mapping[str, Any]) -> setup.SetupOptions:
    options = document.get("options", {})
    if not isinstance(options, dict):
        raise DocumentError("options: a table is needed")
    for name in options:
        if name not in _OPTIONS:
            raise DocumentError(f"options: there is no option {name!r:.40}")
    pool = options.get("pool")
    if not (pool is None or isinstance(pool, str | list)):
        raise setup.SetupRefused("O1", "the pool is a name or nine names")
    return setup.SetupOptions(pool, options.get("cards"), options.get("damaged", 0), options.get("ghost"))


def _number(
    within: Mapping[str, Any], key: str, label: str, *, default: int, least: int = 0, most: int | None = None
) -> int:
    value = within.get(key, default)
    if type(value) is not int or value < least or (most is not None and value > most):
        raise DocumentError(f"{label}: a whole number from {least}{'' if most is None else f' to {most}'} is needed")
    return value


def _piles(document: Mapping[str, Any], table: Table) -> dict[str, int]:
    given = document.get("piles", {})
    if not isinstance(given, dict) or any(name not in table["piles"] for name in given):
        raise DocumentError("piles: a table of piles of the pool is needed")
    return {name: _number(given, name, f"piles: {name}", default=lies) for name, lies in table["piles"].items()}


def _ghost(document: Mapping[str, Any], table: Table) -> Ghost | None:
    given = document.get("ghost")
    ghost = table["ghost"]
    if given is None or ghost is None:
        return ghost
    cards = given.get("cards", ghost["cards"]) if isinstance(given, dict) else None
    if not isinstance(cards, list) or any(type(one) is not int for one in cards):
        raise DocumentError("ghost: speed, popularity, pairs and a list of cards are needed")
    return {
        **ghost,
        "speed": _number(given, "speed", "ghost: speed", default=0),
        "popularity": _number(given, "popularity", "ghost: popularity", default=0),
        "pairs": _number(given, "pairs", "ghost: pairs", default=ghost["pairs"]),
        "cards": cards,
    }


def _started(driver: Driver, start: Mapping[str, Any], table: Table, cards: CardSet) -> Driver:
    """Return a driver with the values of `start` in place of those of the set-up."""
    limits = cards.limits
    most = {
        "keys": limits.keys,
        "traction": limits.traction,
        "popularity": limits.popularity,
        "speed": None,
        "risk": limits.risk_dice,
        "hits": limits.damage_track - 1,
        "flipped": limits.damage_tokens,
    }
    known = {*most, *_CARDS, "space", "star", "board", "markers"}
    for name in start:
        if name not in known:
            raise DocumentError(f"there is no {name!r:.40}")
    new: dict[str, Any] = {**driver}
    for name, limit in most.items():
        new[name] = _number(start, name, name, default=new[name], most=limit)
    for name in _CARDS:
        if name in start:
            new[name] = _names(start[name], name, cards)
            if name != "top":
                new[name] = sorted(new[name])
    new["space"] = start.get("space", driver["space"])
    if not isinstance(new["space"], str) or new["space"] not in cards.spaces:
        raise DocumentError("space: a space of the track is needed")
    new["star"] = start.get("star", False)
    if not isinstance(new["star"], bool):
        raise DocumentError("star: true or false is needed")
    new["board"] = _board(start.get("board", {}), cards)
    new["markers"] = _markers(start.get("markers", {}), table)
    return cast(Driver, new)


def _names(given: Any, label: str, cards: CardSet) -> list[str]:
    if not isinstance(given, list) or any(not isinstance(one, str) or one not in cards.cards for one in given):
        raise DocumentError(f"{label}: a list of card names is needed")
    return list(given)


def _board(given: Any, cards: CardSet) -> dict[str, Laid]:
    if not isinstance(given, dict):
        raise DocumentError("board: a table of slots is needed")
    board: dict[str, Laid] = {}
    for slot, laid in given.items():
        one = {"card": laid} if isinstance(laid, str) else laid
        if slot not in cards.slots or not isinstance(one, dict):
            raise DocumentError(f"board: {slot!r:.40}: a slot with a card is needed")
        name = _names([one.get("card")], "board", cards)[0]
        flags = (one.get("covered", False), one.get("used", False))
        if not all(isinstance(flag, bool) for flag in flags):
            raise DocumentError("board: covered is true or false")
        board[slot] = {"card": name, "covered": flags[0], "used": flags[1]}
    return board


def _markers(given: Any, table: Table) -> dict[str, int]:
    if not isinstance(given, dict):
        raise DocumentError("markers: a table of stage cards is needed")
    numbers = {str(number) for number in range(table["round"], table["cards"] + 1)}
    if any(card not in numbers for card in given):
        raise DocumentError("markers: a stage card that is not resolved yet is needed")
    read = {card: _number(given, card, f"markers: {card}", default=0) for card in given}
    return {card: count for card, count in read.items() if count}
