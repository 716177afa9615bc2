"""Plays a random scenario with the engine and with the second implementation, and compares them step by step."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from engine.contract import RuleError
from engine.dust.cards import card_set_reading
from engine.dust.cards.card_set import CardSet
from engine.dust.choices import choices
from engine.dust.scenario import start_position
from engine.dust.state import OUT, Table
from engine.dust.turn import stepping
from engine.dust.turn.step_context import NoChance
from engine.dust.viewing import printed
from tests.games.dust.engine.candidates import WORDS, changed, one_argument, plain, swaps_turned
from tests.games.dust.engine.random_sets import random_set
from tests.games.dust.engine.second.book import LEVELS, Book

STEPS = 60
TRIED = 120
"""Steps tried in a position with a thorough comparison: legal ones, illegal ones, unreadable ones."""


class Luck:
    """The same chance for both: it depends on the driver, the kind and the number of the draw."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.round = 0

    def face(self, who: str, kind: str, number: int, faces: Sequence[str]) -> str:
        words = f"{self.seed} {self.round} {who} {kind} {number}"
        return faces[int.from_bytes(hashlib.sha256(words.encode()).digest()[:8], "big") % len(faces)]

    def draw_index(self, who: str, round_: int, kind: str, number: int, faces: Sequence[str]) -> int:
        return list(faces).index(self.face(who, kind, number, faces))


def scenario(rng: Random, document: dict[str, Any]) -> dict[str, Any]:
    """Return a random set-up in the middle of a game: anything that a scenario file may contain."""
    stage = rng.choice(list(document["stages"]))
    training = document["stages"][stage].get("training", False)
    names = ["ana", "bo", "cy", "dee"][: rng.randint(1, 4)]
    told: dict[str, Any] = {"game": "dust", "stage": stage, "options": {"damaged": rng.randint(0, 2)}}
    if not training:
        mixed = [
            rng.choice(pair) for pair in zip(*(document["pools"][name] for name in ("basic", "advanced")), strict=True)
        ]
        told["options"] |= {"pool": rng.choice(["basic", "advanced", mixed]), "cards": rng.choice([5, 10])}
    if len(names) == 1 and not training and rng.random() < 0.7:
        told["options"]["ghost"] = rng.choice(list(LEVELS))
        if rng.random() < 0.5:
            cards = rng.sample(range(1, 11), rng.randint(0, 3))
            told["ghost"] = {"pairs": 3 - len(cards), "cards": cards, "speed": rng.randint(0, 9), "popularity": 2}
    last = 5 if training or told["options"].get("cards") == 5 else 10
    told["round"] = rng.choice([1, rng.randint(1, last), last])
    pool = told["options"].get("pool", "training")
    pool = document["pools"][pool] if isinstance(pool, str) else pool
    told["piles"] = {card: rng.choice([0, 1, 1, 2, 3, 8]) for card in rng.sample(pool, rng.randint(0, len(pool)))}
    characters = rng.sample(list(document["drivers"]), len(names))
    told["drivers"] = [
        {"id": name} | ({"driver": character} if rng.random() < 0.7 else {}) | _start(rng, document, told, last)
        for name, character in zip(names, characters, strict=True)
    ]
    return told


def _two_pools(document: dict[str, Any]) -> list[list[str]]:
    return [document["pools"]["basic"], document["pools"]["advanced"]]


def _start(rng: Random, document: dict[str, Any], told: dict[str, Any], last: int) -> dict[str, Any]:
    if rng.random() < 0.2:
        return {}
    names = [card["name"] for card in document["card"]]
    spaces = [f"A{place}" for place in range(1, 6)] + [f"B{place}" for place in range(1, 11)]
    start: dict[str, Any] = {
        "keys": rng.randint(0, 10),
        "traction": rng.randint(0, 10),
        "popularity": rng.choice([0, 1, 2, 2, 3, 14, 15]),
        "speed": rng.choice([0, 5, 5, 9]),
        "space": rng.choice(spaces),
        "risk": rng.randint(0, 3),
        "hits": rng.randint(0, 4),
        "flipped": rng.choice([0, 0, 1, 2, 3, 4, 5, 6, 7]),
        "star": rng.random() < 0.3,
        "hand": [rng.choice(names) for _ in range(rng.randint(0, 7))],
        "board": {
            slot: rng.choice([card, {"card": card, "covered": rng.random() < 0.5}])
            for slot in rng.sample("123456", rng.randint(0, 6))
            for card in [rng.choice(names)]
        },
        "markers": {str(rng.randint(told["round"], last)): rng.randint(1, 3) for _ in range(rng.randint(0, 4))},
    }
    for pile in ("deck", "top", "discard", "removed"):
        if rng.random() < 0.5:
            start[pile] = [rng.choice(names) for _ in range(rng.randint(0, 4))]
    return {"start": {key: start[key] for key in start if rng.random() < 0.7}}


def verdict(table: Table, name: str, step: str, cards: CardSet) -> str | None:
    """Return the rule with which the engine refuses a step, or None when it is legal."""
    try:
        stepping.carry_out(table, name, step, cards, None)
    except RuleError as error:
        return error.rule
    except NoChance:
        return None
    return None


def compare(seed: int) -> Counter[str]:
    """Play one random scenario. Return counts: `steps` tried or played, and other things by a word.

    Raises: AssertionError when the two implementations differ.
    """
    rng = Random(seed)
    document = random_set(seed) if seed % 4 else card_set_reading.own_document()
    cards = card_set_reading.of_document(document)
    told, luck = scenario(rng, document), Luck(seed)
    table, book = start_position(told, cards), Book(told, document, luck.face)
    met: Counter[str] = Counter()
    for move in range(STEPS):
        where = f"seed {seed}, step {move + 1}"
        assert plainly(printed(table, cards)) == plainly(book.printed()), where
        seats = stepping.to_play(table)
        if not seats:
            met["games ended"] += 1
            break
        seat = rng.choice(seats)
        listed = choices(table, seat, cards)
        if move % 10 == 3:
            met["steps"] += closely(table, book, seat, listed, cards, rng, where)
        step = chosen(listed, rng, table["drivers"][seat]["hand"])
        luck.round = table["round"]
        assert book.verdict(seat, step) == verdict(table, seat, step, cards), f"{where}: {seat}: {step}"
        if book.verdict(seat, step) is None:
            met.update(_met(book, seat, step))
            book.play(seat, step)
            outcome = stepping.carry_out(table, seat, step, cards, luck)
            table = outcome.table
            met["contested orders"] += sum(not one["filled"] for one in (outcome.closing or {}).get("settled", ()))
            met["rounds closed"] += outcome.closing is not None
            met["wrecks"] += outcome.turn.me["phase"] == OUT
        met["steps"] += 1
    return met


def _met(book: Book, seat: str, step: str) -> list[str]:
    """Return the words to count for a step: its first word, and the operations of the effect that it uses."""
    first, *words = step.split()
    me = book.drivers[seat]
    found = [first]
    effects: list[dict[str, Any]] = []
    if first == "do":
        name = me["open"]["name"]
        table = book.stage[name - 1] if isinstance(name, int) else book.card(name)
        effects = [table["effects"][int(words[0]) - 1]]
    elif first in ("passive", "void"):
        effects = [one for one in book.card(me["board"][words[0]]["card"])["effects"] if one.get("passive")]
    for one in effects:
        found += [operation.strip() for operation in re.sub(r"\d+", "N", one["do"]).split(";")]
        found += one.get("when", "").split() + (["must"] if one.get("must") else []) + (["pay"] if "pay" in one else [])
    if book.training:
        found.append("training steps")
    return found


def plainly(told: dict[str, Any]) -> Any:
    return json.loads(json.dumps(told, sort_keys=True))


def chosen(listed: Sequence[str], rng: Random, hand: Sequence[str]) -> str:
    """Choose a step: rarely the end of the turn, often the effects of an open card, with some cards given up."""
    if listed == ["prepare"]:
        return " ".join(["prepare", *rng.sample(hand, rng.randint(0, len(hand)))])
    effects = [step for step in listed if step.startswith("do ")]
    if effects and rng.random() < 0.7:
        return rng.choice(effects)
    by_kind: dict[str, list[str]] = {}
    for step in listed:
        by_kind.setdefault(step.split()[0], []).append(step)
    kinds = [kind for kind in by_kind if kind != "end" or rng.random() < 0.4] or ["end"]
    return rng.choice(by_kind[rng.choice(kinds)])


def closely(table: Table, book: Book, seat: str, listed: list[str], cards: CardSet, rng: Random, where: str) -> int:
    """Compare many steps in one position: listed steps are legal, all others are not, refusals name the same rule."""
    some = rng.sample(listed, min(8, len(listed)))
    words = [*rng.sample(WORDS, 12), *rng.sample(list(cards.cards), 4), *rng.sample(list(cards.spaces), 4)]
    turned = sorted(set(changed(some, words)))
    singles = sorted(one_argument(table, cards))
    candidates = [*rng.sample(turned, min(TRIED, len(turned))), *rng.sample(singles, TRIED // 2)]
    candidates += rng.sample(sorted(set(plain(table, cards))), TRIED)
    known = {turn for step in listed for turn in swaps_turned(step)}
    for step in sorted({*candidates, *listed}):
        ours, second = verdict(table, seat, step, cards), book.verdict(seat, step)
        assert ours == second, f"{where}: {seat}: {step!r}: {ours} here, {second} in the second reading"
        assert second is not None or step in known or step.startswith("prepare"), f"{where}: {step!r} is not listed"
    for other in ("ana", "bo", "cy", "dee", "eve"):
        assert verdict(table, other, "end", cards) == book.verdict(other, "end"), where
    return len(candidates)
