"""Secrets of every game: before a phase closes, no seat sees what another seat has done in it."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

from engine.contract import State
from tests.contract.driving import (
    PLACES,
    Drive,
    chance_of,
    driven,
    each_drive,
    each_game,
    frozen,
    same,
    sampled,
    sealed,
    some_orders,
    visible,
)


def viewers(drive: Drive) -> list[str | None]:
    return [None, *(one["id"] for one in drive.entrants)]


def phase_driven(drive: Drive, state: State, seat: str, seed: int) -> tuple[State, list[Any]] | None:
    """Play at random for the seat until its part of the phase is over. Return None if that closes the whole phase."""
    game, rng = drive.game, Random(f"phase {seed}")
    told: list[Any] = []
    chance = chance_of(seed, f"salt {seed}")
    for _ in range(400):
        state, events = game.play(state, seat, some_orders(game, state, seat, rng), chance)
        told += events
        if not sealed(events):
            return None
        if seat not in game.to_play(state):
            break
    return state, told


@each_drive
def test_a_sealed_step_shows_the_same_whatever_it_was(name: str, seed: int) -> None:
    """From one state, everything that a seat may do looks the same to the others while the phase is open."""
    drive, rng = driven(name, seed), Random(seed)
    game = drive.game
    for post in sampled(drive, PLACES):
        looks: dict[Any, str] = {}
        ways = [way.orders for way in game.choices(post.before, post.seat).ways if way.orders]
        tried = [*rng.sample(ways, min(6, len(ways))), game.autopilot(post.before, post.seat)]
        for luck, orders in enumerate([*tried, game.resign(post.before, post.seat)]):
            after, events = game.play(post.before, post.seat, orders, chance_of(luck, str(luck)))
            if not sealed(events):
                continue
            group = (game.to_play(after), game.turns_made(after, post.seat))
            for viewer in viewers(drive):
                if viewer != post.seat:
                    seen = frozen(game.view(after, viewer), visible(events, viewer))
                    assert same(looks.setdefault((group, viewer), seen), seen), orders


@each_drive
def test_a_sealed_phase_shows_the_same_whatever_a_seat_did_in_it(name: str, seed: int) -> None:
    drive = driven(name, seed)
    game = drive.game
    starts = (post for post in sampled(drive, 40) if len(game.to_play(post.before)) > 1 and sealed(post.events))
    for post in islice(starts, 6):
        parts = [phase_driven(drive, post.before, post.seat, luck) for luck in range(4)]
        whole = [part for part in parts if part is not None and post.seat not in game.to_play(part[0])]
        for viewer in viewers(drive):
            if viewer != post.seat:
                seen = {frozen(game.view(after, viewer), visible(events, viewer)) for after, events in whole}
                assert len(seen) <= 1


@each_drive
def test_in_a_sealed_phase_it_does_not_matter_who_posts_first(name: str, seed: int) -> None:
    """Draws in the phase depend only on the seat. A draw at its close may depend on the post that closes it."""
    drive = driven(name, seed)
    game, rng = drive.game, Random(seed)
    for post in sampled(drive, 40):
        waiting = game.to_play(post.before)
        if len(waiting) < 2 or not sealed(post.events):
            continue
        pair = rng.sample(waiting, 2)
        orders = {seat: game.autopilot(post.before, seat) for seat in pair}
        ends: list[State] = []
        first: dict[str, set[tuple[str, int]]] = {}
        last: dict[str, set[tuple[str, int]]] = {}
        for order in (pair, pair[::-1]):
            state, chance = post.before, chance_of(seed)
            for seat, drawn in zip(order, (first, last), strict=True):
                chance.salt, before = f"salt of {seat}", len(chance.draws)
                state, _events = game.play(state, seat, orders[seat], chance)
                drawn[seat] = {(draw["what"], draw["ends"]) for draw in chance.draws[before:]}
            assert chance.drawn == 0, "no draw by the counter of the run"
            ends.append(state)
        assert all(first[seat] <= last[seat] for seat in pair), "a seat draws the same whoever posts first"
        assert same(*ends) or (len(waiting) == 2 and first != last), "the closing post alone draws more"


@each_game
def test_a_stranger_sees_what_a_spectator_sees(name: str) -> None:
    drive = driven(name, 1)
    for post in sampled(drive, PLACES):
        assert same(drive.game.view(post.before, "zzqx"), drive.game.view(post.before, None))
