"""F7, splits: the time so far when a car first crosses each border between two tiles."""

from __future__ import annotations

from typing import Any

from engine.chance import SeededChance
from engine.contract import Event, SeatSplits, State
from engine.dirt.codriver.decisions import orders as codriver_orders
from engine.dirt.splits import splits
from tests.games.dirt.engine.scenes import HAIRPIN, RULES, STRAIGHT, Scene, car, stage_of

LOST: dict[str, Any] = {"plan": "3:1.3.l c:2.1.l c:2.2.l", "dice": "!!!"}
"""Three warnings in gear 3 on `STRAIGHT`, from 1.2.l over the first border to 2.2.l."""


class Timed(Scene):
    """A scene that keeps its initial state."""

    def __init__(self, *road_and_cars: Any, **options: Any) -> None:
        super().__init__(*road_and_cars, **options)
        self.setup = self.state

    def of(self, driver: str) -> SeatSplits:
        """Return the splits of a driver so far."""
        return RULES.splits(self.setup, self.events).seats[driver]


def test_F7_a_border_is_timed_with_the_card_of_the_turn_that_led_across() -> None:
    scene = Timed(STRAIGHT, car("ana", "1.2.l", 3))
    scene.turn("ana", "c:1.3.l", ".")
    assert scene.of("ana").at == (None, None, None), "not across yet"
    assert scene.of("ana").so_far == 30
    scene.turn("ana", "4:2.1.l c:2.2.l", "..")
    assert scene.of("ana").at == (50, None, None), "30 of the turn before, 20 of this one"
    scene.turn("ana", "c:2.3.l", ".")
    assert scene.of("ana").at == (50, None, None), "the first time across counts"


def test_F7_two_borders_in_one_turn_have_one_time() -> None:
    scene = Timed(STRAIGHT, car("ana", "1.3.l", 5))
    scene.turn("ana", "6:2.1.l c:2.2.l c:2.3.l 5:2.4.l 4:3.1.l", ".....")
    assert scene.of("ana").at == (20, 20, None)


def test_F7_a_turn_that_is_not_over_sets_no_split() -> None:
    scene = Timed(STRAIGHT, car("ana", "1.3.l", 3))
    scene.order("ana", "lay", plan="4:2.1.l c:2.2.l")
    scene.order("ana", "roll", ".")
    assert scene.place("ana") == ("2.1.l", 4)
    assert scene.of("ana").at == (None, None, None)
    scene.order("ana", "stop")
    assert scene.of("ana").at == (20, None, None)


def test_F7_a_loss_of_control_costs_its_own_card() -> None:
    for back, seconds in (("spin", 60), ("sisu", 10)):
        scene = Timed(STRAIGHT, car("ana", "1.2.l", 3)).turn("ana", **LOST, cards=[back])
        assert scene.of("ana").at == (seconds, None, None)


def test_F7_the_spare_wheel_counts_in_place_of_the_card() -> None:
    scene = Timed(STRAIGHT, car("ana", "1.3.l", 2, damage={"coast": 1}))
    scene.turn("ana", "1:2.1.l", ".", spare=True)
    assert scene.of("ana").at == (120, None, None)


def test_F7_a_shortcut_lies_on_its_tile() -> None:
    scene = Timed(HAIRPIN, car("ana", "2.1.r", 4))
    scene.turn("ana", "c:2.k1.1", ".", shortcuts=["ok"])
    assert scene.of("ana").at == (None, None), "set up behind the first border, and not across the second"
    scene.turn("ana", "c:2.3.r 5:3.1.r", "..")
    assert scene.of("ana").at == (None, 35), "20 in the shortcut, 15 behind it"


def test_F7_seconds_won_are_taken_off_at_the_finish_only() -> None:
    scene = Timed(["202a", "205a", "203a"], car("ana", "1.3.l", 4))
    scene.turn("ana", "5:2.1.l c:2.2.l", "..", roll="flat out")
    assert scene.of("ana").at == (15, None)
    assert scene.of("ana").bonus == 0
    scene.turn("ana", "6:2.3.l c:3.1.l c:3.2.l", "...", roll="flat out")
    ana = scene.of("ana")
    assert (ana.at, ana.so_far, ana.bonus, ana.measure) == ((15, 25), 25, 5, 20)
    assert ana.status == "finished"


def test_F7_a_driver_who_gives_up_keeps_the_splits_so_far() -> None:
    """E8: the turn has no card, so a border crossed in it is not timed."""
    scene = Timed(STRAIGHT, car("ana", "1.3.l", 4), car("bo", "1.2.l", 1))
    scene.turn("ana", "5:2.1.l", ".").turn("bo", "2:1.3.l", ".")
    scene.order("ana", "lay", plan="c:2.2.l c:2.3.l 4:2.4.l 3:3.1.l 2:3.2.l")
    for _move in range(4):
        scene.order("ana", "roll", ".")
    assert scene.place("ana") == ("3.1.l", 3)
    scene.order("ana", "retire")
    ana = scene.of("ana")
    assert (ana.at, ana.status, ana.measure) == ((15, None, None), "retired", None)


def test_F7_retiring_without_gear_dice_keeps_the_split_of_the_last_turn() -> None:
    """E7: that turn has its card; the stage time of a retired driver is known when the stage is over."""
    scene = Timed(STRAIGHT, car("ana", "1.2.l", 3, damage={"gear": 5}))
    scene.turn("ana", **LOST, cards=["crash 1/2/3"], tokens=["gear"])
    ana = scene.of("ana")
    assert (ana.at, ana.status, ana.bonus) == ((60, None, None), "retired", 0)
    assert ana.measure == scene.car("ana")["stage_time"] is not None


def test_E7_a_driver_who_cannot_start_is_retired_from_the_first_moment() -> None:
    """E7 (own): six gear damages from earlier stages."""
    scene = Timed(STRAIGHT, car("ana", damage={"gear": 6}), "bo")
    assert (scene.of("ana").status, scene.of("bo").status) == ("retired", "driving")


def driven(stage: str, cars: int, seed: int) -> tuple[State, list[Event], State]:
    """Drive a whole stage with codrivers. Return setup, events and end."""
    options = RULES.clean_options({})
    entrants = [{"id": str(number), "car": RULES.new_luggage(options)} for number in range(1, cars + 1)]
    setup = state = RULES.setup({**stage_of(stage), "last": True}, entrants, options)
    chance, events = SeededChance(seed.to_bytes(32)), list[Event]()
    while playing := RULES.to_play(state):
        state, told = RULES.play(state, playing[0], codriver_orders(state, playing[0]), chance)
        events += told
    return setup, events, state


def test_F7_splits_of_whole_stages_agree_with_the_fold() -> None:
    """Computed after each event: the cards at the end of the turn in which the folded car is first past the border."""
    for seed, (stage, cars) in enumerate([("4/1", 4), ("1/2", 3), ("6/2", 2)]):
        setup, events, end = driven(stage, cars, seed)
        borders = len(setup["stage"]["tiles"]) - 1
        expected: dict[str, list[int | None]] = {driver: [None] * borders for driver in setup["drivers"]}
        state = setup
        for event in events:
            state = RULES.apply(state, event)
            if event["kind"] != "end of turn":
                continue
            me = state["drivers"][event["driver"]]
            tile = 1 if me["space"] == "grid" else int(me["space"].split(".")[0])
            for border in range(tile - 1):
                if expected[event["driver"]][border] is None:
                    expected[event["driver"]][border] = sum(me["cards"])
        told = splits(setup, events)
        assert told.borders == borders
        for driver, me in end["drivers"].items():
            mine = told.seats[driver]
            assert list(mine.at) == expected[driver]
            assert mine.so_far == sum(me["cards"])
            assert mine.measure == me["stage_time"]
            assert (mine.status == "finished") == me["finished"]
            if me["finished"]:
                assert mine.bonus == me["tokens"]
                known = [split for split in mine.at if split is not None]
                assert known == sorted(known)


def test_nothing_given_is_changed() -> None:
    setup, events, _end = driven("4/1", 2, 9)
    before = repr((setup, events))
    splits(setup, iter(events))
    assert repr((setup, events)) == before


def test_F7_splits_from_the_middle_of_a_stage_keep_the_earlier_ones() -> None:
    """The cards taken so far count. A retired driver stays retired, with the time so far."""
    scene = Timed(STRAIGHT, car("ana", "1.3.l", 3), car("bo", "1.2.l", 1))
    scene.turn("ana", "c:2.1.l", ".").turn("bo", "2:1.3.l", ".")
    scene.setup = scene.state
    scene.setup["drivers"]["bo"].update(retired=True, stage_time=400)
    scene.events.clear()
    scene.state["queue"] = ["ana"]
    scene.turn("ana", "4:2.2.l 5:2.3.l c:2.4.l 6:3.1.l", "....")
    ana, bo = scene.of("ana"), scene.of("bo")
    assert (ana.at, ana.so_far) == ((None, 40, None), 40), "30 of the turn before, 10 of this one"
    assert (bo.so_far, bo.measure, bo.status) == (40, 400, "retired")
