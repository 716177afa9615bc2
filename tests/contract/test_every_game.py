"""The contract of games: each installed game and each toy must pass all these tests.

A game is driven to its end, at random and by its autopilot. The tests check every state, post and event.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from championship.rallies.results.measures import fits_a_stage
from engine.contract import GameError, Manners, OptionError, State, offered
from tests.contract.driving import (
    AT_RANDOM,
    PLACES,
    Drive,
    Post,
    assert_readable,
    begun,
    chance_of,
    driven,
    each_drive,
    each_game,
    entrants_of,
    frozen,
    games,
    opened,
    plain,
    same,
    sampled,
)

RUNS_OF_PROGRESS = (5, 7, 9, 11, 13)
"""Seeds of runs with the default options that are compared with random ways until chance is ruled out."""


def viewers(drive: Drive) -> list[str | None]:
    return [None, *(one["id"] for one in drive.entrants)]


# Names and options


@each_game
def test_it_has_names_seats_and_a_measure(name: str) -> None:
    game = games()[name]
    assert game.name == name and game.title
    assert re.fullmatch(r"\d+(\.\d+)*", game.version) and len(game.version) <= 20
    assert 1 <= game.seats.least <= game.seats.most
    assert re.fullmatch("[a-z][a-z0-9_]{0,19}", game.measure.unit) and game.measure.better in ("fewest", "most")


@each_game
def test_its_options_have_defaults_that_they_take(name: str) -> None:
    game = games()[name]
    defaults = game.clean_options({})
    assert defaults == {option.name: option.default for option in game.options}
    assert plain(defaults) and game.clean_options(defaults) == defaults
    for option in game.options:
        assert option.clean(option.default) == option.default
        assert option.label and option.type in ("bool", "int", "choice")
        assert (option.type == "choice") == bool(option.choices)


@each_game
def test_it_refuses_other_values_and_names_of_options(name: str) -> None:
    game = games()[name]
    with pytest.raises(OptionError):
        game.clean_options({"no such option": 1})
    for option in game.options:
        for value in (None, [], {}, 1.5, "zzqx", -(10**30), 10**30):
            with pytest.raises(OptionError) as refused:
                game.clean_options({option.name: value})
            assert refused.value.option == option.name
            assert_readable(refused.value)


@each_game
def test_it_refuses_a_table_that_is_too_full(name: str) -> None:
    game = games()[name]
    drive = opened(game, 1)
    full = entrants_of(game, game.seats.most + 1, drive.options)
    with pytest.raises(GameError):
        game.setup(drive.course, full, drive.options)


# The run


@each_drive
def test_folding_the_events_gives_the_state_after_every_post(name: str, seed: int) -> None:
    drive = driven(name, seed)
    game, state = drive.game, begun(drive)
    assert same(state, drive.posts[0].before)
    for post in drive.posts:
        for event in post.events:
            state = game.apply(state, event)
        assert same(state, post.after), post.orders


@each_drive
def test_all_of_it_is_plain_json(name: str, seed: int) -> None:
    drive = driven(name, seed)
    game = drive.game
    assert plain(drive.setup)
    for post in drive.posts:
        assert plain(post.after)
        assert all(plain(event) for event in post.events)
        assert json.loads(json.dumps(post.orders)) == dict(post.orders)
    for post in sampled(drive, PLACES):
        assert all(plain(game.view(post.before, viewer)) for viewer in viewers(drive))
        assert plain(game.autopilot(post.before, post.seat)) and plain(game.resign(post.before, post.seat))
        ways = game.choices(post.before, post.seat)
        for way in ways.ways:
            assert plain(dict(way.orders)) and plain(dict(way.does)) and way.text
        assert plain(dict(ways.facts))


def questions(drive: Drive, post: Post, seed: int) -> list[Callable[[], Any]]:
    """Yield every function of the contract, to be called with the state before a post."""
    game, state, seat = drive.game, post.before, post.seat
    return [
        lambda: game.setup(drive.course, drive.entrants, drive.options),
        lambda: game.begin(drive.setup, chance_of(seed)),
        lambda: game.to_play(state),
        lambda: game.turns_made(state, seat),
        lambda: game.phase(state, seat),
        lambda: game.choices(state, seat),
        lambda: game.view(state, seat),
        lambda: game.view(state, None),
        lambda: game.autopilot(state, seat),
        lambda: game.result(post.after),
        lambda: game.play(state, seat, post.orders, chance_of(seed, "again")),
        lambda: [game.apply(state, event) for event in post.events[:1]],
    ]


@each_drive
def test_inputs_are_not_changed_and_calls_are_repeatable(name: str, seed: int) -> None:
    drive = driven(name, seed)
    for post in sampled(drive, PLACES):
        before = frozen(post.before, post.orders, drive.setup, drive.course, drive.entrants, drive.options)
        for ask in questions(drive, post, seed):
            assert same(ask(), ask())
        assert frozen(post.before, post.orders, drive.setup, drive.course, drive.entrants, drive.options) == before


@each_drive
def test_a_state_loaded_from_the_database_plays_on_the_same(name: str, seed: int) -> None:
    """JSON in a database does not keep the order of keys."""
    drive = driven(name, seed)
    game = drive.game
    for post in sampled(drive, PLACES):
        stored: State = json.loads(json.dumps(post.before, sort_keys=True))
        assert game.to_play(stored) == game.to_play(post.before)
        assert game.choices(stored, post.seat).ways == game.choices(post.before, post.seat).ways
        played = [
            game.play(one, post.seat, post.orders, chance_of(seed, "again", drawn=7)) for one in (stored, post.before)
        ]
        assert same(*played)
    stored = json.loads(json.dumps(drive.end, sort_keys=True))
    assert game.result(stored) == game.result(drive.end), "seats in starting order, whatever the order of keys"


@each_drive
def test_events_say_what_they_are_and_whose(name: str, seed: int) -> None:
    drive = driven(name, seed)
    seats = {one["id"] for one in drive.entrants}
    for event in drive.events():
        assert isinstance(event["kind"], str) and 0 < len(event["kind"]) <= 60
        assert event.get("seat") is None or event["seat"] in seats
        assert event.get("until", "phase") in ("phase", "over")
        assert "until" not in event or "only" in event
        if "only" in event:
            assert event["only"] and set(event["only"]) <= seats and "closes" not in event


@each_drive
def test_turns_are_counted_upwards_as_they_end(name: str, seed: int) -> None:
    drive = driven(name, seed)
    game, seats = drive.game, [one["id"] for one in drive.entrants]
    assert all(game.turns_made(drive.setup, seat) == 0 for seat in seats)
    for post in drive.posts:
        for seat in seats:
            before, after = game.turns_made(post.before, seat), game.turns_made(post.after, seat)
            assert before <= after <= before + 1 or seat != post.seat, "one post ends at most one turn of its seat"
            assert before <= after
    result = game.result(drive.end)
    finished = [one.seat for one in result.seats if one.status == "finished"] if result else []
    assert all(game.turns_made(drive.end, seat) > 0 for seat in finished), "a seat that is home has had a turn"


@each_drive
def test_a_seat_that_is_to_play_has_a_phase_and_a_way_to_go_on(name: str, seed: int) -> None:
    drive = driven(name, seed)
    game = drive.game
    for post in drive.posts:
        waiting = game.to_play(post.before)
        assert len(set(waiting)) == len(waiting) and post.seat in waiting
    for post in sampled(drive, PLACES):
        ways = game.choices(post.before, post.seat)
        assert ways.phase == game.phase(post.before, post.seat) != ""
        assert ways.ways or ways.forced, "there is something to choose, or a rule that says why not"
        texts = [way.text for way in ways.ways]
        assert len(set(texts)) == len(texts), "each way reads differently"
        whole = [way for way in ways.ways if way.orders]
        for way in Random(seed).sample(whole, min(8, len(whole))):
            game.play(post.before, post.seat, way.orders, chance_of(seed, "try"))
        game.play(post.before, post.seat, game.autopilot(post.before, post.seat), chance_of(seed, "try"))


@each_drive
def test_the_run_ends_with_a_result(name: str, seed: int) -> None:
    drive = driven(name, seed)
    for post in drive.posts:
        assert drive.game.result(post.before) is None
    assert_result(drive, drive.end)


def assert_result(drive: Drive, state: State) -> None:
    result = drive.game.result(state)
    assert result is not None
    assert [one.seat for one in result.seats] == [one["id"] for one in drive.entrants], "all seats in starting order"
    for one in result.seats:
        assert one.measure is None or type(one.measure) is int
        assert one.measure is None or fits_a_stage(one.measure, drive.game.measure)
        assert isinstance(one.rank, tuple) and all(type(part) is int for part in one.rank)
        assert one.status in ("finished", "retired")
        assert isinstance(one.reason, str) and len(one.reason) <= 80
        assert one.measure is not None or one.status == "retired", "a seat that has finished has a measure"
        assert not (one.reason and one.status == "finished"), "only a seat that has retired says why"
        assert plain(one.luggage)
    assert len({len(one.rank) for one in result.seats if one.status == "finished"}) <= 1


# Seats that the computer plays, and seats that retire


@pytest.mark.slow
@each_game
def test_the_autopilot_drives_to_the_end_in_every_manner(name: str) -> None:
    manners = offered(games()[name], Manners)
    drive = driven(name, 5, "", games()[name].seats.least)
    assert_result(drive, drive.end)
    for manner in manners.manners if manners else ():
        drive = driven(name, 5, manner, games()[name].seats.least)
        assert_result(drive, drive.end)


@each_game
def test_the_driver_of_an_absent_person_makes_progress(name: str) -> None:
    """A seat that only passes its turns does no better than one that takes any way at random. One run may be luck:
    while chance favours the random ways, the sums of more runs are compared.
    """
    game = games()[name]
    manners, seats = offered(game, Manners), max(2, game.seats.least)
    for manner in {"", manners.manners[0] if manners else ""}:
        home = ahead = 0
        for seed in RUNS_OF_PROGRESS:
            by_manner, at_random = (progress(driven(name, seed, one, seats)) for one in (manner, AT_RANDOM))
            home, ahead = home + by_manner[0] - at_random[0], ahead + by_manner[1] - at_random[1]
            if (home, ahead) > (0, 0):
                break
        assert (home, ahead) > (0, 0) or (home == ahead == 0 and game.measure.unit == "places")


def progress(drive: Drive) -> tuple[int, int]:
    """Return how many seats of a table came home, and the sum of their measures, below 0 where fewest are best. Places
    have the same sum however the seats drive: 0.
    """
    assert_result(drive, drive.end)
    result, measure = drive.game.result(drive.end), drive.game.measure
    assert result is not None
    home = [one.measure for one in result.seats if one.status == "finished" and one.measure is not None]
    sign = 0 if measure.unit == "places" else -1 if measure.better == "fewest" else 1
    return len(home), sign * sum(home)


@each_drive
def test_a_seat_may_resign_whenever_it_is_to_play(name: str, seed: int) -> None:
    drive = driven(name, seed)
    game = drive.game
    for post in sampled(drive, 5):
        state = post.before
        for _ in range(len(drive.entrants)):
            if not (waiting := game.to_play(state)):
                break
            gone = waiting[0]
            state, _events = game.play(state, gone, game.resign(state, gone), chance_of(seed))
            assert gone not in game.to_play(state)
        assert game.to_play(state) == (), "all have left, or had ended before"
        assert_result(drive, state)
        result = game.result(state)
        assert result is not None and "retired" in {one.status for one in result.seats}
