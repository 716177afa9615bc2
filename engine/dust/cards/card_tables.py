"""The cards of a set as a table: a line for each card, a column for each effect. All else of the set is that of another
set, on which the table is based.

An effect is written as `accelerate, pay keys 1, must: repair 1`: what goes before the colon are its conditions, its
payment and its marks (E1).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.contract import CourseColumn
from engine.dust.cards.card_set import DRIVER, START, TEAM

STAGE = "stage"
NUMBERS = ("copies", "number", "cost", "points")
TEXTS = ("name", "title", "set", "driver", "move", "source", "note")
COLUMNS = (
    CourseColumn("name", "name", ("name", "card", "id", "karte", "karta", "nazwa")),
    CourseColumn("title", "title", ("title", "titel", "tytul", "bezeichnung")),
    CourseColumn("set", "set of the card", ("set", "kind", "type", "pile", "art", "stapel", "rodzaj", "stos", "satz")),
    CourseColumn("stage", "stage", ("stage", "prufung", "wertungsprufung", "odcinek", "strecke")),
    CourseColumn("driver", "driver", ("driver", "character", "fahrer", "kierowca", "charakter", "postac")),
    CourseColumn("copies", "copies", ("copies", "count", "anzahl", "exemplare", "liczba", "sztuk", "kopie")),
    CourseColumn("number", "number", ("number", "no", "nr", "nummer", "numer")),
    CourseColumn("cost", "cost", ("cost", "price", "kosten", "preis", "koszt", "cena")),
    CourseColumn("points", "points", ("points", "punkte", "punkty", "vp")),
    CourseColumn("move", "order to move", ("move", "order to move", "bewegung", "zug", "ruch")),
    CourseColumn("star", "star", ("star", "stern", "gwiazdka")),
    CourseColumn("pools", "pools", ("pools", "pool", "pule", "pula", "auswahl")),
    CourseColumn("effects", "effect", ("effects", "effect", "effekt", "effekte", "efekt", "efekty"), several=True),
    CourseColumn("source", "source", ("source", "quelle", "zrodlo")),
    CourseColumn("note", "note", ("note", "notiz", "uwaga", "anmerkung")),
)
"""The columns, with headings that mean them, folded."""
NAMES = frozenset(column.name for column in COLUMNS)
YES = frozenset({"1", "yes", "y", "true", "x", "ja", "j", "tak", "t", "★", "*", "✓"})
WHOLE = re.compile(r"[+-]?[0-9]{1,6}(?:[.,]0{1,6})?", re.ASCII)
BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
PAY, MUST, PASSIVE, WHEN = "pay ", "must", "passive", "when "
Row = Mapping[str, Sequence[str]]


def table_of(document: Mapping[str, Any]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the headings and the lines of a set without faults: the cards in their order, then those of the stages."""
    rows = [*_rows(document)]
    most = max((len(effects) for _cells, effects in rows), default=0)
    plain = [column.name for column in COLUMNS if column.name != "effects"]
    heads = (*plain, *(f"effect {number}" for number in range(1, most + 1)))
    lines = [
        (*(cells.get(name, "") for name in plain), *effects, *[""] * (most - len(effects))) for cells, effects in rows
    ]
    return heads, lines


def _rows(document: Mapping[str, Any]) -> Iterator[tuple[dict[str, str], list[str]]]:
    pools: dict[str, list[str]] = {}
    for pool, names in document["pools"].items():
        for name in names:
            pools.setdefault(name, []).append(pool)
    for card in document["card"]:
        cells = {key: str(value) for key, value in card.items() if key != "effects"}
        cells["pools"] = " ".join(sorted(pools.get(card["name"], [])))
        yield cells, [_written(each) for each in card.get("effects", ())]
    for name, stage in document["stages"].items():
        for card in stage["cards"]:
            cells = {key: str(value) for key, value in card.items() if key not in ("effects", "star")}
            cells |= {"set": STAGE, "stage": name, "star": "yes" if card.get("star") else ""}
            yield cells, [_written(each) for each in card.get("effects", ())]


def _written(effect: Mapping[str, Any]) -> str:
    """Return an effect as the text of a cell."""
    before = [effect["when"]] if "when" in effect else []
    before += [f"{PAY}{effect['pay']}"] if "pay" in effect else []
    before += [mark for mark in (MUST, PASSIVE) if effect.get(mark) is True]
    return f"{', '.join(before)}: {effect['do']}" if before else str(effect["do"])


def document_of(rows: Sequence[Row], base: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of a set whose cards are these lines. `rows`: cells by the names of the columns. `base`: the
    set that gives what is no card. The document may have faults: `card_set_reading.survey` finds them in its text.
    """
    cards: list[dict[str, Any]] = []
    stages: dict[str, list[dict[str, Any]]] = {}
    member: dict[str, list[str]] = {}
    for row in rows:
        cells = {name: " ".join(each for each in said if each) for name, said in row.items() if name != "effects"}
        of_stage = cells.get("set", "").casefold() == STAGE or (not cells.get("set") and cells.get("stage"))
        card = _card(cells, row.get("effects", ()), of_stage=bool(of_stage))
        if of_stage:
            stages.setdefault(cells.get("stage", ""), []).append(card)
            continue
        cards.append(card)
        for pool in cells.get("pools", "").replace(",", " ").split():
            member.setdefault(pool, []).append(str(card.get("name", "")))
    made: dict[str, Any] = {**base, "card": cards}
    if stages:
        known = base.get("stages", {})
        made["stages"] = {name: {**known.get(name, {"title": name}), "cards": each} for name, each in stages.items()}
    if member:
        made["pools"] = {pool: _in_order(names, base["pools"].get(pool, ())) for pool, names in member.items()}
    return made


def _in_order(names: Sequence[str], before: Sequence[str]) -> list[str]:
    """Return the cards of a pool: those that were in it keep their order."""
    return [*(name for name in before if name in names), *(name for name in names if name not in before)]


def _card(cells: Mapping[str, str], effects: Sequence[str], *, of_stage: bool) -> dict[str, Any]:
    card: dict[str, Any] = {}
    for name in TEXTS:
        if cells.get(name) and not (of_stage and name in ("name", "set", "driver")):
            card[name] = cells[name]
    if not of_stage and card.get("set", "").casefold() in (START, DRIVER, *TEAM):
        card["set"] = card["set"].casefold()
    for name in NUMBERS:
        if cells.get(name):
            card[name] = int(re.split("[.,]", cells[name])[0]) if WHOLE.fullmatch(cells[name]) else cells[name]
    if cells.get("star", "").casefold() in YES:
        card["star"] = True
    read = [_effect(part.strip()) for cell in effects for part in re.split(r"[|\n]", cell) if part.strip()]
    return {**card, "effects": read} if read else card


def _effect(text: str) -> dict[str, Any]:
    """Return the effect that a cell says. An unknown part becomes a condition, which the set's reading refuses."""
    before, colon, do = text.rpartition(":")
    effect: dict[str, Any] = {}
    when = []
    for part in (each.strip() for each in before.split(",")) if colon else ():
        if part.startswith(PAY):
            effect["pay"] = part.removeprefix(PAY).strip()
        elif part in (MUST, PASSIVE):
            effect[part] = True
        elif part:
            when.append(part.removeprefix(WHEN).strip())
    if when:
        effect["when"] = " ".join(when)
    return {**effect, "do": do.strip()}


def toml_of_document(document: Mapping[str, Any]) -> str:
    """Return a document as TOML. `card_set_reading.document` reads it back as the same document."""
    plain = {key: value for key, value in document.items() if not _is_section(value)}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    for key, value in document.items():
        if isinstance(value, Mapping) and value and all(isinstance(each, Mapping) for each in value.values()):
            for name, table in value.items():
                lines += ["", f"[{_key(key)}.{_key(name)}]", *_pairs(table)]
        elif isinstance(value, Mapping):
            lines += ["", f"[{_key(key)}]", *_pairs(value)]
        elif _is_section(value):
            for table in value:
                lines += ["", f"[[{_key(key)}]]", *_pairs(table)]
    return "\n".join(lines) + "\n"


def _is_section(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)
    )


def _pairs(table: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {_value(value, wide=True)}" for key, value in table.items()]


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _value(name)


def _value(value: Any, *, wide: bool = False) -> str:
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        if wide and _is_section(value):
            return "[\n" + "".join(f"  {_value(each)},\n" for each in value) + "]"
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
