"""Random orders at random moments of a game: legal ones, nearly legal ones, and those of somebody who tries to draw
twice. Counts the orders that are refused, and those that are refused after a draw. A game may have none of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from engine.chance import CountedChance
from engine.contract import Drafting, Game, GameError, RuleError, State, offered
from tests.contract.driving import begun, chance_of, opened, some_orders

AT_ONE_MOMENT = 20
"""How many orders are tried in one state."""
EVERY = 4
"""Orders are tried in one of so many states."""
MOST_POSTS = 300
"""How many posts of one run are played."""
LONGEST_DRAFT = 5
SAMPLES = 60
"""How many values of one field are remembered."""

WORDS: tuple[Any, ...] = (
    None, "turn", "standing", "lay", "roll", "relay", "secure", "stop", "sisu", "accept", "spare", "retire", "resign",
    "gear", "move", "slip", "pass", "pit", "out", "steps", "bid",
)  # fmt: skip
"""What orders may say under `do`: the words of all games, and those of forms that were taken once."""

Value = Callable[[Random], Any]


def _of(*values: Any) -> Value:
    return lambda rng: rng.choice(values)


def _numbers(rng: Random) -> list[int]:
    return [rng.randint(0, 5) for _ in range(rng.randint(1, 3))]


FIELDS: dict[str, Value] = {
    "roll": _of("one by one", "flat out", "zzz"),
    "stop_after": _of(None, 0, 1, 2, 3),
    "stop_at": _of(None, 0, 1, 2),
    "secure": _numbers,
    "secure_at": _of(None, 0, 1, 2),
    "secure_price": _of(None, 0, 1, 9),
    "sisu": _of(True, False),
    "sisu_from": _of(None, 0, 1, 4),
    "spare": _of(True, False),
    "take": _of(True, False),
    "as_laid": _of(True, False),
    "gear": _of(None, 0, 1, 2, 3, 4, 5, 6, 7),
    "tires": _of(None, 0, 1, 2, 9),
    "nitro": _of(True, False),
    "bonus": _of(True, False),
    "tyres": _of(None, "hard", "soft", "wet", "zzz"),
    "technical": _of(None, {}, {"engine": 1}, {"brakes": 2, "body": 1}),
    "slip": _of(None, [], [{"path": []}], 3),
    "pit": _of(None, {}, "never", "now"),
    "out": _of(None, []),
    "way": _of("", "inner", "save", "attack", "follow"),
    "brakes": _of(None, 0, 1, 5),
    "until": _of("turn", "told"),
}
"""Values of the fields of orders, as far as they do not depend on the state."""
DRAFTED = ("plan", "relay", "steps", "path")
"""Fields that hold what was laid."""


@dataclass(slots=True)
class Tried:
    """How many orders were tried, refused and carried out; how many made a draw; and the orders that were refused, or
    failed, after a draw.
    """

    orders: int = 0
    refused: int = 0
    drew: int = 0
    after_a_draw: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    rules: Counter[str] = field(default_factory=Counter)


def try_orders(game: Game, seed: int, number: int) -> Tried:
    """Try this number of orders, in runs with random options, courses and seats."""
    tried, rng = Tried(), Random(f"{game.name} orders {seed}")
    seen: dict[str, list[Any]] = {}
    run = seed * 10_000
    while tried.orders < number:
        run += 1
        drive = opened(game, run)
        state, chance = begun(drive), chance_of(run, drawn=len(drive.opening_draws))
        for _post in range(MOST_POSTS):
            waiting = game.to_play(state)
            if not waiting or tried.orders >= number:
                break
            seat = rng.choice(waiting)
            for orders in _orders(game, state, seat, rng, seen) if rng.randrange(EVERY) == 0 else ():
                _try(game, state, seat, orders, chance_of(run, f"salt {tried.orders}", chance.drawn), tried)
            chance.salt = f"salt {rng.randrange(1000)}"
            state, _events = game.play(state, seat, some_orders(game, state, seat, rng), chance)
    return tried


def _try(game: Game, state: State, seat: str, orders: dict[str, Any], source: Any, tried: Tried) -> None:
    chance = CountedChance(source)
    tried.orders += 1
    try:
        game.play(state, seat, orders, chance)
    except Exception as error:
        tried.refused += 1
        tried.rules[error.rule if isinstance(error, RuleError) else type(error).__name__] += 1
        if chance.asked:
            tried.after_a_draw.append((repr(error), orders))
        if not isinstance(error, GameError):
            raise
    tried.drew += bool(chance.asked)


def _orders(game: Game, state: State, seat: str, rng: Random, seen: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """Yield orders to try in a state. `seen` collects values of legal orders, by field."""
    legal = [dict(way.orders) for way in game.choices(state, seat).ways if way.orders]
    legal = [dict(game.autopilot(state, seat)), *rng.sample(legal, min(len(legal), 6))]
    drafts = [_draft(game, state, seat, rng) for _ in range(3)]
    for orders in legal:
        for name, value in orders.items():
            known = seen.setdefault(name, [])
            known.append(value)
            del known[:-SAMPLES]
    for _ in range(AT_ONE_MOMENT):
        kind = rng.random()
        if kind < 0.15:
            yield rng.choice(legal)
        elif kind < 0.5:
            yield _changed(rng.choice(legal), rng, seen)
        else:
            yield _composed(rng.choice(legal), drafts, rng, seen)


def _draft(game: Game, state: State, seat: str, rng: Random) -> Any:
    """Return a legal draft of a few steps; None in a game without drafts."""
    drafting = offered(game, Drafting)
    if drafting is None:
        return None
    draft = drafting.empty_draft()
    for _ in range(rng.randint(1, LONGEST_DRAFT)):
        ways = game.choices(state, seat, draft).ways
        if not ways:
            break
        draft = drafting.extend(draft, rng.choice(ways).text)
    return draft


def _changed(orders: dict[str, Any], rng: Random, seen: dict[str, list[Any]]) -> dict[str, Any]:
    """Return legal orders with one or two fields left out, changed or added."""
    new = dict(orders)
    for _ in range(rng.randint(1, 2)):
        name = rng.choice([*new, *FIELDS])
        if name in new and rng.random() < 0.3:
            del new[name]
        elif name in new and isinstance(new[name], list | str) and name != "do":
            new[name] = _spoilt(new[name], rng, seen.get(name, []))
        elif name == "do":
            new["do"] = rng.choice(WORDS)
        else:
            new[name] = FIELDS[name](rng) if name in FIELDS else rng.choice(seen[name])
    return new


def _spoilt(value: Any, rng: Random, others: list[Any]) -> Any:
    """Return a list or a text that is a little too long, too short or mixed with another one."""
    other = rng.choice(others) if others else value
    if isinstance(value, str):
        words = value.split()
        return rng.choice([f"{value} 1", " ".join(words[:-1]), f"{value} {other}", "zzz", other])
    more = list(other) if isinstance(other, list) else []
    last = [f"{value[-1]} 1"] if value and isinstance(value[-1], str) else value[-1:]
    return rng.choice([value[:-1], [*value, *more], [*value, *value[-1:]], [*value[:-1], *last], more])


def _composed(orders: dict[str, Any], drafts: list[Any], rng: Random, seen: dict[str, list[Any]]) -> dict[str, Any]:
    """Return orders for a word at random, with what was laid and fields at random."""
    new: dict[str, Any] = {"do": rng.choice([*WORDS, "standing", "turn", orders.get("do")])}
    if new["do"] is None and rng.random() < 0.5:
        del new["do"]
    for name in rng.sample(list(FIELDS), rng.randint(0, 4)):
        new[name] = FIELDS[name](rng)
    for name in DRAFTED:
        if rng.random() < 0.6:
            laid = [one for one in (*drafts, *seen.get(name, ())) if one is not None]
            if laid:
                new[name] = rng.choice(laid)
    return new
