"""Heats and a final with the printed game: each heat has its table, the best go on, and one of them wins."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from championship.rallies import services as rallies
from championship.rallies.control.services.time_control import close_time_control
from championship.rallies.desk.services.preparing import choose_stage_modes
from championship.rallies.knockout.plan import Cut, Knockout
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.results.selectors import results_of
from championship.runs.models import Run
from championship.tabletop.models import Evening
from championship.tabletop.services import handing_in, opening
from championship.tabletop.services.signing_on import sign_on
from tests.championship.rallies.factories import enter, make_rally, organiser_of, stage_of
from tests.championship.rallies.test_desk_pages import settings_typed
from tests.championship.tabletop.factories import (
    an_evening,
    car_path,
    drives,
    fresh,
    guests,
    rally_now,
    table_pass,
    writes,
)
from tests.factories import signed_in

pytestmark = pytest.mark.django_db


def planned(plan: Knockout, *, tables: int = 2) -> Evening:
    """An evening of a rally at the table with heats at tables of four."""
    evening = an_evening(tables=tables, stages=("1/1",))
    rally = evening.rally
    settings: dict[str, Any] = {
        name: getattr(rally, name) for name in ("name", "options", "mode", "turn_hours", "reminder_hours", "auto_start")
    }
    by = organiser_of(rally)
    event = {"knockout": plan.as_json()}
    rallies.change_options(by=by, rally=rally, timekeeping={"table_size": 4}, event=event, **settings)
    return fresh(evening)


def started(plan: Knockout, cars: int, *, tables: int = 2) -> Evening:
    """The same with so many guests, its heats on the road."""
    evening = planned(plan, tables=tables)
    guests(evening, *(f"Guest {n:02}" for n in range(1, cars + 1)))
    rallies.start_rally(by=organiser_of(evening.rally), rally=rally_now(evening))
    return fresh(evening)


def seated(evening: Evening, stage: int) -> dict[int, list[Entry]]:
    """The cars of a stage by table, in starting order."""
    found: dict[int, list[Entry]] = {}
    for place in stage_of(evening.rally, stage).start_places.select_related("entry__sign_on__table"):
        found.setdefault(place.entry.sign_on.table.number, []).append(place.entry)
    return found


def closes(evening: Evening, stage: int) -> None:
    """The organiser closes time control, where the game has one."""
    found = stage_of(evening.rally, stage)
    if found.status == SpecialStage.Status.TIME_CONTROL:
        close_time_control(by=organiser_of(evening.rally), special_stage=found)


def test_heats_at_two_tables_and_a_final_at_one_lead_to_the_podium() -> None:
    evening = started(Knockout((Cut(4, 1),)), 8)
    one, two = seated(evening, 1)[1], seated(evening, 1)[2]
    heats = {place.entry: place.heat for place in stage_of(evening.rally, 1).start_places.all()}
    assert [heats[car] for car in one] == [1] * 4 and [heats[car] for car in two] == [2] * 4

    for number, cars in enumerate((one, two), 1):
        for at, car in enumerate(cars):
            writes(table_pass(evening, number), car, 200 + 10 * at + number)
        handing_in.hand_in(by=table_pass(evening, number), number=1)
    closes(evening, 1)

    final = seated(evening, 2)
    assert final == {1: [one[0], two[0], one[1], two[1]]}, "the final is at table 1, the best result first"
    drives(evening, dict(zip(final[1], (260, 250, 280, 270), strict=True)), stage=2)
    closes(evening, 2)
    rally = rally_now(evening)
    overall = [line.entry for line in results_of(rally).overall]
    assert rally.status == Rally.Status.FINISHED and not Run.objects.exists()
    assert overall == [two[0], one[0], two[1], one[1], one[2], two[2], one[3], two[3]]
    page = Client().get(reverse("rallies:podium", args=[rally.key])).content.decode()
    assert two[0].crew in page


def test_the_phone_of_a_car_that_is_out_says_so_and_that_of_a_finalist_takes_the_result() -> None:
    evening = started(Knockout((Cut(4, 1),)), 8)
    for number, cars in seated(evening, 1).items():
        drives_at(evening, number, cars)
    closes(evening, 1)
    inside = seated(evening, 2)[1]
    out = next(car for car in seated(evening, 1)[1] if car not in inside)

    told = Client().get(car_path(evening, out)).content.decode()

    assert "Others drive this part" in told and "Enter the result" not in told
    page = Client().get(car_path(evening, inside[1])).content.decode()
    assert "Table 1" in page and "Enter the result" in page


def drives_at(evening: Evening, number: int, cars: list[Entry]) -> None:
    """The marshal of a table enters and hands in its results, the first to start being the fastest."""
    for at, car in enumerate(cars):
        writes(table_pass(evening, number), car, 200 + 10 * at + number)
    handing_in.hand_in(by=table_pass(evening, number), number=1)


def test_more_heats_than_tables_are_driven_one_after_the_other() -> None:
    evening = started(Knockout((Cut(8, 1), Cut(4, 2))), 16)
    tables = seated(evening, 1)
    assert [len(cars) for cars in tables.values()] == [8, 8]
    heats = {place.entry: place.heat for place in stage_of(evening.rally, 1).start_places.all()}
    assert {heats[car] for car in tables[1]} == {1, 3} and {heats[car] for car in tables[2]} == {2, 4}
    page = Client().get(f"/pad/{token(evening)}/").content.decode()
    assert "heat 1" in page and "heat 3" in page

    for number, cars in tables.items():
        drives_at(evening, number, cars)
    closes(evening, 1)

    semi = seated(evening, 2)
    assert [len(cars) for cars in semi.values()] == [4, 4], "each semi-final has a table"
    drives(evening, {car: 300 + at for at, car in enumerate([*semi[1], *semi[2]])}, stage=2)
    closes(evening, 2)
    assert sorted(seated(evening, 3)[1], key=lambda car: car.pk) == sorted(
        [*semi[1][:2], *semi[2][:2]], key=lambda car: car.pk
    )


def token(evening: Evening) -> str:
    """The signed part of the link of table 1."""
    from tests.championship.tabletop.factories import table_path, token_of

    return token_of(table_path(evening))


def test_an_evening_that_opens_after_the_start_and_a_late_phone_follow_the_heats() -> None:
    rally = make_rally(stages=("1/1",), mode="at the table")
    by = organiser_of(rally)
    settings: dict[str, Any] = {
        name: getattr(rally, name) for name in ("name", "options", "mode", "turn_hours", "reminder_hours", "auto_start")
    }
    event = {"knockout": Knockout((Cut(4, 1),)).as_json()}
    rallies.change_options(by=by, rally=rally, timekeeping={"table_size": 4}, event=event, **settings)
    entered = enter(rally, *(f"Car {n}" for n in range(8)))
    rally.refresh_from_db()
    rallies.start_rally(by=by, rally=rally)

    evening = opening.open_evening(by=by, rally=rally, tables=2)

    heats = {place.entry_id: place.heat for place in stage_of(rally, 1).start_places.all()}
    assert {each.entry_id: each.table.number for each in evening.sign_ons.select_related("table")} == heats
    late = next(car for car in entered if heats[car.pk] == 2)
    evening.sign_ons.filter(entry=late).delete()
    done = sign_on(evening=fresh(evening), person=late.driver_id)
    assert done.sign_on is not None and done.sign_on.table.number == 2


def test_the_form_takes_heats_at_the_table_and_the_final_may_be_driven_on_line() -> None:
    evening = planned(Knockout((Cut(4, 1),)))
    by, rally = organiser_of(evening.rally), evening.rally
    client, options = signed_in(by), reverse("rallies:options", args=[rally.key])
    course = str(rally.stages.get(number=1).design_id)
    typed = settings_typed(route="own", stage_1=course, mode="at the table", knockout="final", final_cars="3")

    answer = client.post(options, {**typed, "final_each": "2"})

    assert answer.status_code == 302
    assert Rally.objects.get(pk=rally.pk).heats == Knockout((Cut(3, 2),))
    [final] = choose_stage_modes(by=by, rally=rally, modes={2: Rally.Mode.CONVOY})
    assert final.mode == Rally.Mode.CONVOY and not final.at_table
    refused = client.post(options, {**typed, "mode": "open road"})
    assert refused.status_code == 422
