"""Refusals of every game: seats that are not to play, and orders and drafts that make no sense."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from engine.chance import CountedChance
from engine.contract import GameError, RuleError, State
from tests.contract.driving import (
    PLACES,
    Drive,
    assert_readable,
    chance_of,
    driven,
    each_drive,
    each_game,
    frozen,
    games,
    plain,
    sampled,
)
from tests.contract.random_orders import try_orders


@each_drive
def test_a_seat_that_is_not_to_play_is_refused(name: str, seed: int) -> None:
    drive = driven(name, seed)
    game = drive.game
    for post in sampled(drive, PLACES):
        others = [one["id"] for one in drive.entrants if one["id"] not in game.to_play(post.before)]
        for seat in (*others[:2], "zzqx"):
            assert_refused(drive, post.before, seat, post.orders)
            with pytest.raises(RuleError):
                game.choices(post.before, seat)


@each_drive
def test_nothing_is_played_when_it_is_over(name: str, seed: int) -> None:
    drive = driven(name, seed)
    for post in sampled(drive, PLACES):
        assert_refused(drive, drive.end, post.seat, post.orders)


def assert_refused(drive: Drive, state: State, seat: str, orders: Any) -> None:
    before, chance = frozen(state, orders), CountedChance(chance_of(1))
    with pytest.raises(RuleError) as refused:
        drive.game.play(state, seat, orders, chance)
    assert not chance.asked, "a refusal comes before the first draw"
    assert_readable(refused.value)
    assert frozen(state, orders) == before


JUNK: tuple[Any, ...] = (
    None, True, -1, 0, 7, 10**30, 1.5, "", "zzqx", "%(zzqx)s %", "zzqx\ud800\x00", "zzqx " * 20_000,
    [], [[]], [None], ["zzqx"], [-1], ["zzqx"] * 5_000, {}, {"zzqx": 1}, {"do": {}},
)  # fmt: skip


def hostile(legal: dict[str, Any], rng: Random) -> Iterator[dict[str, Any]]:
    """Yield orders that make no sense: junk, and legal orders with one value missing, changed or added."""
    yield {}
    for value in JUNK:
        yield {"do": value}
        yield {**legal, "zzqx": value}
    for key, value in legal.items():
        yield {other: legal[other] for other in legal if other != key}
        for junk in JUNK:
            yield {**legal, key: junk}
            if isinstance(value, list) and value:
                place = rng.randrange(len(value))
                yield {**legal, key: [*value[:place], junk, *value[place + 1 :]]}
            if isinstance(value, dict) and value:
                yield {**legal, key: {**value, rng.choice(sorted(value)): junk}}


@each_game
def test_hostile_orders_are_refused_by_a_rule_and_change_nothing(name: str) -> None:
    """The game refuses junk with a rule number, or accepts it where it does no harm. Nothing else may happen."""
    drive, rng = driven(name, 2), Random(name)
    game = drive.game
    for post in sampled(drive, 6):
        before = frozen(post.before)
        for orders in hostile(dict(post.orders), rng):
            chance = CountedChance(chance_of(1))
            try:
                after, events = game.play(post.before, post.seat, orders, chance)
            except GameError as error:
                assert not chance.asked, f"a refusal comes before the first draw: {error} {orders}"
                assert_readable(error)
                continue
            finally:
                assert frozen(post.before) == before
            assert plain(after) and all(plain(event) for event in events), orders
            assert "zzqx" not in frozen(after), "what is no part of the orders is not kept"


ORDERS = 600
"""How many random orders are tried in each game. `python -m tests.benchmarks.refusals_after_draws` tries more."""


@each_game
def test_no_order_is_refused_after_a_draw(name: str) -> None:
    """A driver who is refused after a draw knows the draw, and draws again with another salt."""
    tried = try_orders(games()[name], 1, ORDERS)
    assert tried.after_a_draw == []
    draws = any(post.draws for post in driven(name, 1).posts)
    assert tried.refused and bool(tried.drew) == draws, "both kinds of orders were tried"


@each_game
def test_hostile_drafts_are_refused_by_a_rule(name: str) -> None:
    drive = driven(name, 2)
    for post in sampled(drive, 6):
        for draft in JUNK:
            try:
                drive.game.choices(post.before, post.seat, draft)
            except GameError as error:
                assert_readable(error)
