"""Drives games at random for the suite that every game must pass. Nothing here knows a game."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

import pytest

from engine import record, registry
from engine.chance import SECRET_BYTES, SealChance, commitment, common_secret, digest, secret_of_run
from engine.contract import Career, Courses, Event, Game, GameError, Orders, RuleError, State, offered
from engine.verification import chance_of as told_of
from tests.contract.toys import dash, haul, hush, laps, vectors

MOST_POSTS = 6_000
MOST_SEATS = 5
SHORTEST = 6
"""Number of the shortest courses from which one is chosen at random."""
AT_RANDOM = "at random"
"""In place of a manner: every post is one of the ways, never the autopilot's orders if there is a way."""
PHRASES = ["dust", "rain"]

TOYS: dict[str, Game] = {
    "dash": dash.game(),
    "haul": haul.game(),
    "hush": hush.game(),
    "laps": laps.game(),
    "vectors": vectors.game(),
}


def games() -> dict[str, Game]:
    """Return every installed game, and the toys, by name."""
    return {**{name: registry.get(name) for name in registry.names()}, **TOYS}


@dataclass(frozen=True, slots=True)
class Post:
    """One post: the state before it, the orders sent, and the result."""

    before: State
    seat: str
    orders: Orders
    events: tuple[Event, ...]
    after: State
    salt: str
    draws: list[dict[str, Any]]


@dataclass(slots=True)
class Drive:
    """A table driven to its end: the set-up, the opening, every post."""

    game: Game
    course: Any
    entrants: list[dict[str, Any]]
    options: dict[str, Any]
    setup: State
    opening: tuple[Event, ...]
    opening_draws: list[dict[str, Any]]
    posts: list[Post] = field(default_factory=list)

    @property
    def end(self) -> State:
        return self.posts[-1].after

    def events(self) -> Iterator[Event]:
        """Return all events in order."""
        yield from self.opening
        for post in self.posts:
            yield from post.events


def seal_of(seed: int) -> bytes:
    """Return the seal of a stage. It depends only on the seed."""
    return Random(f"seal {seed}").randbytes(SECRET_BYTES)


def chance_of(seed: int, salt: str = "", drawn: int = 0) -> SealChance:
    """Return the chance object that the service would pass. It depends only on seed, salt and count of draws."""
    seal = seal_of(seed)
    return SealChance(
        secret_of_run(seal, 1), phrases=digest(PHRASES), salt=salt, drawn=drawn, common=common_secret(seal)
    )


def opened(game: Game, seed: int, seats: int | None = None, **chosen: Any) -> Drive:
    """Return a table before its first turn, with a course, options and entrants chosen at random."""
    rng = Random(f"{game.name} {seed}")
    number = seats or rng.randint(max(game.seats.least, min(2, game.seats.most)), min(MOST_SEATS, game.seats.most))
    courses = offered(game, Courses)
    short = sorted(courses.library().values(), key=lambda spec: len(frozen(spec)))[:SHORTEST] if courses else []
    while True:
        options = dict(chosen) if seed % 2 else {**_at_random(game, rng), **chosen}
        course = courses.read_course(rng.choice(short)) if courses else {}
        try:
            options = game.clean_options(options)
            entrants = entrants_of(game, number, options)
            setup = game.setup(course, entrants, options)
            break
        except GameError:  # options that cannot be combined, or not for this number of seats
            number = max(game.seats.least, number - 1)
    chance = chance_of(seed)
    state, opening = game.begin(setup, chance)
    assert game.to_play(state), "somebody is to play when a run has begun"
    return Drive(game, course, entrants, options, setup, tuple(opening), chance.draws)


def entrants_of(game: Game, number: int, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return this number of entrants, each with a new car if cars bring something into a stage."""
    career = offered(game, Career)
    car = {} if career is None else {"luggage": career.new_luggage(options)}
    return [{"id": f"s{place}", **car} for place in range(1, number + 1)]


def _at_random(game: Game, rng: Random) -> dict[str, Any]:
    """Return some options at random. Numbers are near their minimum."""
    found: dict[str, Any] = {}
    for option in game.options:
        if rng.random() < 0.5:
            continue
        if option.type == "bool":
            found[option.name] = rng.random() < 0.5
        elif option.type == "choice":
            found[option.name] = rng.choice(option.choices)
        else:
            found[option.name] = rng.randint(option.least, min(option.most, option.least + 3))
    return found


def begun(drive: Drive) -> State:
    """Return the state after the opening."""
    state = drive.setup
    for event in drive.opening:
        state = drive.game.apply(state, event)
    return state


def some_orders(game: Game, state: State, seat: str, rng: Random, *, autopilot: float = 0.2) -> dict[str, Any]:
    """Return legal orders: one of the ways to go on. The autopilot gives this share of them, and those of a seat with
    nothing to choose.
    """
    ways = [way for way in game.choices(state, seat).ways if way.orders]
    if not ways or rng.random() < autopilot:
        return game.autopilot(state, seat)
    return dict(rng.choice(ways).orders)


@cache
def driven(name: str, seed: int, manner: str | None = None, seats: int | None = None) -> Drive:
    """Return a table driven to its end, by legal ways at random, or by the autopilot when a manner is given.
    AT_RANDOM is no manner.
    """
    game = games()[name]
    drive, rng = opened(game, seed, seats), Random(f"posts {seed}")
    state = begun(drive)
    chance = chance_of(seed, drawn=sum(draw["by"] == "run" for draw in drive.opening_draws))
    while waiting := game.to_play(state):
        seat = rng.choice(waiting)
        chance.salt = f"salt {rng.randrange(1000)}"
        if manner in (None, AT_RANDOM):
            orders = some_orders(game, state, seat, rng, autopilot=0.0 if manner else 0.2)
        else:
            orders = game.autopilot(state, seat, manner or "")
        before, drawn = frozen(state, orders), len(chance.draws)
        after, events = game.play(state, seat, orders, chance)
        assert frozen(state, orders) == before, "what is given to play never changes"
        drive.posts.append(Post(state, seat, orders, tuple(events), after, chance.salt, chance.draws[drawn:]))
        state = after
        assert len(drive.posts) < MOST_POSTS, "the run never ends"
    return drive


def written(drive: Drive, seed: int) -> dict[str, Any]:
    """Return the record of a drive, as read by a person who downloads it."""
    seal = seal_of(seed)
    turns: list[dict[str, Any]] = []
    if drive.opening or drive.opening_draws:
        turns.append(record.opening_turn(drive.opening, drive.opening_draws))
    turns += [
        {
            "driver": post.seat,
            "orders": post.orders,
            "salt": post.salt,
            "draws": post.draws,
            "events": list(post.events),
        }
        for post in drive.posts
    ]
    chance = told_of(
        seal=seal,
        promise=commitment(seal),
        run=1,
        secret=secret_of_run(seal, 1),
        common=common_secret(seal),
        phrases=PHRASES,
        published=digest(PHRASES),
    )
    document = record.write(
        rules=drive.game,
        stage=drive.course,
        entrants=drive.entrants,
        options=drive.options,
        turns=turns,
        chance=chance,
    )
    plain: dict[str, Any] = json.loads(json.dumps(document, sort_keys=True))
    return plain


def sampled(drive: Drive, number: int) -> list[Post]:
    """Return some posts, spread evenly over the run. The first and the last are among them."""
    last = len(drive.posts) - 1
    return [drive.posts[place] for place in sorted({last * step // max(1, number - 1) for step in range(number)})]


def visible(events: Iterable[Event], viewer: str | None) -> list[Event]:
    """Return the events that a viewer may read while the phase is open."""
    return [event for event in events if "only" not in event or viewer in event["only"]]


def sealed(events: Iterable[Event]) -> bool:
    """Return whether these events are hidden from others and the phase is still open."""
    found = list(events)
    return any("only" in event for event in found) and not any(event.get("closes") for event in found)


def plain(value: Any) -> bool:
    """Return whether a value is JSON without fractions, which a database returns unchanged."""
    if isinstance(value, dict):
        return all(type(key) is str for key in value) and all(map(plain, value.values()))
    if isinstance(value, list):
        return all(map(plain, value))
    return value is None or type(value) in (bool, int, str)


def frozen(*values: Any) -> str:
    """Return values as a text, to check later whether they have changed."""
    return json.dumps(values, sort_keys=True, default=_as_table)


def _as_table(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else repr(value)


def same(one: Any, other: Any) -> bool:
    """Return whether they are equal. An assertion on this function prints no long difference."""
    return bool(one == other)


# Selections for the suite

NAMES = sorted(games())
SEEDS = (1, 2, 3)
PLACES = 12
"""Number of posts of a run that the tests check closely."""

each_game = pytest.mark.parametrize("name", NAMES)
each_drive = pytest.mark.parametrize(("name", "seed"), [(name, seed) for name in NAMES for seed in SEEDS])


def assert_readable(error: GameError) -> None:
    """Check that the message can be translated: it is a short template without the values."""
    assert error.message and error.words(lambda template: template) == error.message
    assert "zzqx" not in error.template, "what somebody sent is no part of the template"
    assert len(error.message) < 500
    if isinstance(error, RuleError):
        assert re.fullmatch(r"[A-Za-z][\w.-]*", error.rule)
        assert error.move is None or error.move >= 1
