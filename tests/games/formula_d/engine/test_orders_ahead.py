"""Orders ahead: their content, the situations at their turn, and how they drive a turn."""

from __future__ import annotations

from typing import Any

import pytest

from engine.contract import RuleError, State
from engine.formula_d import orders_ahead
from engine.formula_d.track import load_track
from tests.games.formula_d.engine.drawn import GAME, Lot
from tests.games.formula_d.engine.scene import car
from tests.games.formula_d.engine.test_game import Dice, in_the_box, under_way

LUCKY = [19] * 30


def scene(**wear: int) -> State:
    """Ana has the turn; bo, behind her, is next."""
    return under_way(
        car("ana", "S2.1.2", 4, lap=1, wp=wear), car("bo", "S2.2.1", 3, lap=1), car("cy", "C1.2.1", 2, lap=1), laps=3
    )


@pytest.mark.parametrize(
    ("orders", "rule"),
    [
        ({"gear": 9}, "G1"), ({"gear": "4"}, "G1"), ({"way": "fast"}, "A1"), ({"brakes": -1}, "B1"),
        ({"brakes": True}, "B1"), ({"pit": "later"}, "A1"), ({"tyres": "old"}, "T6"), ({"until": "noon"}, "A1"),
        ({"speed": 3}, "A1"), ({"gear": 6}, "G2"),
    ],
)  # fmt: skip
def test_a1_words_that_there_are_none_of(orders: dict[str, Any], rule: str) -> None:
    with pytest.raises(RuleError) as error:
        GAME.outlook(scene(), "ana", GAME.joined(None, orders))
    assert error.value.rule == rule
    with pytest.raises(RuleError) as error:
        GAME.play(scene(), "ana", GAME.joined(None, orders), Dice())
    assert error.value.rule == rule


def test_o1_ahead_is_as_if_the_turn_had_come() -> None:
    state = scene()
    assert GAME.begins(state, "ana") and not GAME.begins(state, "bo")
    ahead = GAME.ahead(state, "bo")
    assert GAME.to_play(ahead) == ("bo",) and GAME.begins(ahead, "bo") and GAME.to_play(state) == ("ana",)
    with pytest.raises(RuleError, match="O1"):
        GAME.ahead(state, "ana")
    with pytest.raises(RuleError, match="O1"):
        GAME.ahead(state, "dee")
    gone, _ = GAME.play(state, "cy", GAME.resign(state, "cy"), Dice())
    with pytest.raises(RuleError, match="O1"):
        GAME.ahead(gone, "cy")
    with pytest.raises(RuleError, match="O1"):
        GAME.outlook(state, "bo", GAME.joined(None, {}))
    half, _ = GAME.play(state, "ana", {"do": "gear", "gear": 4}, Dice(0))
    assert not GAME.begins(half, "ana")


@pytest.mark.parametrize("way", orders_ahead.DRIVING_STYLES)
def test_a_turn_by_orders_ahead_is_that_of_its_single_orders(way: str) -> None:
    orders = GAME.joined(None, {"way": way, "until": "told"})
    state = scene()
    whole, events = GAME.play(state, "ana", orders, Lot(7))
    single, told, chance = state, list[Any](), Lot(7)
    while GAME.to_play(single) == ("ana",):
        step = orders_ahead.next_orders(single, "ana", orders)
        assert step is not None
        single, more = GAME.play(single, "ana", step, chance)
        told += more
    assert (whole, list(events)) == (single, told) and GAME.turns_made(whole, "ana") == 1


def test_g1_the_ordered_gear_is_taken() -> None:
    for gear in (2, 3, 5):
        _, events = GAME.play(scene(), "ana", GAME.joined(None, {"gear": gear}), Dice(0, *LUCKY))
        assert next(event["gear"] for event in events if event["kind"] == "gear") == gear


def moved(state: State, seat: str, orders: dict[str, Any]) -> dict[str, Any]:
    given = orders_ahead.next_orders(state, seat, GAME.joined(None, orders))
    assert given is not None
    return given


def rolled(gear: int, number: int, *cars: dict[str, Any], **options: Any) -> State:
    state = under_way(*cars, **options)
    return GAME.play(state, cars[0]["id"], {"do": "gear", "gear": gear}, Dice(number))[0]


def test_b1_no_more_brakes_than_ordered() -> None:
    """A codriver would brake for a stop after this roll; orders without braking drive it in full."""
    state = rolled(3, 7, car("ana", "S1.2.0", 3, lap=1))
    track = load_track("monza")
    corner = [space for space in track.spaces if space.startswith("S1.2.")]
    state = rolled(3, 7, car("ana", corner[-1], 3, lap=1, wp={"tires": 6}))
    for most in (0, 1, 2):
        path = moved(state, "ana", {"brakes": most})["path"]
        assert 8 - len(path) <= most


@pytest.mark.parametrize(("pit", "inside"), [("now", True), ("never", False)])
def test_p1_the_pits_as_ordered(pit: str, inside: bool) -> None:
    state = rolled(3, 7, car("ana", "S7.3.3", 3, box="E1", lap=1, wp={"tires": 1}), laps=3)
    path = moved(state, "ana", {"pit": pit})["path"]
    assert path[-1].startswith("P") == inside


def test_t6_the_tyres_as_ordered() -> None:
    for kind in ("soft", "wet", "hard"):
        assert moved(in_the_box(), "ana", {"tyres": kind})["tyres"] == kind


def test_the_inner_line_is_kept() -> None:
    track = load_track("monza")
    space = track.index["C1.2.0"]
    inner = orders_ahead.inner_lane(track, space)
    lanes = [track.lane[at] for at, corner in enumerate(track.corner) if corner == 1]
    assert lanes.count(inner) == min(lanes.count(lane) for lane in (1, 2, 3))
    before = track.index["S1.2.3"]
    assert orders_ahead.inner_lane(track, before) == inner


@pytest.mark.parametrize("lane", [1, 2, 3])
def test_s1_orders_to_follow_end_behind_a_rival(lane: int) -> None:
    """Of the ends of a roll the one behind a rival in a high gear is chosen, whatever its lane."""
    track = load_track("monza")
    ana = car("ana", "S2.2.1", 4, lap=1)
    ends = [way.does for way in GAME.choices(rolled(4, 0, ana), "ana").ways if not way.does["brakes"]]
    end = next(one["to"] for one in ends if track.lane[track.index[one["to"]]] == lane)
    rival = track.spaces[track.ahead[track.index[end]]]
    state = rolled(4, 0, ana, car("bo", rival, 4, lap=0))
    assert moved(state, "ana", {"way": "follow"})["path"][-1] == end


def test_c3_orders_that_save_tyres_brake_instead_of_overshooting() -> None:
    state = rolled(2, 5, car("ana", "C2.1.1", 2, lap=1))
    ways = {way.does["to"]: way.does for way in GAME.choices(state, "ana").ways}
    path = moved(state, "ana", {"way": "save"})["path"]
    end = path[-1] if path else "C2.1.1"
    assert not ways[end]["overshoot"] or all(way["overshoot"] for way in ways.values())


def test_the_situation_is_checked_again_at_the_turn() -> None:
    state = scene()
    orders = GAME.joined(None, {"until": "turn"})
    kept = GAME.outlook(state, "ana", orders)
    assert GAME.changed(kept, kept) is None and kept["wet"] is False and kept["last"] == []
    now = GAME.outlook(scene(body=1), "ana", orders)
    assert now["last"] == ["body"]
    error = GAME.changed(kept, now)
    assert error is not None and error.rule == "X1"
    for word, value, rule in (("wet", True, "W6"), ("gear", 1, "G2"), ("out", [1, 5], "M7")):
        error = GAME.changed(kept, {**kept, word: value})
        assert error is not None and error.rule == rule
    lasting = GAME.outlook(state, "ana", GAME.joined(None, {"until": "told"}))
    assert GAME.changed(lasting, {**lasting, "gear": 1}) is None
