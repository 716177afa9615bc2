"""Formula D as a game of the contract."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from engine.contract import Courses, Game, OptionError, RuleError, State, Way, offered
from engine.formula_d import pits
from engine.formula_d.choices import table_of
from engine.formula_d.race import FINISHED, NEVER
from engine.formula_d.scenario import in_the_middle
from engine.formula_d.setup import setup
from engine.formula_d.track import load_track
from tests.games.formula_d.engine.drawn import GAME, Lot, race
from tests.games.formula_d.engine.scene import car


def under_way(*cars: dict[str, Any], track: str = "monza", **options: Any) -> State:
    """Return a race with cars in the given positions."""
    return in_the_middle(setup(track, cars, options, grid="entry", asks=False), cars)


class Dice:
    """Chance that gives these numbers, from 0."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = list(numbers)
        self.asked: list[tuple[str, int]] = []

    def number(self, what: str, ends: int, *, by: str = "run") -> int:
        self.asked.append((what, ends))
        return self.numbers.pop(0)


def test_it_is_a_game() -> None:
    game: Game = GAME
    assert (game.name, game.seats.least, game.seats.most) == ("formula_d", 1, 10)
    courses = offered(game, Courses)
    assert courses is not None and len(courses.library()) == 8
    for course in courses.library().values():
        assert courses.read_course(course) == course


def test_options_are_declared() -> None:
    assert GAME.clean_options({})["rules"] == "advanced" and GAME.clean_options({})["start_roll"] is True
    with pytest.raises(OptionError):
        GAME.clean_options({"rules": "basic", "weather": True})


def test_teams_get_boxes_two_by_two() -> None:
    state = GAME.setup("monza", [{"id": name} for name in "abcd"], {"teams": True})
    assert [one["box"] for one in state["cars"].values()] == ["A1", "B1", "A2", "B2"]
    with pytest.raises(RuleError, match="Y7"):
        GAME.setup("monza", [{"id": "a", "box": "A1"}, {"id": "b", "box": "B1"}], {"teams": True})
    with pytest.raises(RuleError, match="Y6"):
        GAME.setup("monza", [{"id": "a", "box": "A1"}, {"id": "b", "box": "A1"}], {})


def test_dice_are_asked_for_in_the_words_of_the_rules() -> None:
    state = GAME.setup("monza", [{"id": "ana"}], {"weather": True})
    chance = Dice(19, 4)
    state, _ = GAME.begin(state, chance)
    assert chance.asked == [("weather", 20), ("grid", 20)]
    chance = Dice(10, 3)
    GAME.play(state, "ana", {"do": "gear", "gear": 1}, chance)
    assert chance.asked == [("ana 1 start", 20), ("ana 1 gear 1", 4)]
    cars = [car("ana", "S2.1.1", 5, lap=1, wp={"brakes": 20}), car("bo", "S2.1.3", 1, lap=0)]
    state = under_way(*cars)
    state["markers"] = ["S2.1.2"]
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 5}, Dice(19))
    chance = Dice(19, 19, 19, 19)
    GAME.play(state, "ana", {"do": "move", "path": ["S2.1.2"]}, chance)
    words = ["ana 1 marker S2.1.2", "ana 1 collision of bo", "ana 1 collision with bo", "ana 1 engine"]
    assert [what for what, _ in chance.asked] == words


def test_phases_of_a_turn() -> None:
    cars = [car("ana", "S2.1.2", 4, lap=2), car("bo", "S2.1.10", 4, lap=1)]
    state = under_way(*cars, laps=3)
    assert GAME.phase(state, "ana") == "gear" and GAME.phase(state, "bo") == ""
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 4}, Dice(0))
    assert GAME.phase(state, "ana") == "move"
    with pytest.raises(RuleError, match="A1"):
        GAME.play(state, "ana", {"do": "gear", "gear": 4}, Dice())
    with pytest.raises(RuleError, match="O1"):
        GAME.play(state, "bo", {"do": "gear", "gear": 4}, Dice())
    state, _ = GAME.play(state, "ana", {"do": "move", "path": [f"S2.1.{index}" for index in range(3, 10)]}, Dice())
    assert GAME.phase(state, "ana") == "slip"
    state, events = GAME.play(state, "ana", {"do": "pass"}, Dice(19, 19))
    assert GAME.to_play(state) == ("bo",) and GAME.turns_made(state, "ana") == 1
    assert events[-1]["kind"] == "done"


def test_phases_in_the_box() -> None:
    state = under_way(car("ana", "S7.3.3", 3, box="E1", lap=1), laps=2, technical_pit=True)
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 3}, Dice(7))
    state, _ = GAME.play(state, "ana", {"do": "move", "path": ["P.0.0", "P.0.1", "P.0.2", "PITE1"]}, Dice())
    assert GAME.phase(state, "ana") == "pit"
    state, _ = GAME.play(state, "ana", {"do": "pit"}, Dice(9))
    assert GAME.phase(state, "ana") == "out"
    (way,) = GAME.choices(state, "ana").ways
    state, _ = GAME.play(state, "ana", way.orders, Dice())
    assert state["cars"]["ana"]["space"] == "P.0.6"


def in_the_box(**more: Any) -> State:
    """Ana has entered its box."""
    wishes: dict[str, Any] = {"laps": 2, "technical_pit": True, "tyres": True}
    state = under_way(car("ana", "S7.3.3", 3, box="E1", lap=1, **more), **wishes)
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 3}, Dice(7))
    return GAME.play(state, "ana", {"do": "move", "path": ["P.0.0", "P.0.1", "P.0.2", "PITE1"]}, Dice())[0]


@pytest.mark.parametrize(("repair", "ways"), [(0, 2), (1, 4), (2, 6)])
def test_choices_in_the_box_are_what_play_takes(repair: int, ways: int) -> None:
    """T6, P10: three kinds of tyres, each with the pit die or with every technical stop that can be paid."""
    state = in_the_box(wp={"body": 1, "engine": 2}, repair=repair)
    found = GAME.choices(state, "ana").ways
    assert len(found) == 3 * ways
    assert all(_takes(state, "ana", dict(way.orders)) for way in found)
    offered_repairs = [way.orders.get("technical") for way in found]
    for body, engine in product(range(3), range(3)):
        repairs = {area: number for area, number in (("body", body), ("engine", engine)) if number}
        assert _takes(state, "ana", {"do": "pit", "technical": repairs}) == (repairs in offered_repairs)


def test_nothing_to_decide_is_passed_over() -> None:
    """The box of the basic game, a stall, M7."""
    state = under_way(car("ana", "S7.3.3", 3, box="E1", lap=1), laps=2, rules="basic")
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 3}, Dice(7))
    state, _ = GAME.play(state, "ana", {"do": "move", "path": ["P.0.0", "P.0.1", "P.0.2", "PITE1"]}, Dice())
    assert (state["round"], GAME.phase(state, "ana")) == (2, "gear")
    state, _ = GAME.begin(GAME.setup("monza", [{"id": "ana"}], {}), Dice(3))
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 1}, Dice(0))
    assert (state["round"], state["cars"]["ana"]["gear"]) == (2, 0)
    state = under_way(car("ana", "C1.1.8", 3, wp={"brakes": 0}))
    state, events = GAME.play(state, "ana", {"do": "gear", "gear": 3}, Dice(0))
    assert GAME.to_play(state) == () and {"kind": "over", "places": {"ana": 1}} in events


def test_a_whole_turn_at_once() -> None:
    state = under_way(car("ana", "S1.1.0", 1))
    state, _ = GAME.play_recorded(state, "ana", {"gear": 1, "path": ["S1.1.1"]}, Dice(0))
    assert (state["cars"]["ana"]["space"], state["round"]) == ("S1.1.1", 2)


def test_each_end_has_its_price() -> None:
    """From S2.1.17 with 5: one space past the corner for a tire WP, or four spaces for a brake WP."""
    state = under_way(car("ana", "S2.1.17", 3))
    state["markers"] = ["C2.1.2"]
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 3}, Dice(1))
    found = {(way.does["to"], way.does["markers"]): way.does for way in GAME.choices(state, "ana").ways}
    assert found["S3.1.0", 1]["overshoot"] == 1 and found["S3.1.0", 1]["brakes"] == 0
    assert found["C2.1.3", 1]["brakes"] == 1 and found["C2.2.3", 0]["brakes"] == 2
    assert found["S2.1.17", 0]["driven"] == 0 if ("S2.1.17", 0) in found else True


def test_a_bald_car_spins_only_by_overshooting() -> None:
    """C6: with no tire WP left, a way without an overshot corner includes no spin."""
    state = under_way(car("ana", "S1.1.0", 1, wp={"tires": 0}))
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 1}, Dice(0))
    assert not any(way.does["spin"] for way in GAME.choices(state, "ana").ways)


@pytest.mark.parametrize(("weather", "slides"), [("good", 0), ("rain", 1)])
def test_a_slide_is_listed_only_in_the_wet(weather: str, slides: int) -> None:
    """W7: brake WP shorten the four spaces to one."""
    state = under_way(car("ana", "S2.1.17", 1), weather=True)
    state["weather"] = weather
    _, events = GAME.play_recorded(state, "ana", {"gear": 1, "path": ["C2.1.0"]}, Dice(0))
    assert [event["kind"] for event in events].count("slide") == slides


def test_a_draft_goes_on_from_its_spaces() -> None:
    state = under_way(car("ana", "S1.2.0", 2))
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 2}, Dice(2))
    ways = GAME.choices(state, "ana", ["S1.3.1"])
    assert ways.facts["next"] == ["S1.2.1", "S1.3.2"] or ways.facts["next"] == ["S1.3.2"]
    assert all(way.orders["path"][0] == "S1.3.1" for way in ways.ways)
    with pytest.raises(RuleError, match="M1"):
        GAME.choices(state, "ana", ["S1.3.2"])


def test_the_garage_asks_for_what_the_entry_leaves_open() -> None:
    """T1: once the weather is known, before qualifying and again before the race; Y5 once."""
    wishes = {"tyres": True, "build": True, "qualifying": True, "weather": True}
    state = GAME.setup("monza", [{"id": "ana"}, {"id": "bo", "tyres": "hard"}], wishes)
    state, _ = GAME.begin(state, Dice(0))
    assert GAME.to_play(state) == ("ana", "bo") and GAME.phase(state, "ana") == "garage"
    build = {"tires": 10, "brakes": 3, "gearbox": 2, "body": 2, "engine": 2, "road": 1}
    with pytest.raises(RuleError, match="Y5"):
        GAME.play(state, "ana", {"do": "garage", "tyres": "wet", "build": {**build, "road": 2}}, Dice())
    with pytest.raises(RuleError, match="T1"):
        GAME.play(state, "ana", {"do": "garage", "tyres": "square", "build": build}, Dice())
    state, _ = GAME.play(state, "bo", GAME.choices(state, "bo").ways[0].orders, Dice())
    state, _ = GAME.play(state, "ana", {"do": "garage", "tyres": "wet", "build": build}, Dice())
    assert GAME.to_play(state) == ("ana",) and state["stage"] == "qualifying"
    assert state["cars"]["ana"]["tyres"] == "wet" and state["cars"]["ana"]["wp"] == build
    state, _ = GAME.play(state, "ana", GAME.resign(state, "ana"), Dice())
    assert GAME.to_play(state) == ("bo",)


def test_resigning_out_of_turn() -> None:
    state = under_way(car("ana", "S1.1.0", 1), car("bo", "S5.1.0", 1))
    state, _ = GAME.play(state, "ana", GAME.resign(state, "ana"), Dice())
    assert GAME.to_play(state) == ("bo",) and state["cars"]["ana"]["space"] is None
    with pytest.raises(RuleError):
        GAME.play(state, "ana", GAME.resign(state, "ana"), Dice())
    state, _ = GAME.play(state, "bo", GAME.resign(state, "bo"), Dice())
    found = GAME.result(state)
    assert found is not None
    assert [(one.seat, one.rank, one.status, one.reason) for one in found.seats] == [
        ("ana", (NEVER, 2), "retired", "resigned"), ("bo", (NEVER, 1), "retired", "resigned"),
    ]  # fmt: skip


def test_a_team_scores_for_both() -> None:
    """R5."""
    cars = [car("ana", "S7.1.13", 1, box="A1"), car("bo", "S7.3.14", 1, box="A2")]
    state = under_way(*cars, teams=True)
    state, _ = GAME.play_recorded(state, "ana", {"gear": 1, "path": ["S1.1.0"]}, Dice(0))
    assert GAME.result(state) is None
    state, _ = GAME.play_recorded(state, "bo", {"gear": 1, "path": ["S1.3.0"]}, Dice(0))
    found = GAME.result(state)
    assert found is not None and [(one.measure, one.rank[:2]) for one in found.seats] == [
        (1720, (1, 1)),
        (1720, (1, 2)),
    ]


@pytest.mark.parametrize("seed", range(6))
def test_random_legal_play_ends_and_its_events_fold_to_its_state(seed: int) -> None:
    setup_, state, events, _ = race(seed)
    folded = setup_
    for event in events:
        folded = GAME.apply(folded, event)
    assert folded == state
    found = GAME.result(state)
    assert found is not None and all(one.rank[0] >= 1 for one in found.seats)


@pytest.mark.parametrize("seed", range(3))
def test_the_autopilot_ends_its_races(seed: int) -> None:
    """At least half of the cars finish one lap of the advanced game."""
    _, state, _, _ = race(seed, autopilot=True, cars=3, laps=1)
    assert sum(one["status"] == FINISHED for one in state["cars"].values()) >= 1


def _states(seed: int) -> Iterator[tuple[State, str]]:
    """Return states in which a car is to move, in traffic."""
    lot = random.Random(seed)
    track = load_track(lot.choice(("monza", "monaco")))
    road = [at for at in range(len(track.spaces)) if not track.in_the_pits(at)]
    for _ in range(6):
        here = lot.choice(road)
        near = sorted(road, key=lambda at: abs(track.along[at] - track.along[here]))[:14]
        spaces = [track.spaces[at] for at in lot.sample(near, 6)]
        stops = lot.randint(0, 2)
        cars = [car(f"c{i}", space, 2, lap=1, stops=stops) for i, space in enumerate(spaces)]
        state = under_way(*cars, track=track.name, nitro=True, laps=2)
        state["markers"] = [track.spaces[at] for at in lot.sample(near, 3)]
        (seat,) = GAME.to_play(state)
        state, _ = GAME.play(state, seat, {"do": "gear", "gear": 2}, Lot(seed))
        if GAME.to_play(state) == (seat,) and GAME.phase(state, seat) == "move":
            yield state, seat


def _takes(state: State, seat: str, orders: dict[str, Any]) -> bool:
    try:
        GAME.play(state, seat, orders, Lot(1))
    except RuleError:
        return False
    return True


def _prices(way: Way) -> tuple[Any, ...]:
    return (way.does["to"], bool(way.does.get("nitro")), way.does["tires"])


@pytest.mark.parametrize("seed", range(4))
def test_choices_are_what_play_takes(seed: int) -> None:
    """Every chain of next spaces is tried: play accepts a path to an end exactly when choices offer that end."""
    for state, seat in _states(seed):
        track = load_track(state["track"])
        ways = GAME.choices(state, seat).ways
        assert all(_takes(state, seat, dict(way.orders)) for way in ways)
        offered_ends = {_prices(way) for way in ways}
        count, here = state["turn"]["count"], state["cars"][seat]["space"]
        chains = [[here]]
        taken = set()
        for _ in range(count + 3):
            for chain, nitro, tires in product(chains, (False, True), (0, 1)):
                orders = {"do": "move", "path": chain[1:], "nitro": nitro, "tires": tires}
                if _takes(state, seat, orders):
                    taken.add((chain[-1], nitro, tires))
            chains = [
                [*chain, track.spaces[to]] for chain in chains for to in track.nexts[track.index[chain[-1]]]
            ]  # fmt: skip
        assert {one for one in offered_ends if one[2] <= 1} == taken


def test_p10_tires_are_no_repair() -> None:
    """They come back automatically (P6), so no repair point is spent on them."""
    state = in_the_box(wp={"tires": 1, "body": 1}, repair=2)
    with pytest.raises(RuleError, match="P10"):
        GAME.play(state, "ana", {"do": "pit", "technical": {"tires": 1}}, Dice())
    after, _ = GAME.play(state, "ana", {"do": "pit", "technical": {"body": 1}}, Dice())
    assert after["cars"]["ana"]["wp"]["tires"] > 1


def test_r2_resigning_in_the_garage_is_not_a_turn() -> None:
    """O1: no driver has a turn there."""
    state = GAME.setup("monza", [{"id": "ana"}, {"id": "bo"}], {"tyres": True})
    state, _ = GAME.begin(state, Dice())
    state, events = GAME.play(state, "ana", GAME.resign(state, "ana"), Dice())
    assert [event["kind"] for event in events] == ["out", "left"] and GAME.turns_made(state, "ana") == 0
    assert GAME.to_play(state) == ("bo",)


def test_q1_t1_a_driver_who_resigns_in_qualifying_has_no_further_decisions() -> None:
    """The next car drives its lap. Before the race only the remaining cars choose in the garage."""
    state = GAME.setup("monza", [{"id": "ana"}, {"id": "bo"}], {"qualifying": True, "tyres": True})
    state, _ = GAME.begin(state, Dice())
    for seat in ("ana", "bo"):
        state, _ = GAME.play(state, seat, GAME.autopilot(state, seat), Dice())
    assert (state["stage"], GAME.to_play(state)) == ("qualifying", ("ana",))
    state, events = GAME.play(state, "ana", GAME.resign(state, "ana"), Dice())
    assert [event["kind"] for event in events] == ["out", "done", "qualifying"]
    chance = Lot(4)
    while state["stage"] == "qualifying":
        state, _ = GAME.play(state, "bo", GAME.autopilot(state, "bo"), chance)
    assert (state["stage"], GAME.to_play(state)) == ("garage", ("bo",))


def test_m7_going_out_names_its_rule() -> None:
    state = under_way(car("ana", "C1.2.7", 4, lap=1, wp={"brakes": 0}))
    _, events = GAME.play(state, "ana", {"do": "gear", "gear": 4}, Dice(0))
    (out,) = (event for event in events if event["kind"] == "out")
    assert (out["rule"], out["why"], out["stays"]) == ("M7", "corner", False)


@pytest.mark.parametrize("path", [[["S2.1.3"]], [{"space": "S2.1.3"}], [3], {"S2.1.3": 1}, 7])
def test_m1_what_is_no_space_is_next_to_nothing(path: Any) -> None:
    state = under_way(car("ana", "S2.1.2", 4, lap=1))
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 1}, Dice(0))
    with pytest.raises(RuleError) as refused:
        GAME.play(state, "ana", {"do": "move", "path": path}, Dice())
    assert refused.value.rule == "M1"


@pytest.mark.parametrize("seconds", [True, -1, "59", 1.5])
def test_q6_seconds_are_a_whole_number(seconds: Any) -> None:
    with pytest.raises(RuleError) as refused:
        GAME.setup("monza", [{"id": "ana", "seconds": seconds}], {"qualifying": True})
    assert refused.value.rule == "Q6"


@pytest.mark.parametrize("decisions", [[], "tyres", 7])
def test_p6_decisions_in_the_box_are_named(decisions: Any) -> None:
    state = in_the_box()
    with pytest.raises(RuleError) as refused:
        pits.carry_out_box_decisions(table_of(state, "ana"), decisions)
    assert refused.value.rule == "P6"


def test_t6_p8_tyres_are_offered_in_the_box_and_a_slow_stop_is_an_event() -> None:
    state = in_the_box()
    offered_tyres = [way.orders.get("tyres") for way in GAME.choices(state, "ana").ways]
    assert set(offered_tyres) == {"hard", "soft", "wet"}
    _, events = GAME.play(state, "ana", {"do": "pit", "tyres": "soft"}, Dice(19))
    assert {"kind": "pit", "seat": "ana", "result": "slow", "die": 20} in events
