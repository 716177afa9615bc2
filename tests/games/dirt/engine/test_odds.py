"""Odds of a plan: by hand, compared with every outcome of dice and cards, and with many rolls (R1 to R7, E1 to E4)."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import accumulate
from math import sqrt
from typing import Any

import pytest

from engine.chance import SeededChance
from engine.dirt.facts import facts
from engine.dirt.odds import Odds, odds
from tests.games.dirt.engine.rolling import (
    BRAKING,
    BUMP,
    CASES,
    HAIRPIN,
    SIX,
    STRAIGHT,
    Case,
    Outcome,
    driven,
    every_outcome,
)
from tests.games.dirt.engine.scenes import Scene, car

CLOSE = 1e-12
STANDARD_ERRORS = 4
TURNS = 100_000 // (5 * len(CASES))
"""With about five dice a turn: 100,000 rolls over all cases."""
COUNTED = ("crash", "damage")
"""Counts that are mostly 0: their spread is at least that of one event, which may not occur in a few rolls."""


def weighed(case: Case) -> Odds:
    """Return the odds of a case."""
    return odds(case.state(), case.car["name"], case.plan, orders=case.orders)


def shares(side: int) -> dict[str, Fraction]:
    """Return the share of the printed bag for each kind of damage on a side."""
    found: Counter[str] = Counter()
    for token, times in facts().bag.items():
        found[token.split("/")[side]] += times
    return {kind: Fraction(found[kind], found.total()) for kind in ("gear", "coast", "brake")}


def close(one: float, other: float | Fraction) -> bool:
    return abs(one - float(other)) < CLOSE * max(1.0, abs(other))


# By hand -------------------------------------------------------------------------------------------


def test_three_dice_of_a_third_each() -> None:
    """R2: control is lost with all three; its card costs 10 s twice in 32, else 60 s; gear 5 costs 15 s."""
    found = odds(
        Scene(STRAIGHT, car("ana", "1.2.l", 2)).state, "ana", "3:1.3.l 4:2.1.l 5:2.2.l", orders={"roll": "one by one"}
    )
    assert found.warnings == pytest.approx((8 / 27, 12 / 27, 6 / 27, 1 / 27))
    assert found.kept == pytest.approx((1, 1, 26 / 27))
    assert found.reached == pytest.approx((1, 1, 1))
    loss = (2 * 10 + 30 * 60) / 32
    assert found.cards == pytest.approx(26 / 27 * 15 + 1 / 27 * loss)
    assert found.seconds == found.cards
    assert found.lost == pytest.approx(1 / 27)
    assert found.crash == pytest.approx(20 / 32 / 27)
    assert found.progress == pytest.approx(3)


def test_stopping_at_two_warnings_never_loses_on_single_dice() -> None:
    found = odds(Scene(STRAIGHT, "ana").state, "ana", SIX, orders={"stop_at": 2})
    assert found.lost == 0
    assert {end.rule for end in found.ends} == {"E1"}
    stopped = next(end for end in found.ends if end.moves == 2)
    assert (stopped.space, stopped.gear, stopped.cards) == ("1.3.l", 2, 40)
    assert stopped.chance == pytest.approx(1 / 36)


def test_flat_out_earns_a_second_a_die_but_brakes() -> None:
    found = odds(Scene(STRAIGHT, car("ana", "1.2.l", 4)).state, "ana", BRAKING, orders={"roll": "flat out"})
    assert found.earned == 4
    assert found.seconds == pytest.approx(found.cards - 4)


def test_a_flying_start_fails_one_time_in_six() -> None:
    """D7: one space on, in gear 2, no loss of control."""
    found = odds(Scene(STRAIGHT, "ana").state, "ana", "2:1.2.l", orders={"roll": "one by one"})
    assert [(end.rule, end.lost, end.gear) for end in found.ends] == [("D7", False, 2), ("E1", False, 2)]
    assert found.ends[0].chance == pytest.approx(1 / 6)
    assert found.kept == pytest.approx((1,))


def test_a_jump_at_one_above_loses_with_any_warning_on_its_dice() -> None:
    """M3: gear 4 with a brake over a bump of 3, on a die of a third and a brake of a third."""
    found = odds(Scene(BUMP, car("ana", "2.1.l", 6)).state, "ana", "4b:2.2.l^3.2.l", orders={})
    assert found.kept == pytest.approx((4 / 9,))
    assert next(end for end in found.ends if end.lost).rule == "M3"


def test_the_leader_coasts_at_a_third_all_others_at_a_sixth() -> None:
    """D6: the driver who opens the round has the riskier dice."""
    scene = Scene(STRAIGHT, car("bo", "2.1.l", 2), car("ana", "1.2.l", 4))
    leading = odds(scene.state, "bo", "c:2.2.l", orders={})
    scene.turn("bo", "c:2.2.l", ".")
    behind = odds(scene.state, "ana", "c:1.3.l", orders={})
    assert leading.warnings[1] == pytest.approx(1 / 3)
    assert behind.warnings[1] == pytest.approx(1 / 6)


def test_redline_rolls_a_brake() -> None:
    """D8."""
    found = odds(Scene(STRAIGHT, car("ana", "1.2.l", 6)).state, "ana", "x:1.3.l", orders={"roll": "flat out"})
    assert found.warnings[1] == pytest.approx(1 / 3)
    assert found.earned == 0


def test_a_secured_die_shows_no_warning_and_costs_its_price() -> None:
    """R3: a brake move is secured whole: 1 + 2."""
    state = Scene(STRAIGHT, car("ana", "1.2.l", 4, tokens=3)).state
    found = odds(state, "ana", "2b:1.3.l 3:2.1.l", orders={"secure": [1]})
    assert found.spent == 3
    assert found.warnings == pytest.approx((2 / 3, 1 / 3, 0, 0))
    assert found.seconds == pytest.approx(33)


def test_a_loss_behind_the_line_costs_the_front_of_the_card() -> None:
    """F1: damage counts only when another stage follows."""
    for last, crashes in ((True, 0.0), (False, 20 / 32 / 3)):
        scene = Scene(STRAIGHT, car("ana", "3.2.l", 3), last=last)
        scene.order("ana", "lay", plan="c:3.3.l 4:4.1.l 5:4.2.l").order("ana", "roll", "!").order("ana", "roll", "!")
        found = odds(scene.state, "ana", "", orders={})
        assert {end.rule for end in found.ends} == {"F1", "R2"}
        assert found.cards == pytest.approx(15)
        assert found.crash == pytest.approx(crashes)


def test_expected_damage_is_what_crashes_draw() -> None:
    """E3: gear 3 into an inside limit of 1, orange: a crash draws 1 or 2, 10 in 32 each; half the bag is gear."""
    found = odds(Scene(HAIRPIN, car("ana", "2.1.l", 3)).state, "ana", "3:2.2.i1", orders={})
    assert found.lost == 1
    assert sum(found.damage.values()) == pytest.approx(30 / 32 * 41 / 48)
    assert found.damage["gear"] == pytest.approx(30 / 32 / 2)


def test_a_shortcut_draws_a_token() -> None:
    """M5: its shortcut side, OK, coast damage or mud."""
    found = odds(Scene(HAIRPIN, car("ana", "2.1.r", 4)).state, "ana", "c:2.k1.1 5:2.3.r", orders={"stop_after": 1})
    assert found.damage == pytest.approx({"gear": 0, "coast": 12 / 48, "brake": 0})


def test_the_spare_wheel_is_for_damage_that_was_aboard() -> None:
    """E4: coast damage drawn in a shortcut of this very turn does not count."""
    scene = Scene(HAIRPIN, car("ana", "2.1.r", 2))
    scene.order("ana", "lay", plan="c:2.k1.1 1:2.3.r").order("ana", "roll", ".", shortcuts=["coast"])
    assert scene.car("ana")["damage"]["coast"] == 1
    assert {end.rule for end in odds(scene.state, "ana", "", orders={"spare": True}).ends} == {"E1"}


def test_a_blocked_car_has_nothing_to_roll() -> None:
    """M9: blocked, the time card of the gear."""
    scene = Scene(STRAIGHT, car("bo", "1.3.l", 1), car("cy", "1.3.r", 1), car("ana", "1.2.l", 3))
    scene.state["queue"] = ["ana", "bo", "cy"]
    found = odds(scene.state, "ana", "", orders={})
    assert [(end.rule, end.moves, end.chance) for end in found.ends] == [("M9", 0, 1)]
    assert (found.seconds, found.progress, found.reached) == (30, 0, ())
    plain = found.plain()
    assert plain["warnings"] == [1, 0, 0, 0]
    assert (plain["lost"], plain["crash"], plain["damage"]) == (0, 0, {"gear": 0, "coast": 0, "brake": 0})
    assert (found.ends[0].lost, found.ends[0].finished) == (False, False)


def test_a_car_without_a_way_on_ends_in_gear_0() -> None:
    """M10: a ford ahead, in gear 3 and without a coast die; it costs as much as a loss of control."""
    scene = Scene(["202a", "208b", "203a"], car("ana", "2.1.l", 3, damage={"coast": 2}))
    found = odds(scene.state, "ana", "", orders={})
    assert [(end.rule, end.gear, end.lost) for end in found.ends] == [("M10", 0, False)]
    assert found.seconds == 60


# Compared with every outcome of the dice -----------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_odds_are_those_of_all_ways_through_the_rules(name: str) -> None:
    """Every branch of dice and cards, driven through the engine: together they give the odds."""
    case = CASES[name]
    found = weighed(case)
    ends: Counter[Any] = Counter()
    warnings = [Fraction(0)] * (facts().warning_limit + 1)
    cards = spent = crash = progress = damaged = cut = Fraction(0)
    for chance, outcome in every_outcome(case):
        ends[outcome.end] += chance
        warnings[outcome.warnings] += chance
        cards += chance * outcome.cards
        spent += chance * outcome.spent
        crash += chance * outcome.crash
        progress += chance * outcome.progress
        damaged += chance * outcome.shown.count("green")
        cut += chance * outcome.shown.count("ok")
        assert outcome.earned == found.earned
    assert sum(ends.values()) == 1
    assert {(e.moves, e.space, e.gear, e.rule, e.lost, e.finished) for e in found.ends} == set(ends)
    for end in found.ends:
        assert close(end.chance, ends[end.moves, end.space, end.gear, end.rule, end.lost, end.finished])
    assert all(map(close, found.warnings, warnings))
    assert close(found.cards, cards)
    assert close(found.spent, spent)
    assert close(found.crash, crash)
    assert close(found.progress, progress)
    for kind, markers in found.damage.items():
        assert close(markers, damaged * shares(0)[kind] + cut * shares(1)[kind])
    moves = range(1, len(found.reached) + 1)
    for number, reached, kept in zip(moves, found.reached, found.kept, strict=True):
        assert close(reached, sum(chance for end, chance in ends.items() if end[0] >= number))
        assert close(kept, 1 - sum(chance for end, chance in ends.items() if end[4] and end[0] <= number))


def test_chances_add_up_and_are_plain() -> None:
    for case in CASES.values():
        found = weighed(case)
        assert sum(end.chance for end in found.ends) == pytest.approx(1)
        assert sum(found.warnings) == pytest.approx(1)
        assert list(found.kept) == list(accumulate(found.kept, min))
        read = json.loads(json.dumps(found.plain()))
        assert read.keys() == {
            "ends", "reached", "kept", "warnings", "cards", "earned", "spent", "damage", "crash", "progress",
            "onward", "cards_ahead",
            "lost", "seconds",
        }  # fmt: skip
        assert read["seconds"] == pytest.approx(found.seconds)
        assert read["ends"][0]["rule"] == found.ends[0].rule


# Compared with many rolls --------------------------------------------------------------------------


def assert_near(seen: float, spread: float, turns: int, told: float, what: str) -> None:
    """Check that a mean over so many turns is within four standard errors of the odds."""
    assert abs(seen - told) <= STANDARD_ERRORS * spread / sqrt(turns) + CLOSE * max(1, told), f"{what}: {seen} {told}"


def compare(name: str, turns: int) -> int:
    """Roll a case so many times. Return the number of dice rolled.

    Raises: AssertionError when the odds are too far off.
    """
    case, found = CASES[name], weighed(CASES[name])
    state, chance = case.state(), SeededChance(name.encode().ljust(32)[:32])
    seen: list[Outcome] = [driven(case, state, chance) for _ in range(turns)]
    ends = Counter(outcome.end for outcome in seen)
    told = {(e.moves, e.space, e.gear, e.rule, e.lost, e.finished): e.chance for e in found.ends}
    assert set(ends) <= set(told)
    for end, share in told.items():
        assert_near(ends[end] / turns, sqrt(share * max(0.0, 1 - share)), turns, share, f"{name}: {end}")
    for number, share in enumerate(found.warnings):
        times = sum(outcome.warnings == number for outcome in seen)
        assert_near(times / turns, sqrt(share * max(0.0, 1 - share)), turns, share, f"{name}: {number} warnings")
    means = {
        "seconds": ([o.cards + o.spent - o.earned for o in seen], found.seconds),
        "progress": ([float(o.progress) for o in seen], found.progress),
        "crash": ([float(o.crash) for o in seen], found.crash),
        "damage": ([sum(o.shown.count(kind) for kind in found.damage) for o in seen], sum(found.damage.values())),
    }
    for what, (values, expected) in means.items():
        mean = sum(values) / turns
        spread = sqrt(sum((value - mean) ** 2 for value in values) / turns)
        if what in COUNTED:
            spread = max(spread, sqrt(expected * max(0.0, 1 - expected)))
        assert_near(mean, spread, turns, expected, f"{name}: {what}")
    return chance.drawn


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_many_rolls_come_near_the_odds(name: str) -> None:
    compare(name, TURNS)
