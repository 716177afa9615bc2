"""The set-up (Y), the start roll (Y4) and the dice before the first turn (A2)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.contract import DocumentError, RuleError
from engine.formula_d import scenario, start
from engine.formula_d.scenario import Listed
from engine.formula_d.setup import setup
from engine.formula_d.table import Table
from tests.games.formula_d.engine.drawn import GAME, Lot
from tests.games.formula_d.engine.scene import STANDARD, car, document, played, refused, turn

START = ["S7.3.14", "S7.1.12", "S7.3.11", "S7.1.9"]
"""The first places on Monza's grid."""


@pytest.mark.parametrize(
    "options",
    [
        {"laps": 0}, {"laps": 4}, {"laps": "2"}, {"laps": True}, {"rules": "simple"}, {"nitro": 1}, {"wings": True},
        *({"rules": "basic", name: True} for name in ("qualifying", "weather", "tyres", "technical_pit", "build")),
    ],
)  # fmt: skip
def test_y1_options(options: dict[str, Any]) -> None:
    assert refused([car("ana")], **options) == "Y1"


def test_y1_a_reading_that_is_off_leaves_no_trace_in_a_race() -> None:
    """So a race that was stored before the game had it is the same as one folded now."""
    plain = setup("monza", [{"id": "ana"}], {}, grid="roll", asks=False)
    assert not {"detours", "pits_by_place", "own_repairs"} & set(plain["options"])
    chosen = setup("monza", [{"id": "ana"}], {"detours": True}, grid="roll", asks=False)
    assert chosen["options"] == {**plain["options"], "detours": True}


@pytest.mark.parametrize("cars", [[], [car(f"c{place}") for place in range(11)], [car("ana"), car("ana")]])
def test_y1_one_to_ten_cars_by_name(cars: list[dict[str, Any]]) -> None:
    assert refused(cars) == "Y1"


def test_y2_wear() -> None:
    assert played([car("ana")], dice=[])["cars"]["ana"]["wp"] == STANDARD
    assert played([car("ana")], dice=[], rules="basic")["cars"]["ana"]["wp"] == {"total": 18}


def places(*dice: int, cars: int = 4) -> list[str]:
    """Return the cars on the grid, place by place, after these dice."""
    shown = played([car(f"c{place}") for place in range(cars)], dice=list(dice), more={"grid": "roll"})
    at = {one["space"]: name for name, one in shown["cars"].items()}
    return [at[space] for space in START[:cars]]


def test_y3_the_highest_is_in_front() -> None:
    assert places(3, 20, 1, 9) == ["c1", "c3", "c0", "c2"]


def test_y3_ties_roll_again_the_highest_group_first_and_wholly() -> None:
    """Two pairs; the first pair ties once more before the second rolls."""
    assert places(5, 9, 5, 9, 7, 7, 1, 2, 4, 3) == ["c3", "c1", "c0", "c2"]


def test_y3_one_car_rolls_too() -> None:
    assert places(5, cars=1) == ["c0"]


def test_without_a_roll_the_order_of_entry_is_the_grid() -> None:
    shown = played([car("ana"), car("bo")], dice=[])
    assert [one["space"] for one in shown["cars"].values()] == START[:2]


def test_y4_stalled() -> None:
    """The car stays in gear 0, starts in 1st gear in its next turn, and does not roll again."""
    cars = [car("ana")]
    shown = played(cars, turn("ana"), turn("ana", 1, "S1.3.0"), dice=[1, 1])
    assert shown["cars"]["ana"] | {} == shown["cars"]["ana"] and shown["round"] == 3
    assert refused(cars, turn("ana"), turn("ana", 2, ""), dice=[1]) == "G2"
    assert refused(cars, turn("ana"), turn("ana"), dice=[1]) == "G1"


@pytest.mark.parametrize("order", [{"gear": 1}, {"path": []}, {"gear": 1, "path": ["S1.3.0"]}])
def test_y4_a_stalled_car_has_no_gear_and_no_path(order: dict[str, Any]) -> None:
    assert refused([car("ana")], {"car": "ana", **order}, dice=[1]) == "Y4"


@pytest.mark.parametrize(("rules", "die", "great"), [
    ("advanced", 20, True), ("advanced", 19, False), ("basic", 17, True), ("basic", 16, False), ("advanced", 2, False)
])  # fmt: skip
def test_y4_great_start(rules: str, die: int, great: bool) -> None:
    order = turn("ana", None, "S1.3.0-3") if great else turn("ana", 1, "S1.3.0")
    shown = played([car("ana")], order, dice=[die] if great else [die, 1], rules=rules)
    assert shown["cars"]["ana"]["gear"] == 1


def test_y4_great_start_under_all_rules_of_a_movement() -> None:
    """B1; G2; a path of five is too long."""
    assert played([car("ana")], turn("ana", 1, "S1.3.0-1"), dice=[20])["cars"]["ana"]["wp"]["brakes"] == 1
    assert refused([car("ana")], turn("ana", 2, "S1.3.0-3"), dice=[20]) == "G2"
    assert refused([car("ana")], turn("ana", 7, "S1.3.0-3"), dice=[20]) == "G1"
    assert refused([car("ana")], turn("ana", None, "S1.3.0-4"), dice=[20]) == "M6"
    assert refused([car("ana")], turn("ana"), dice=[20]) == "M6"


def test_y4_no_tyre_bonus() -> None:
    order = turn("ana", 1, "S1.3.0-4", bonus=True)
    assert refused([car("ana", tyres="soft")], order, dice=[20], tyres=True) == "T3"


def built(total: int, **more: int) -> dict[str, int]:
    """Return five areas of 1 and the rest in tires."""
    return {"tires": total - 5, "brakes": 1, "gearbox": 1, "body": 1, "engine": 1, "road": 1, **more}


def test_y5_twenty_wp_shared_out() -> None:
    shown = played([car("ana", build=built(20))], dice=[], build=True)
    assert shown["cars"]["ana"]["wp"]["tires"] == 15
    assert played([car("ana")], dice=[], build=True)["cars"]["ana"]["wp"] == STANDARD


@pytest.mark.parametrize(
    "given",
    [
        {"build": built(21)},
        {"build": built(19)},
        {"build": built(21, road=0)},
        {"build": {"tires": 20}},
        {"build": [20]},
    ],
)
def test_y5_not_so(given: dict[str, Any]) -> None:
    assert refused([car("ana", **given)], build=True) == "Y5"


@pytest.mark.parametrize(("repair", "total"), [(0, 22), (1, 21), (2, 20)])
def test_y5_with_repair_points(repair: int, total: int) -> None:
    cars = [car("ana", build=built(total), repair=repair)]
    assert played(cars, dice=[], build=True, technical_pit=True)["cars"]["ana"]["repair"] == repair
    cars = [car("ana", build=built(total + 1), repair=repair)]
    assert refused(cars, build=True, technical_pit=True) == "Y5"


def test_y5_two_repair_points_at_most() -> None:
    assert refused([car("ana", build=built(19), repair=3)], build=True, technical_pit=True) == "Y5"


def test_y6_boxes_in_order_of_entry() -> None:
    """The second car has the box B1, to which P.0.10 opens."""
    cars = [car("bo", "P.0.12", 1), car("ana", "P.0.10", 1)]
    shown = played(cars, turn("bo", 1, "P.0.13"), turn("ana", 1, "PITB1"), dice=[1, 1, 11], laps=2)
    assert shown["cars"]["ana"]["space"] == "PITB1"


def test_y6_a_box_that_there_is() -> None:
    assert refused([car("ana", box="F1")]) == "Y6"


def test_y7_an_even_number_of_cars() -> None:
    assert refused([car("ana", box="A1"), car("bo", box="A2"), car("cy", box="B1")], teams=True) == "Y7"


@pytest.mark.parametrize("die", [0, 21, "3", None, True])
def test_a3_dice_that_do_not_fit(die: Any) -> None:
    assert refused([car("ana")], turn("ana", 1, ""), dice=[die]) == "dice"


def test_a3_gear_dice_by_the_spaces_they_show() -> None:
    assert refused([car("ana", "S1.1.0", 3)], turn("ana", 4, ""), dice=[6]) == "dice"


def test_a3_dice_that_run_out() -> None:
    assert refused([car("ana")], turn("ana", 1, "")) == "dice"
    assert refused([car("ana"), car("bo")], dice=[3], more={"grid": "roll"}) == "dice"


@pytest.mark.parametrize(
    "more",
    [
        {"track": 3}, {"cars": {}}, {"dice": 3}, {"orders": "none"}, {"options": []}, {"cars": [3]}, {"orders": [3]},
        {"markers": ["S9.9.9"], "cars": [{"id": "ana", "space": "S1.1.0"}]},
        {"cars": [{"id": "ana", "space": "S9.9.9"}]},
        {"cars": [{"id": "ana", "space": ["S1.1.0"]}]}, {"cars": [{"id": "ana", "space": "S1.1.0", "gear": 9}]},
        {"cars": [{"id": "ana", "space": "S1.1.0", "stops": -1}]},
        {"cars": [{"id": "ana", "space": "S1.1.0", "wp": {"wings": 1}}]},
        {"cars": [{"id": "ana", "space": "S1.1.0"}, {"id": "bo", "space": "S1.1.0"}]},
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read(more: dict[str, Any]) -> None:
    with pytest.raises(DocumentError):
        scenario.play({**document([car("ana")], [], [], {}, {}), **more})


@pytest.mark.parametrize(
    ("boxes", "options", "rule"),
    [(["A1", "A1"], {}, "Y6"), (["F1", "A1"], {}, "Y6"), ([7, "A1"], {}, "Y6"), (["A1", "B1"], {"teams": True}, "Y7")],
)
def test_y6_y7_boxes_that_are_named(boxes: list[Any], options: dict[str, Any], rule: str) -> None:
    cars = [car(name, box=box) for name, box in zip(("ana", "bo"), boxes, strict=True)]
    assert refused(cars, **options) == rule


def test_y6_boxes_that_are_not_named_follow_from_the_order() -> None:
    played([car("ana"), car("bo")], dice=[], teams=True)
    played([car("ana"), car("bo", box="A1")], dice=[])


@pytest.mark.parametrize(("qualifying", "on"), [(False, "soft"), (True, "hard")])
def test_t1_a_car_is_entered_on_the_tyres_of_what_it_drives_first(qualifying: bool, on: str) -> None:
    entrant = {"id": "ana", "tyres": "soft", "tyres_q": "hard"}
    state = GAME.setup("monza", [entrant], {"tyres": True, "qualifying": qualifying})
    assert state["cars"]["ana"]["tyres"] == on


def test_t1_y5_the_garage_asks_for_tyres_once_more_before_the_race_and_for_the_car_no_more() -> None:
    state = GAME.setup("monza", [{"id": "ana"}], {"tyres": True, "build": True, "qualifying": True})
    state, _ = GAME.begin(state, Lot(0))
    assert state["cars"]["ana"]["asks"] == ["build", "qualifying", "race"]
    state, _ = GAME.play(state, "ana", {**GAME.choices(state, "ana").ways[0].orders}, Lot(0))
    assert state["cars"]["ana"]["asks"] == ["race"]


def test_y7_a_team_is_the_same_in_every_race_of_an_event() -> None:
    """The order of entry differs from race to race, the start numbers do not."""
    teams = []
    for order in (["3", "10", "1", "2"], ["10", "2", "3", "1"]):
        entrants = GAME.teamed([{"id": name} for name in order], {"teams": True})
        assert [entrant["id"] for entrant in entrants] == order
        cars = GAME.setup({"track": "monza"}, entrants, {"teams": True})["cars"]
        teams.append({name: cars[name]["box"] for name in sorted(cars)})
    assert teams == [{"1": "A1", "10": "B2", "2": "B1", "3": "A2"}] * 2


def test_y6_without_teams_boxes_follow_the_order_of_entry() -> None:
    assert GAME.teamed([{"id": "2"}, {"id": "1"}], {"teams": False}) == [{"id": "2"}, {"id": "1"}]


def test_r2_a_race_is_over_when_all_have_resigned_before_the_grid() -> None:
    state, _ = GAME.begin(GAME.setup({"track": "monza"}, [{"id": "ana"}], {"tyres": True}), Lot(0))
    state, events = GAME.play(state, "ana", GAME.resign(state, "ana"), Lot(0))
    assert dict(events[-1]) == {"kind": "over", "places": {"ana": 1}}
    found = GAME.result(state)
    assert found is not None and [one.status for one in found.seats] == ["retired"]


def test_w3_weather_given_in_advance_needs_no_die() -> None:
    race = setup("monza", [{"id": "ana"}], {}, grid="entry", asks=False)
    race["weather"] = race["weather_told"] = "rain"
    table = Table(race, "ana", Listed([]))
    start.begin(table)
    assert dict(table.events[0]) == {"kind": "weather", "when": "race", "die": None, "state": "rain"}


@pytest.mark.parametrize(("technical_pit", "most"), [(False, 20), (True, 22)])
def test_y5_the_garage_shows_the_limit_that_play_enforces(technical_pit: bool, most: int) -> None:
    """20 points, or 22 together with the points kept for repairs."""
    wishes = {"build": True, "technical_pit": technical_pit, "laps": 2}
    state, _ = GAME.begin(GAME.setup("monza", [{"id": "ana"}], wishes), Lot(1))
    assert GAME.choices(state, "ana").facts["sum"] == most
    build = {"tires": 5, "brakes": 3, "gearbox": 3, "body": 3, "engine": 3, "road": most - 17}
    orders = {"do": "garage", **({"repair": 0} if technical_pit else {})}
    GAME.play(state, "ana", {**orders, "build": build}, Lot(1))
    with pytest.raises(RuleError) as refusal:
        GAME.play(state, "ana", {**orders, "build": {**build, "tires": 6}}, Lot(1))
    assert refusal.value.rule == "Y5"
