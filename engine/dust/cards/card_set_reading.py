"""Parsing a card set (E10): it turns the document of `cards.toml` into values and reports all faults at once."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from engine.dust.cards import boards, effects, pools
from engine.dust.cards.card_set import DRIVER, START, TEAM, Card, CardSet, Order, Stage, StageCard
from engine.dust.cards.effects import Effect
from engine.dust.cards.faults import WHOLE_SET, CardSetError, Collector, Fault, Reason
from engine.dust.cards.lines import Path, lines
from engine.dust.facts import facts
from engine.toml_text import toml_of

FORMAT = 1
NUL = "\\u0000"
"""The NUL character as JSON writes it. The database cannot store it."""
DEEPEST = 12
"""The deepest nesting of tables and lists. The set in `data/` has six levels."""
TOO_DEEP = Fault(WHOLE_SET, None, "E10", Reason("tables and lists are nested too deeply"))
MOST_COPIES = 99
_NAME = re.compile(r"[^\s\"]+")
_MOVE = re.compile(r"(left|right) ([0-9]{1,2})", re.ASCII)


def document(text: str) -> dict[str, Any]:
    """Return a card set's text as plain JSON. `characters` keeps the order of the drivers, which JSON may lose.

    Raises: CardSetError when the text is not TOML, or has a NaN, an infinity, a NUL or too deep nesting.
    """
    try:
        read = toml_of(text)
        if isinstance(read.get("drivers"), dict):
            read.setdefault("characters", list(read["drivers"]))
        written = json.dumps(read, default=str, allow_nan=False)
        if NUL in written:
            raise CardSetError([Fault(WHOLE_SET, None, "E10", Reason("a text has an invisible character"))])
        plain: dict[str, Any] = json.loads(written)
    except CardSetError:
        raise
    except RecursionError:
        raise CardSetError([TOO_DEEP]) from None
    except ValueError as error:  # not TOML, a NaN or infinity, a number with thousands of digits
        raise CardSetError([_not_toml(str(error))]) from None
    if _is_deep(plain):
        raise CardSetError([TOO_DEEP])
    return plain


def _is_deep(plain: Any) -> bool:
    """Return whether tables and lists are nested deeper than DEEPEST levels."""
    level = [plain]
    for _ in range(DEEPEST):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return bool(level)


def _not_toml(message: str) -> Fault:
    found = re.search(r"at line ([0-9]+)", message)
    why = Reason("not a TOML file: %(message)s", message=message)
    return Fault(WHOLE_SET, int(found[1]) if found else None, "E10", why)


def read(text: str) -> CardSet:
    """Return the card set of a text.

    Raises: CardSetError with every fault of the set.
    """
    plain = document(text)
    made, found = _parsed(plain, lines(text))
    if found.faults or made is None:
        raise CardSetError(_sorted(found))
    return made


def survey(text: str) -> tuple[Fault, ...]:
    """Return every fault of a club's own set, wrong counts of cards included (C4, U2, U4, T1, T2)."""
    try:
        plain = document(text)
    except CardSetError as error:
        return error.faults
    made, found = _parsed(plain, lines(text))
    if made is not None:
        pools.counts(plain, made, found)
    return _sorted(found)


def _sorted(found: Collector) -> tuple[Fault, ...]:
    return tuple(sorted(found.faults, key=lambda fault: fault.line or 0))


def digest(plain: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a card set's document, in hex."""
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


EDITIONS = ("cards.toml", "cards_2.toml")
"""Our own set: the files of its editions in `data/`, the oldest first. A run keeps the edition with which it began, and
scenarios use the first one.
"""
FIRST, NEWEST = 0, len(EDITIONS) - 1


@cache
def own_document(edition: int = FIRST) -> dict[str, Any]:
    """Return the document of an edition of our own set."""
    return document(own_text(edition))


@cache
def own_text(edition: int = FIRST) -> str:
    """Return the text of an edition of our own set."""
    return files("engine.dust").joinpath("data", EDITIONS[edition]).read_text("utf-8")


@cache
def own(edition: int = FIRST) -> CardSet:
    """Return an edition of our own set.

    Raises: CardSetError with every fault of the set.
    """
    return read(own_text(edition))


def is_own(digest_of_set: str) -> bool:
    """Return whether this is the digest of an edition of our own set."""
    return any(digest_of_set == own(edition).digest for edition in range(len(EDITIONS)))


class _CacheKey:
    """A document as a cache key: it is hashed and compared by its digest."""

    def __init__(self, sha: str, plain: Mapping[str, Any]) -> None:
        self.sha = sha
        self.plain = plain

    def __hash__(self) -> int:
        return hash(self.sha)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _CacheKey) and self.sha == other.sha


def of_document(plain: Mapping[str, Any], sha: str | None = None) -> CardSet:
    """Return the card set of a document. `sha` is its digest, if the caller knows it. Cached by the digest.

    Raises: CardSetError with every fault of the set.
    """
    return _compiled(_CacheKey(sha or digest(plain), plain))


@lru_cache(maxsize=64)
def _compiled(kept: _CacheKey) -> CardSet:
    made, found = _parsed(kept.plain, {})
    if found.faults or made is None:
        raise CardSetError(_sorted(found))
    return made


def _parsed(plain: Mapping[str, Any], where: Mapping[Path, int]) -> tuple[CardSet | None, Collector]:
    """Return the set (None when there is a fault) and the faults. `where` maps paths to line numbers."""
    found = Collector(where)
    if plain.get("format") != FORMAT:
        found.add(("format",), WHOLE_SET, "E10", Reason("format is not %(format)d", format=FORMAT))
    title = found.text(plain, "title", (), WHOLE_SET, "E10")
    version = found.text(plain, "version", (), WHOLE_SET, "E10")
    known = facts()
    risk, popularity, supply = boards.dice(plain, found, known.faces)
    limits = boards.limits(plain, found)
    slots = boards.slots(plain, found, known.faces)
    centre, spaces, rows, shifts = boards.cockpit(plain, found)
    score = boards.score(plain, found)
    characters = pools.characters(plain, found)
    cards = _cards(plain, found, characters)
    stages = _stages(plain, found)
    piles = pools.pools(plain, found, cards)
    deck, passing = pools.training(plain, found, cards)
    if found.faults:
        return None, found
    made = CardSet(
        title, version, digest(plain), risk, popularity, supply, limits, slots, centre, spaces, rows, shifts, score,
        cards, piles, deck, passing, characters, stages,
    )  # fmt: skip
    return made, found


def _cards(plain: Mapping[str, Any], found: Collector, characters: Mapping[str, str]) -> dict[str, Card]:
    cards: dict[str, Card] = {}
    for place, table in enumerate(found.entries(plain, "card", (), WHOLE_SET, "C4")):
        path: Path = ("card", place)
        if not isinstance(table, dict):
            found.add(path, f"card {place + 1}", "C4", Reason("a card is a table"))
            continue
        name = found.text(table, "name", path, f"card {place + 1}", "C4")
        label = name or f"card {place + 1}"
        if name and not _NAME.fullmatch(name):
            found.add((*path, "name"), label, "C4", Reason("a name has no blanks"))
        if name in cards:
            found.add((*path, "name"), label, "C4", Reason("another card has this name"))
        card = _card(table, path, label, found, characters)
        if name:
            cards.setdefault(name, card)
    return cards


def _card(table: dict[str, Any], path: Path, name: str, found: Collector, characters: Mapping[str, str]) -> Card:
    """Return one card of the team board (C4, C5)."""
    kind = table.get("set")
    copies = cost = 0
    number = driver = None
    sets = (START, DRIVER, *TEAM)
    if kind not in sets:
        found.add((*path, "set"), name, "C4", Reason("set is one of %(known)s", known=", ".join(sets)))
    elif kind in TEAM:
        cost = found.number(table, "cost", path, name, "C5")
        number = found.number(table, "number", path, name, "C4", least=1)
        if number > facts().piles:
            found.add((*path, "number"), name, "C4", Reason("number is over %(most)d", most=facts().piles))
    else:
        copies = found.number(table, "copies", path, name, "C4", least=1, most=MOST_COPIES)
    if kind == DRIVER:
        driver = found.text(table, "driver", path, name, "C4")
        if driver and driver not in characters:
            found.add((*path, "driver"), name, "C4", Reason("%(driver).40r is not one of [drivers]", driver=driver))
    points = found.number(table, "points", path, name, "C5", least=None, default=0)
    read = _effects(table, path, name, found, on_stage=False)
    title = found.text(table, "title", path, name, "C5", default=name)
    return Card(name, title, str(kind), read, copies, driver, number, cost, points)


def _effects(table: dict[str, Any], path: Path, name: str, found: Collector, *, on_stage: bool) -> tuple[Effect, ...]:
    """Return the effects of a card (E1). Faults name them by their numbers, from 1."""
    read: list[Effect] = []
    passives = 0
    for place, one in enumerate(found.entries(table, "effects", path, name, "E1", needed=False)):
        at = (*path, "effects", place)
        effect, wrong = effects.read(one, on_stage=on_stage, faces=facts().faces)
        for error in wrong:
            found.add(at, name, error.rule, error.reason, place + 1)
        if effect is not None:
            read.append(effect)
        passives += isinstance(one, dict) and one.get("passive") is True
        if passives > 1 and isinstance(one, dict) and one.get("passive") is True:
            found.add(at, name, "E1", Reason("a card has one passive effect at most"), place + 1)
    return tuple(read)


def _stages(plain: Mapping[str, Any], found: Collector) -> dict[str, Stage]:
    stages: dict[str, Stage] = {}
    for name, table in found.table(plain, "stages", (), WHOLE_SET, "U2").items():
        path: Path = ("stages", name)
        if not isinstance(table, dict):
            found.add(path, name, "U2", Reason("a stage is a table"))
            continue
        title = found.text(table, "title", path, name, "U2", default=name)
        training = table.get("training", False)
        if not isinstance(training, bool):
            found.add((*path, "training"), name, "T1", Reason("training is neither true nor false"))
        read = found.entries(table, "cards", path, name, "U2")
        if not read:
            found.add((*path, "cards"), name, "U2", Reason("a stage has cards"))
        cards = [
            _stage_card(one, (*path, "cards", place), f"{name} {place + 1}", found) for place, one in enumerate(read)
        ]
        stages[name] = Stage(name, title, tuple(cards), training is True)
    if not stages:
        found.add(("stages",), WHOLE_SET, "U2", Reason("there is no stage"))
    return stages


def _stage_card(table: Any, path: Path, label: str, found: Collector) -> StageCard:
    """Return one card of a stage (C5)."""
    if not isinstance(table, dict):
        found.add(path, label, "C5", Reason("a stage card is a table"))
        return StageCard(0, ())
    cost = found.number(table, "cost", path, label, "C5")
    move = None
    if "move" in table:
        order = _MOVE.fullmatch(table["move"]) if isinstance(table["move"], str) else None
        if order is None:
            found.add((*path, "move"), label, "C5", Reason("move is not written as left N or right N"))
        else:
            move = Order(order[1], int(order[2]))
    if not isinstance(table.get("star", False), bool):
        found.add((*path, "star"), label, "C5", Reason("star is neither true nor false"))
    read = _effects(table, path, label, found, on_stage=True)
    return StageCard(cost, read, move, table.get("star") is True)
