"""O1, O2: who plays when, who opens the round, who starts."""

from __future__ import annotations

from typing import Any

from tests.games.dirt.engine.scenes import HAIRPIN, RULES, STRAIGHT, Scene, car

S_BEND: list[Any] = ["202a", "215a", "203a"]
"""A bend to the right, then one to the left: after the last bend, left is inside."""


def order(road: list[Any], *cars: dict[str, Any]) -> list[str]:
    """Return the first round with everyone on the road."""
    return Scene(road, *cars).round


def test_O1_the_farthest_first() -> None:
    assert order(STRAIGHT, car("ana", "1.2.l", 6), car("bo", "2.1.l", 1), car("cy", "1.3.r", 2)) == ["bo", "cy", "ana"]


def test_O1_the_front_edge_counts() -> None:
    """O1, T5: the second of three outside spaces is behind the only inside one, one half of a slide behind its row."""
    assert order(HAIRPIN, car("ana", "2.2.o2", 2), car("bo", "2.3.s1", 1)) == ["bo", "ana"]
    assert order(["202a", "214b", "206a", "203a"], car("ana", "2.3.s1", 6), car("bo", "3.1.l", 1), car("cy",
    "2.2.o3", 1)) == [
        "bo", "ana", "cy",
    ]  # fmt: skip


def test_O1_then_the_higher_gear() -> None:
    assert order(HAIRPIN, car("ana", "1.3.r", 2), car("bo", "1.3.l", 3)) == ["bo", "ana"]


def test_O1_then_cars_on_the_track_before_cars_beside_it() -> None:
    scene = Scene(HAIRPIN, car("ana", "1.3.r"), car("bo", "1.3.l"), car("cy", "1.2.l", 1), leader_dice=False)
    assert scene.round == ["ana", "bo", "cy"]
    scene.state["drivers"]["ana"]["on_track"] = False
    scene.state["queue"] = ["cy"]
    scene.turn("cy", "1:1.3.r", ".")
    assert scene.round == ["cy", "bo", "ana"]


def test_O1_then_the_inside_of_the_bend_to_come() -> None:
    """O1: directly before a bend to the right, whatever the starting order."""
    assert order(HAIRPIN, car("ana", "1.3.l", 3), car("bo", "1.3.r", 3)) == ["bo", "ana"]
    assert order(S_BEND, car("ana", "2.3.r", 3), car("bo", "2.3.l", 3)) == ["bo", "ana"]


def test_O1_behind_the_last_bend_its_inside() -> None:
    assert order(S_BEND, car("ana", "3.1.r", 3), car("bo", "3.1.l", 3)) == ["bo", "ana"]
    assert order(HAIRPIN, car("ana", "3.1.l", 3), car("bo", "3.1.r", 3)) == ["bo", "ana"]


def test_O1_then_the_starting_order() -> None:
    """O1: when no bend decides, and for cars level beside the track."""
    assert order(STRAIGHT, car("ana", "1.3.r", 3), car("bo", "1.3.l", 3)) == ["ana", "bo"]
    assert order(STRAIGHT, car("bo", "1.3.l", 3), car("ana", "1.3.r", 3)) == ["bo", "ana"]


def test_O1_the_order_of_a_round_is_fixed_until_its_end() -> None:
    """O1: bo overtakes ana, who has played; bo opens the next round."""
    scene = Scene(STRAIGHT, car("ana", "1.3.r", 1), car("bo", "1.2.l", 4), leader_dice=False)
    scene.turn("ana", "1:2.1.l", ".")
    assert scene.round == ["bo"]
    scene.turn("bo", "4:1.3.l 3:2.1.r c:2.2.l", "...")
    assert scene.round == ["bo", "ana"]


def test_O1_out_of_turn_is_refused() -> None:
    scene = Scene(STRAIGHT, "ana", "bo")
    assert "ana" in scene.refuse("O1", "bo", "1:1.2.l").message
    scene.refuse("O1", "nobody", "1:1.2.l")
    over = Scene(["202a", "203a"], car("ana", "2.1.l", 2)).turn("ana", "2:2.2.l", ".")
    over.refuse("O1", "ana", "2:2.3.l")


def test_O1_a_half_made_turn_is_its_drivers() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.3.r", 1), car("bo", "1.2.l", 4)).order("ana", "lay", plan="1:2.1.l")
    assert scene.next == "ana"
    scene.refuse("O1", "bo", "4:1.3.l")


def test_O1_the_first_of_a_round_opens_it() -> None:
    """O1, D6: in round 1 the first starter, then the leader."""
    scene = Scene(STRAIGHT, "ana", "bo")
    assert scene.state["leader"] == "ana"
    scene.turn("ana", "1:1.2.l", ".").turn("ana", "1:1.3.l", ".").turn("bo", "2:1.2.l 3:1.3.r 4:2.1.l", "...")
    assert scene.state["leader"] == "bo"


def test_O2_each_round_one_more_driver_starts() -> None:
    """O2: in round k the k-th starter, after those on the road. Waiting drivers keep their order."""
    scene = Scene(STRAIGHT, "ana", "bo", "cy")
    assert scene.round == ["ana"]
    assert scene.car("cy")["space"] == "grid"
    scene.turn("ana", "1:1.2.l", ".")
    assert scene.round == ["ana", "bo"]
    scene.turn("ana", "1:1.3.l", ".").turn("bo", "2:1.2.l c:1.3.r 3:2.1.l", "...")
    assert scene.round == ["bo", "ana", "cy"]


def test_O2_a_car_blocked_on_the_grid_has_started() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 1), car("bo", "1.2.r", 1), "cy", "di", leader_dice=False)
    scene.state |= {"round": 3, "queue": ["cy"]}
    scene.turn("cy", "")
    assert scene.cards("cy") == [60]
    assert scene.round == ["ana", "bo", "cy", "di"]


def test_O2_an_empty_round_is_passed_over() -> None:
    scene = Scene(STRAIGHT, car("ana", damage={"gear": 6}), car("bo", damage={"gear": 6}), "cy")
    assert (scene.state["round"], scene.next) == (3, "cy")


def test_O2_later_stages_start_by_total_time() -> None:
    """O2: fastest first, ties by the last stage's time, then at random."""
    totals = {"ana": 300, "bo": 280, "cy": 300, "di": 300}
    last = {"ana": 150, "bo": 150, "cy": 140, "di": 150}
    assert RULES.starting_order(totals, last, ["di", "cy", "bo", "ana"]) == ["bo", "cy", "di", "ana"]
    assert RULES.starting_order(totals, last, ["ana", "bo", "cy", "di"]) == ["bo", "cy", "ana", "di"]
