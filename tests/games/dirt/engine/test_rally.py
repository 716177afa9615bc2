"""Between two stages: service, spare wheel, time control, the sheet (E7, F3 to F6, R7)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.contract import Decision, OptionError, RuleError
from engine.dirt.stage import car_of
from tests.games.dirt.engine.scenes import RULES, UNHURT

OPTIONS = RULES.clean_options({})


def worn_car(**changes: Any) -> dict[str, Any]:
    """Return a car after a hard stage: one coast die and two gear dice damaged, the SISU token used."""
    return {"damage": {"gear": 2, "coast": 1, "brake": 0}, "spare": True, "sisu": False} | changes


def after(car: dict[str, Any], *, service: bool = False, retired: bool = False, **options: Any) -> dict[str, Any]:
    return RULES.after_stage(car, service=service, retired=retired, options=RULES.clean_options(options))


def asked(car: dict[str, Any], *, service: bool = False, last_stage: bool = False, **options: Any) -> list[str]:
    decisions = RULES.decisions(car, service=service, options=RULES.clean_options(options), last_stage=last_stage)
    return [decision.name for decision in decisions]


def decided(
    car: dict[str, Any], decision: dict[str, Any], *, service: bool = False, **options: Any
) -> tuple[dict[str, Any], int]:
    return RULES.decide(car, decision, service=service, options=RULES.clean_options(options), last_stage=False)


def test_a_rally_begins_with_a_whole_car() -> None:
    assert RULES.new_luggage(OPTIONS) == {"damage": UNHURT, "spare": True, "sisu": True}


def test_F3_service_takes_damage_away_and_brings_the_wheel_back() -> None:
    assert after(worn_car(spare=False), service=True) == {"damage": UNHURT, "spare": True, "sisu": True}


def test_F3_without_service_damage_stays() -> None:
    car = after(worn_car(spare=False))
    assert car["damage"] == {"gear": 2, "coast": 1, "brake": 0}
    assert not car["spare"]


def test_F3_an_unused_wheel_may_be_spent_at_no_time() -> None:
    """F3: one marker of the kind that the wheel repairs (E4), only where there was no service. It costs no time."""
    assert asked(worn_car()) == ["spare", "penalties"]
    assert decided(worn_car(), {"spare": True}) == (
        worn_car(spare=False, damage={"gear": 2, "coast": 0, "brake": 0}),
        0,
    )
    geared, _ = decided(worn_car(), {"spare": True}, spare_repairs="gear")
    assert geared["damage"] == {"gear": 1, "coast": 1, "brake": 0}


@pytest.mark.parametrize(
    ("car", "service"),
    [(worn_car(spare=False), False), (worn_car(damage={"gear": 2, "coast": 0, "brake": 0}), False), (worn_car(), True)],
)
def test_F3_no_wheel_no_damage_of_its_kind_or_a_service(car: dict[str, Any], service: bool) -> None:
    assert "spare" not in asked(car, service=service)
    with pytest.raises(RuleError) as refusal:
        decided(car, {"spare": True}, service=service)
    assert refusal.value.rule == "F3"


@pytest.mark.parametrize(
    ("option", "plain", "serviced"),
    [("stage", True, True), ("rally", False, False), ("service", False, True), ("none", False, False)],
)
def test_R7_when_the_sisu_token_comes_back(option: str, plain: bool, serviced: bool) -> None:
    """R7, F3: every stage, never in this rally, or with service."""
    assert after(worn_car(), sisu=option)["sisu"] is plain
    assert after(worn_car(), service=True, sisu=option)["sisu"] is serviced


def test_R7_an_unused_token_stays() -> None:
    assert after(worn_car(sisu=True), sisu="rally")["sisu"] is True


def test_E7_a_retired_driver_starts_the_next_stage_as_after_service() -> None:
    car = after(worn_car(spare=False, damage={"gear": 6, "coast": 2, "brake": 1}), retired=True, sisu="service")
    assert car == {"damage": UNHURT, "spare": True, "sisu": True}
    assert asked(car) == ["penalties"]


def test_F4_penalties_of_five_seconds_each() -> None:
    """F4: any number, also none, and only where there is a time control."""
    assert decided(worn_car(), {"penalties": 3}) == (worn_car(), 15)
    assert decided(worn_car(), {}) == (worn_car(), 0)
    [penalties] = RULES.decisions(RULES.new_luggage(OPTIONS), service=False, options=OPTIONS, last_stage=False)
    assert (penalties.name, penalties.worth) == ("penalties", 5)
    assert asked(RULES.new_luggage(OPTIONS), checkpoints=False) == []
    with pytest.raises(RuleError) as refusal:
        decided(worn_car(), {"penalties": 1}, checkpoints=False)
    assert refusal.value.rule == "F4"


@pytest.mark.parametrize("penalties", [-1, 61, 10**9, True, "2", 1.5, None])
def test_F4_nonsense_is_no_number_of_penalties(penalties: Any) -> None:
    with pytest.raises(RuleError) as refusal:
        decided(worn_car(), {"penalties": penalties})
    assert refusal.value.rule == "F4"


def test_F4_penalties_count_for_the_starting_order() -> None:
    """F4, O2: with three of them the leader starts second."""
    _, seconds = decided(worn_car(), {"penalties": 3})
    driven = {"ana": 200, "bo": 210}
    totals = {"ana": driven["ana"] + seconds, "bo": driven["bo"]}
    assert RULES.starting_order(totals, totals, ["ana", "bo"]) == ["bo", "ana"]


@pytest.mark.parametrize("kind", ["coast", "gear"])
def test_F3_F4_what_is_asked_between_two_stages(kind: str) -> None:
    """F3, F4: in words that pages translate."""
    options = RULES.clean_options({"checkpoints": True, "spare_repairs": kind})
    worn = {**RULES.new_luggage(options), "damage": {**UNHURT, kind: 1}}
    wheel = f"Repairs one {kind} damage without losing time; the wheel is gone until service (F3)."
    late = "Each adds %(seconds)d s to the stage time; a slower driver starts the next stage later (F4)."
    assert RULES.decisions(worn, service=False, options=options, last_stage=False) == (
        Decision("spare", "bool", "Use the spare wheel", wheel),
        Decision("penalties", "int", "Penalties at the time control", late, worth=5, most=60),
    )


def test_F4_sixty_penalties_and_no_more() -> None:
    options = RULES.clean_options({"checkpoints": True})
    terms: dict[str, Any] = {"service": True, "options": options, "last_stage": False}
    assert RULES.decide(RULES.new_luggage(options), {"penalties": 60}, **terms)[1] == 300
    with pytest.raises(RuleError):
        RULES.decide(RULES.new_luggage(options), {"penalties": 61}, **terms)


def test_nothing_is_asked_after_the_last_stage() -> None:
    assert asked(worn_car(), last_stage=True) == []


def test_F5_the_lowest_sum_leads() -> None:
    """F5: stage times and penalties added up. The classification itself belongs to the app of rallies."""
    assert RULES.starting_order({"ana": 431, "bo": 430}, {"ana": 100, "bo": 300}, ["ana", "bo"]) == ["bo", "ana"]


def test_F6_the_sheet_keeps_damage_wheel_and_sisu() -> None:
    assert RULES.sheet_row(worn_car(spare=False)) == {"gear": 2, "coast": 1, "brake": 0, "spare": False, "sisu": False}
    assert [column.key for column in RULES.sheet_columns] == list(RULES.sheet_row(worn_car()))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("flying_start", 1), ("flying_start", "yes"), ("sisu", "never"), ("sisu", None), ("sisu", []),
        ("time_card_1", "50"),
        ("time_card_1", True), ("time_card_1", 7), ("time_card_1", 3601), ("time_card_1", 50.0), ("tyres", "snow"),
    ],
)  # fmt: skip
def test_an_option_takes_only_its_values(name: str, value: Any) -> None:
    with pytest.raises(OptionError) as refusal:
        RULES.clean_options({name: value})
    assert refusal.value.option == name
    assert refusal.value.message


def test_seconds_of_the_cards_are_marked_as_assumed() -> None:
    """The rules do not contain the seconds printed on cards, so every number of seconds is an option."""
    assumed = {option.name: option.default for option in RULES.options if option.scope == "assumed"}
    assert assumed == {
        "time_card_1": 50, "time_card_2": 40, "time_card_3": 30, "time_card_4": 20, "time_card_5": 15,
        "time_card_6": 10,
        "loss_seconds": 60, "sisu_seconds": 10, "spare_seconds": 120,
    }  # fmt: skip


def test_only_newcomers_have_a_sisu_token_where_the_rally_says_so() -> None:
    options = RULES.clean_options({"sisu": "stage", "sisu_for": "newcomers", "newcomer_stages": 2})
    assert RULES.newcomer_limit(options) == 2
    new, old = RULES.new_luggage(options), RULES.luggage_of_others(options)
    assert (new["sisu"], new["newcomer"]) == (True, True)
    assert (old["sisu"], old["newcomer"]) == (False, False)
    for car in (new, old):
        used = {**car, "sisu": False}
        after = RULES.after_stage(used, service=True, retired=False, options=options)
        assert (after["sisu"], after["newcomer"]) == (car["sisu"], car["newcomer"]), "it comes back to newcomers only"


def test_the_stage_keeps_who_is_a_newcomer() -> None:
    options = RULES.clean_options({"sisu_for": "newcomers"})
    course = RULES.read_course({"tiles": ["202a", "205a", "203a"]})
    cars = {"new": RULES.new_luggage(options), "old": RULES.luggage_of_others(options)}
    state = RULES.setup(course, [{"id": name, "luggage": car} for name, car in cars.items()], options)
    assert {name: driver["sisu"] for name, driver in state["drivers"].items()} == {"new": True, "old": False}
    assert {name: car_of(driver)["newcomer"] for name, driver in state["drivers"].items()} == {
        "new": True,
        "old": False,
    }


def test_a_rally_for_all_makes_no_difference_and_its_luggage_is_as_before() -> None:
    options = RULES.clean_options({})
    assert RULES.newcomer_limit(options) == 0
    assert RULES.new_luggage(options) == RULES.luggage_of_others(options)
    assert "newcomer" not in RULES.new_luggage(options)
    before = {name: value for name, value in options.items() if name not in ("sisu_for", "newcomer_stages")}
    assert RULES.newcomer_limit(before) == 0, "as in records of earlier versions"
