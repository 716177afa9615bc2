"""The character of each driver (U1), and what a car takes from stage to stage (F6)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.contract import Career, Private, RuleError, offered
from engine.dust.cards import card_set_reading
from tests.games.dust.engine.luck import Luck
from tests.games.dust.engine.tables import GAME, begun, post


def entered(*cars: dict[str, Any], **options: Any) -> dict[str, Any]:
    """Return a table whose drivers bring these cars."""
    entrants = [{"id": name, "luggage": car} for name, car in zip("abcd", cars, strict=False)]
    return GAME.setup(GAME.read_course({"stage": "saltwind"}), entrants, options)


def characters(state: dict[str, Any]) -> list[str]:
    return [driver["driver"] for driver in state["drivers"].values()]


def test_u1_drivers_choose_one_after_the_other_in_starting_order() -> None:
    state, told, luck = begun("ana bo cy", characters="chosen"), begun("ana bo cy", characters="chosen"), Luck()
    assert [way.text for way in GAME.choices(state, "ana").ways] == [
        f"choose {name}" for name in ("aiko", "ferenc", "harry", "sofia")
    ]
    for seat, character in (("ana", "ferenc"), ("bo", "aiko"), ("cy", "harry")):
        assert GAME.to_play(state) == (seat,) and GAME.phase(state, seat) == "choose"
        state, events = post(state, seat, f"choose {character}", luck=luck)
        for event in events:
            told = GAME.apply(told, event)
        assert GAME.view(state, None)["drivers"][seat]["driver"] == character, "all see it at once"
    assert told == state and GAME.to_play(state) == ("ana", "bo", "cy")
    assert state["drivers"]["ana"]["deck"] == sorted(
        card.name
        for card in card_set_reading.own().cards.values()
        if card.set == "start" or card.driver == "ferenc"
        for _ in range(card.copies)
    )
    state, _ = post(state, "bo", "prepare", luck=luck)
    assert state["drivers"]["bo"]["phase"] == "drive"


@pytest.mark.parametrize(
    ("step", "rule"),
    [("prepare", "U1"), ("choose aiko", "U1"), ("choose nobody", "U1"), ("choose", "S8"), ("choose harry 1", "S8")],
)
def test_u1_what_is_refused_while_drivers_choose(step: str, rule: str) -> None:
    state, _ = post(begun("ana bo", characters="chosen"), "ana", "choose aiko")
    with pytest.raises(RuleError) as refused:
        post(state, "bo", step)
    assert refused.value.rule == rule
    with pytest.raises(RuleError, match="S2"):
        post(state, "ana", "choose harry")


@pytest.mark.parametrize("steps", [("choose harry",), ("prepare", "choose harry")])
def test_s8_nobody_chooses_where_characters_are_dealt(steps: tuple[str, ...]) -> None:
    state = begun("ana bo")
    with pytest.raises(RuleError) as refused:
        for step in steps:
            state, _ = post(state, "ana", step, luck=Luck())
    assert refused.value.rule == "S8"


@pytest.mark.parametrize("manner", ["", "absent", "greedy", "club"])
def test_u1_an_absent_driver_gets_the_first_free_character(manner: str) -> None:
    state, _ = post(begun("ana bo", characters="chosen"), "ana", "choose harry")
    assert GAME.autopilot(state, "bo", manner)["steps"] == ["choose sofia"]


def test_u1_a_driver_who_leaves_has_not_chosen_and_the_others_continue() -> None:
    state = begun("ana bo", characters="chosen")
    state, _ = GAME.play(state, "ana", GAME.resign(state, "ana"), Luck())
    assert GAME.to_play(state) == ("bo",)
    state, _ = post(state, "bo", "choose harry")
    state, _ = GAME.play(state, "bo", GAME.resign(state, "bo"), Luck())
    result = GAME.result(state)
    assert result is not None and [one.status for one in result.seats] == ["retired", "retired"]


def test_f6_the_character_is_kept_and_not_asked_for_again() -> None:
    career = offered(GAME, Career)
    assert career is not None
    state = entered({"character": "aiko", "flipped": 0}, career.new_luggage({}), characters="chosen")
    assert characters(state) == ["aiko", ""] and GAME.to_play(state) == ("b",)
    assert characters(entered({"character": "aiko", "flipped": 0}, {})) == ["aiko", "harry"]


def test_u1_of_two_cars_with_one_character_the_first_keeps_it() -> None:
    """They come from different tables of the last stage."""
    car = {"character": "aiko", "flipped": 0}
    assert characters(entered(car, car, {"character": "harry", "flipped": 0})) == ["aiko", "sofia", "harry"]
    assert characters(entered(car, car, characters="chosen")) == ["aiko", ""]
    assert characters(entered({"character": "of another set", "flipped": 0})) == ["harry"]


@pytest.mark.parametrize(("carries", "flipped"), [(True, 2), (False, 0)])
def test_f6_o5_flipped_tokens_stay_until_service(carries: bool, flipped: int) -> None:
    state = begun("ana bo", damaged=2, damage_carries=carries)
    for seat in ("ana", "bo"):
        state, _ = GAME.play(state, seat, GAME.resign(state, seat), Luck())
    result, career = GAME.result(state), offered(GAME, Career)
    assert result is not None and career is not None
    car = result.seats[0].luggage
    assert car == {"character": "harry", "flipped": flipped}
    on = {"retired": True, "options": {}}
    assert career.after_stage(car, service=False, **on) == car
    assert career.after_stage(car, service=True, **on) == {"character": "harry", "flipped": 0}
    assert career.after_stage({}, service=False, **on) == career.new_luggage({}) == {"character": "", "flipped": 0}
    assert entered(car)["drivers"]["a"]["flipped"] == flipped
    assert career.sheet_row(car) == {} and career.decisions(car, service=True, options={}, last_stage=False) == ()
    with pytest.raises(ValueError, match="a car brings"):
        career.sheet_row({"character": 5})
    assert career.decide(car, {}, service=False, options={}, last_stage=False) == (car, 0)
    with pytest.raises(RuleError, match="F6"):
        career.decide(car, {"repair": True}, service=False, options={}, last_stage=False)


def test_f5_the_most_points_start_first() -> None:
    career = offered(GAME, Career)
    assert career is not None
    order = career.starting_order({"1": 30, "2": 41, "3": 41}, {"1": 30, "2": 20, "3": 25}, ["1", "2", "3"])
    assert order == ["3", "2", "1"]
    assert not career.has_service({}) and career.in_rally({"stage": "harrow"}, last=True) == {"stage": "harrow"}


def test_only_the_set_that_everybody_has_is_everybodys() -> None:
    private = offered(GAME, Private)
    assert private is not None
    ours = GAME.read_course({"stage": "saltwind"})
    theirs = GAME.read_course({"stage": "saltwind", "set": {**ours["set"], "title": "Typed in"}})
    assert [private.is_private(one) for one in (ours, theirs)] == [False, True]
