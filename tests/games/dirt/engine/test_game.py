"""The facade of the game passes each call on to the module with the rule, and returns its result."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.contract import OptionError, SeatResult
from engine.dirt import legal_moves
from engine.dirt.drive import drive, rating
from engine.dirt.rally import retirement_seconds
from tests.games.dirt.engine.scenes import RULES, STRAIGHT, Scene, car, stage_of


def test_an_option_that_there_is_not_is_named() -> None:
    with pytest.raises(OptionError) as refusal:
        RULES.clean_options({"weather": "rain"})
    assert refusal.value.option == "weather"
    assert refusal.value.template == "%(game)s has no option %(name).40r"
    assert refusal.value.message == f"{RULES.title} has no option 'weather'"


@pytest.mark.parametrize(("dice", "shared"), [("duplicate", True), ("random", False)])
def test_whether_all_roll_the_same(dice: str, shared: bool) -> None:
    assert RULES.shares_draws({"dice": dice}) is shared


def test_turns_are_counted_and_the_first_move_needs_no_draft() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 2))
    assert legal_moves.choices(scene.state, "ana") == legal_moves.choices(scene.state, "ana", "")
    scene.turn("ana", "3:1.3.l", ".").turn("ana", "c:2.1.l", ".")
    assert RULES.turns_made(scene.state, "ana") == 2


def test_each_codriver_is_asked_by_its_name() -> None:
    """Far from the finish the cautious one rolls one by one, the bold one flat out."""
    far = Scene("1/1", "ana", sisu="none")
    assert [RULES.autopilot(far.state, "ana", name)["roll"] for name in ("cautious", "bold")] == [
        "one by one", "flat out",
    ]  # fmt: skip


def test_a_stage_is_simulated_with_the_club_codriver() -> None:
    laid = stage_of("4/1")
    runs = RULES.simulate(laid, runs=2, seed=3, first=5)
    assert runs == drive(laid, codriver="club", runs=2, seed=3, first=5)
    assert runs != drive(laid, codriver="bold", runs=2, seed=3, first=5)
    assert RULES.rating(laid, runs) == rating(laid, runs)


def test_the_time_of_a_retired_driver() -> None:
    """E7: computed from the times of the finishers and the cards so far."""
    for times, cards in (([200, 300], 90), ([], 90), ([200], 500)):
        home = [SeatResult(f"home {time}", time, (), "finished") for time in times]
        out = SeatResult("out", None, (), "retired", detail={"cards_seconds": cards})
        assert RULES.settle([*home, out]) == (*home, replace(out, measure=retirement_seconds(times, cards)))


def test_what_is_shown_says_whose_car_is_ones_own() -> None:
    state = Scene(STRAIGHT, "ana", "bo").state
    assert [RULES.view(state, viewer)["mine"] for viewer in ("bo", "cy", None)] == ["bo", None, None]
