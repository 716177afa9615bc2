"""Pit stops (P)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.formula_d import pits
from engine.formula_d.choices import table_of
from engine.formula_d.movement.walk import Drive, after_step, begin, broken_rule, held_up
from engine.formula_d.track import load_track
from tests.games.formula_d.engine.scene import car, lost, played, refused, turn
from tests.games.formula_d.engine.test_game import under_way

BOX = "P.0.0-2 PITE1"
"""From S7.3.3 to the box E1."""


def in_front(**more: Any) -> list[dict[str, Any]]:
    return [car("ana", "S7.3.3", 3, box="E1", **more)]


def boxed(gear: int = 3, **more: Any) -> list[dict[str, Any]]:
    """Return Ana in its box E1, after a slow stop."""
    return [car("ana", "PITE1", gear, box="E1", **more)]


@pytest.mark.parametrize(("laps", "lap"), [(1, 1), (2, 0), (2, 2), (3, 3)])
def test_p1_not_from_the_grid_nor_on_the_last_lap(laps: int, lap: int) -> None:
    assert refused(in_front(lap=lap), turn("ana", 1, "P.0.0"), dice=[1, 1][:1], laps=laps) in ("P1", "G5")
    cars = [{**in_front(lap=lap)[0], "gear": 1}]
    assert refused(cars, turn("ana", 1, "P.0.0"), dice=[1], laps=laps) == "P1"


def test_p1_in_any_gear_between() -> None:
    cars = [{**in_front(lap=2)[0], "gear": 6}]
    assert played(cars, turn("ana", 6, BOX), dice=[21, 11], laps=3)["cars"]["ana"]["space"] == "PITE1"


def test_p1_not_while_overshooting() -> None:
    """From C6 with its stop missing, straight on along lane 3."""
    cars = [car("ana", "C6.3.4", 3)]
    assert refused(cars, turn("ana", 3, "S7.3.0-2 P.0.0"), dice=[4], laps=2) == "P1"
    cars[0]["stops"] = 1
    assert played(cars, turn("ana", 3, "S7.3.0-2 P.0.0"), dice=[4], laps=2)["cars"]["ana"]["space"] == "P.0.0"


def test_p2_into_the_own_box_as_soon_as_it_is_next() -> None:
    assert refused(in_front(), turn("ana", 3, "P.0.0-3"), dice=[4], laps=2) == "P2"


def test_p2_other_boxes_are_closed() -> None:
    cars = [{**in_front()[0], "box": "A1"}]
    assert refused(cars, turn("ana", 3, BOX), dice=[4], laps=2) == "P2"


def test_p2_a_car_that_has_been_there_drives_on() -> None:
    cars = [car("ana", "P.0.2", 3, box="E1", boxed=True)]
    assert refused(cars, turn("ana", 1, "PITE1"), dice=[1], laps=2) in ("P2", "G5")
    cars[0]["gear"] = 1
    assert refused(cars, turn("ana", 1, "PITE1"), dice=[1], laps=2) == "P2"
    assert played(cars, turn("ana", 1, "P.0.3"), dice=[1], laps=2)["cars"]["ana"]["space"] == "P.0.3"


def test_p2_until_it_has_left_the_lane() -> None:
    """A lap later the box is free again."""
    cars = [car("ana", "P.0.13", 3, box="E1", boxed=True, wp={"brakes": 40})]
    turns = [turn("ana", 3, "S1.3.2")]
    shown = played(cars, *turns, dice=[4], laps=3)
    assert shown["cars"]["ana"]["lap"] == 2


def test_p3_no_collision_engine_or_marker_dice() -> None:
    cars = [car("ana", "P.0.3", 4, boxed=True), car("bo", "S5.1.0", 5, lap=2, wp={"brakes": 40})]
    shown = played(cars, turn("bo", 5, "S5.1.1"), turn("ana", 5, "P.0.4-13 S1.3.2-11"), dice=[11, 20], laps=2)
    assert shown["cars"]["ana"]["space"] == "S1.3.11"


def test_p4_short_of_the_box() -> None:
    shown = played(in_front(), turn("ana", 3, "P.0.0"), dice=[8], laps=2)
    assert lost(shown) == {"brakes": 3}


def test_p4_short_of_the_count() -> None:
    cars = [car("ana", "S7.3.3", 3, box="B2")]
    assert lost(played(cars, turn("ana", 3, "P.0.0-1"), dice=[4], laps=2)) == {"brakes": 2}


def test_p4_short_of_a_car() -> None:
    cars = [car("ana", "S7.3.3", 3, box="B2"), car("bo", "P.0.4", 1)]
    assert lost(played(cars, turn("ana", 3, "P.0.0-1"), dice=[8], laps=2)) == {"brakes": 2}


def test_p4_where_the_way_leads_out_it_is_the_count() -> None:
    cars = [car("ana", "P.0.11", 3, boxed=True)]
    assert lost(played(cars, turn("ana", 3, "P.0.12-13"), dice=[5], laps=2)) == {"brakes": 3}


def test_p4_staying_in_the_box() -> None:
    shown = played(boxed(2), turn("ana", 2, ""), dice=[3], laps=2)
    assert (lost(shown), shown["cars"]["ana"]["space"]) == ({"brakes": 3}, "PITE1")


def test_p4_basic() -> None:
    shown = played(in_front(), turn("ana", 3, "P.0.0"), dice=[8], laps=2, rules="basic")
    assert shown["cars"]["ana"]["wp"] == {"total": 15}


def test_p5_held_up_at_no_price() -> None:
    cars = [car("ana", "S7.3.3", 3, box="B2"), car("bo", "P.0.4", 1)]
    assert lost(played(cars, turn("ana", 3, "P.0.0-3"), dice=[8], laps=2)) == {}


def test_p5_held_up_without_moving() -> None:
    cars = [*boxed(3, lap=1), car("bo", "P.0.2", 1, lap=1)]
    cars[1]["space"] = "P.0.2"
    shown = played(cars, turn("bo", 1, "P.0.3"), turn("ana", 3, "P.0.2"), dice=[1, 4], laps=2)
    assert lost(shown) == {}


def test_p5_at_the_exit_both_must_be_taken() -> None:
    cars = [car("ana", "P.0.13", 2, boxed=True), car("bo", "S1.3.2", 1, lap=2)]
    turns = [turn("bo", 1, "")]
    assert refused(cars, *turns, turn("ana", 2, ""), dice=[1, 4], laps=2) == "B1"
    cars.append(car("cy", "S1.3.3", 1, lap=2))
    turns = [turn("cy", 1, ""), turn("bo", 1, "")]
    shown = played(cars, *turns, turn("ana", 2, ""), dice=[1, 1, 20, 20, 4], laps=2)
    assert lost(shown) == {}


def test_p6_basic_all_wp_again() -> None:
    shown = played(in_front(wp={"total": 4}), turn("ana", 3, BOX), dice=[8], laps=2, rules="basic")
    assert shown["cars"]["ana"]["wp"] == {"total": 18}


def test_p6_advanced_tires_only_and_new() -> None:
    cars = in_front(wp={"tires": 1, "body": 1}, age=4)
    shown = played(cars, turn("ana", 3, BOX), dice=[8, 11], laps=2, tyres=True)
    ana = shown["cars"]["ana"]
    assert (ana["wp"]["tires"], ana["wp"]["body"], ana["age"], ana["tyres"]) == (6, 1, 0, "hard")


def test_p6_decisions_belong_to_a_car_that_comes_in() -> None:
    cars = [car("ana", "S1.1.0", 1)]
    assert refused(cars, turn("ana", 1, "S1.1.1", pit={}), dice=[1]) == "P6"
    assert refused(cars, turn("ana", 1, "S1.1.1", out=[]), dice=[1]) == "P6"
    assert refused(in_front(), turn("ana", 3, BOX, pit={}), dice=[8], laps=2, rules="basic") == "P6"
    assert refused(boxed(1, wp={"brakes": 9}), turn("ana", 1, "", pit={}), dice=[1], laps=2) == "P6"


@pytest.mark.parametrize(("die", "spaces"), [(1, 1), (2, 1), (3, 2), (10, 5)])
def test_p7_half_of_the_die_rounded_up(die: int, spaces: int) -> None:
    out = [f"P.0.{index}" for index in range(2, 2 + spaces)]
    shown = played(in_front(), turn("ana", 3, BOX, out=out), dice=[8, die], laps=2)
    assert (shown["cars"]["ana"]["space"], shown["cars"]["ana"]["gear"]) == (out[-1], 4)
    assert refused(in_front(), turn("ana", 3, BOX, out=out[:-1]), dice=[8, die], laps=2) == "P7"


def test_p7_no_way_out_given_or_none_due() -> None:
    assert refused(in_front(), turn("ana", 3, BOX), dice=[8, 10], laps=2) == "P7"
    assert refused(in_front(), turn("ana", 3, BOX, out=["P.0.2"]), dice=[8, 11], laps=2) == "P7"


def test_p7_onto_the_track_with_marker_and_collision_dice() -> None:
    """P9: one lap more. B2 opens to P.0.11."""
    cars = [car("ana", "P.0.10", 3, box="B2"), car("bo", "S1.2.3", 1, lap=2)]
    order = turn("ana", 3, "P.0.11 PITB2", out=["P.0.11", "P.0.12", "P.0.13", "S1.3.2", "S1.3.3"])
    more = {"markers": ["S1.3.2"]}
    shown = played(cars, turn("bo", 1, ""), order, dice=[1, 8, 10, 4, 20, 20], more=more, laps=2)
    assert (shown["cars"]["ana"]["lap"], lost(shown)) == (2, {"road": 1})


def test_p7_held_up_on_the_track() -> None:
    """S1.3.3 and S1.2.2 are taken: no space after S1.3.2 is free."""
    cars = [car("ana", "P.0.10", 3, box="B2"), car("bo", "S1.3.3", 1, lap=2), car("cy", "S1.2.2", 1, lap=2)]
    order = turn("ana", 3, "P.0.11 PITB2", out=["P.0.11", "P.0.12", "P.0.13", "S1.3.2"])
    turns = [turn("bo", 1, ""), turn("cy", 1, ""), order]
    dice = [1, 20, 20, 1, 20, 20, 8, 10, 20, 20, 20, 20]
    shown = played(cars, *turns, dice=dice, laps=2)
    assert shown["cars"]["ana"]["space"] == "S1.3.2"


def test_p7_on_the_track_the_way_out_is_driven_in_full_where_anything_is_free() -> None:
    order = turn("ana", 3, "P.0.11 PITB2", out=["P.0.11", "P.0.12", "P.0.13", "S1.3.2"])
    assert refused([car("ana", "P.0.10", 3, box="B2")], order, dice=[8, 10], laps=2) == "P7"


def test_p7_held_up_in_the_box() -> None:
    cars = [*in_front(), car("bo", "P.0.2", 1)]
    cars = [car("ana", "P.0.1", 3, box="E1"), car("bo", "P.0.3", 1)]
    shown = played(cars, turn("bo", 1, ""), turn("ana", 3, "P.0.2 PITE1", out=["P.0.2"]), dice=[1, 8, 10], laps=2)
    assert shown["cars"]["ana"]["space"] == "P.0.2"


@pytest.mark.parametrize("gear", [1, 2, 3, 4])
def test_p8_out_of_the_box_up_to_fourth(gear: int) -> None:
    shown = played(boxed(1, wp={"brakes": 20}), turn("ana", gear, ""), dice=[{1: 1, 2: 2, 3: 4, 4: 7}[gear]], laps=2)
    assert shown["cars"]["ana"]["gear"] == gear and shown["cars"]["ana"]["wp"]["gearbox"] == 3


@pytest.mark.parametrize(
    ("own", "gear", "gearbox", "brakes"), [(6, 4, 3, 20), (6, 2, 2, 20), (5, 1, 2, 19), (3, 1, 2, 20)]
)
def test_p8_skipped_from_the_lower_of_own_and_fourth(own: int, gear: int, gearbox: int, brakes: int) -> None:
    roll = {1: 1, 2: 2, 4: 7}[gear]
    path = " ".join(f"P.0.{index}" for index in range(2, 2 + roll))
    wear = played(boxed(own, wp={"brakes": 20}), turn("ana", gear, path), dice=[roll], laps=2)["cars"]["ana"]["wp"]
    assert (wear["gearbox"], wear["brakes"], wear["engine"]) == (gearbox, brakes, 3)


def test_p8_in_the_place_of_g2_but_not_of_g5() -> None:
    assert refused(boxed(2), turn("ana", 5, ""), laps=2) == "P8"
    assert refused(boxed(4, wp={"gearbox": 0}), turn("ana", 2, ""), laps=2) == "G5"
    assert refused(boxed(4, wp={"total": 1}), turn("ana", 2, ""), laps=2, rules="basic") == "G4"


def test_p9_a_lap_more() -> None:
    cars = [car("ana", "P.0.13", 1, boxed=True)]
    shown = played(cars, turn("ana", 1, "S1.3.3"), dice=[1], laps=2, nitro=True, tyres=True)
    assert (shown["cars"]["ana"]["lap"], shown["cars"]["ana"]["age"]) == (2, 2)


def technical(**repairs: int) -> dict[str, Any]:
    return turn("ana", 3, BOX, pit={"technical": repairs})


WORN = {"wp": {"body": 1, "brakes": 2, "engine": 3}}


def test_p10_two_wp_in_place_of_the_die() -> None:
    shown = played(in_front(**WORN), technical(body=2), dice=[8], laps=2, technical_pit=True)
    assert (shown["cars"]["ana"]["wp"]["body"], shown["cars"]["ana"]["repair"]) == (3, 0)
    shown = played(in_front(**WORN), technical(), dice=[8], laps=2, technical_pit=True)
    assert shown["cars"]["ana"]["repair"] == 2


@pytest.mark.parametrize(
    "repairs",
    [{"body": 2, "brakes": 1}, {"tires": 1}, {"brakes": 2}, {"engine": 1}, {"wings": 1}, {"body": -1}, {"body": "1"}],
)
def test_p10_not_so(repairs: dict[str, int]) -> None:
    assert refused(in_front(**WORN), technical(**repairs), dice=[8], laps=2, technical_pit=True) == "P10"


def test_p10_only_with_the_option_and_the_points() -> None:
    assert refused(in_front(**WORN), technical(body=1), dice=[8], laps=2) == "P10"
    cars = in_front(**WORN, repair=1)
    assert refused(cars, technical(body=2), dice=[8], laps=2, technical_pit=True) == "P10"


def test_p10_teams_draw_on_both() -> None:
    """Y7: ana has no points of its own and uses those of the other car of the team."""
    cars = [*in_front(**WORN, repair=0), car("bo", "S5.1.0", 1, box="E2", lap=2)]
    turns = [turn("bo", 1, "S5.1.1"), technical(body=2)]
    shown = played(cars, *turns, dice=[1, 8], laps=2, technical_pit=True, teams=True)
    assert [one["repair"] for one in shown["cars"].values()] == [0, 0]
    assert shown["cars"]["ana"]["wp"]["body"] == 3


def test_p10_own_points_only_when_the_race_says_so() -> None:
    """Y7: with a point of its own ana gets one WP back; bo keeps both of his."""
    cars = [*in_front(**WORN, repair=1), car("bo", "S5.1.0", 1, box="E2", lap=2)]
    options = {"laps": 2, "technical_pit": True, "teams": True, "own_repairs": True}
    assert refused(cars, turn("bo", 1, "S5.1.1"), technical(body=2), dice=[1, 8], **options) == "P10"
    shown = played(cars, turn("bo", 1, "S5.1.1"), technical(body=1), dice=[1, 8], **options)
    assert [one["repair"] for one in shown["cars"].values()] == [0, 2]


def test_p8_follows_a_technical_stop() -> None:
    cars = in_front(**WORN)
    shown = played(cars, technical(), turn("ana", 4, "P.0.2-8"), dice=[8, 7], laps=2, technical_pit=True)
    assert shown["cars"]["ana"]["space"] == "P.0.8"


def test_p10_repairs_are_numbers_by_area() -> None:
    order = {**technical(), "pit": {"technical": 2}}
    assert refused(in_front(**WORN), order, dice=[8], laps=2, technical_pit=True) == "P10"


def test_p10_none_of_an_area_is_no_repair() -> None:
    shown = played(in_front(**WORN), technical(brakes=0, body=1), dice=[8], laps=2, technical_pit=True)
    assert shown["cars"]["ana"]["repair"] == 1


def test_p6_decisions_have_names() -> None:
    assert refused(in_front(**WORN), {**technical(), "pit": "technical"}, dice=[8], laps=2, technical_pit=True) == "P6"


def decisions(**options: bool) -> list[dict[str, Any]]:
    """Return what ana may decide in the box: two tire WP and a brake WP are lost."""
    state = under_way(car("ana", "PITA1", 3, lap=1, wp={"tires": 4, "brakes": 2}), laps=2, **options)
    return pits.choices(table_of(state, "ana"))


def test_t6_p10_all_that_may_be_decided_in_the_box() -> None:
    """Tires come back in any case and are not a repair."""
    repairs: list[dict[str, Any]] = [{}, {"technical": {}}, {"technical": {"brakes": 1}}]
    assert decisions() == [{}]
    assert decisions(technical_pit=True) == repairs
    assert decisions(tyres=True) == [{"tyres": kind} for kind in ("hard", "soft", "wet")]
    assert decisions(tyres=True, technical_pit=True)[:3] == [{"tyres": "hard", **repair} for repair in repairs]


@pytest.mark.parametrize(
    ("path", "closed"), [("S2.1.2 S2.2.3", "M3"), ("C2.1.1 C2.1.2 C2.1.3", "C5"), ("C2.1.1 C2.1.2 C2.1.3 S3.1.0", "C5")]
)
def test_p7_a_car_that_may_not_pass_those_ahead_is_held_up_on_the_track(path: str, closed: str) -> None:
    """On our tracks no fast stop leads so far, but on a club's own track one may."""
    road = load_track("monza")
    start, *steps = (road.index[name] for name in path.split())
    out = Drive(road, start, 5, fast=True)
    at = begin(out)
    for step in steps:
        at = after_step(out, at, step)
    rules = {to: broken_rule(out, at, to) for to in road.nexts[at.space]}
    free = frozenset(to for to, rule in rules.items() if rule is None)
    assert free and set(rules.values()) == {None, closed}
    full = replace(out, taken=free)
    assert held_up(full, at)
    assert not held_up(replace(full, fast=False), at)
    for to in free:
        assert not held_up(replace(full, taken=free - {to}), at)
