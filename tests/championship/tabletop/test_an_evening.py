"""An evening from the code on the wall to the podium."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.http import Http404
from django.test import Client

from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.control.services.time_control import close_time_control
from championship.rallies.models import Entry, Rally, SpecialStage, StageTime
from championship.rallies.results.selectors import results_of
from championship.runs.models import Run
from championship.tabletop import links
from championship.tabletop.models import Evening, SignOn
from championship.tabletop.services import handing_in, opening
from championship.tabletop.services.limits import TooOften
from championship.tabletop.services.signing_on import MOST_A_MINUTE, sign_on
from tests.championship.rallies.factories import enter, make_rally, organiser_of, stage_of
from tests.championship.tabletop.factories import (
    an_evening,
    car_pass,
    car_path,
    drives,
    fresh,
    guests,
    rally_now,
    table_pass,
    table_path,
    under_way,
    writes,
)
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


def test_a_rally_at_the_table_goes_from_entries_to_the_podium_without_a_run() -> None:
    evening, (ana, bo, cem) = under_way("Ana", "Bo", "Cem", tables=2)
    organiser = organiser_of(evening.rally)

    drives(evening, {ana: 205, bo: 198, cem: 240})
    close_time_control(by=organiser, special_stage=stage_of(evening.rally, 1))
    drives(evening, {ana: 300, bo: 320, cem: 280}, stage=2)

    rally = rally_now(evening)
    lines = results_of(rally).overall
    assert rally.status == Rally.Status.FINISHED and not Run.objects.exists()
    assert [(line.place, line.entry.crew, line.total) for line in lines] == [
        (1, "Ana", 505),
        (2, "Bo", 518),
        (3, "Cem", 520),
    ]
    assert set(lines[0].remarks.codes) == {"T"}


def test_the_next_stage_starts_in_the_order_of_the_results() -> None:
    evening, (ana, bo) = under_way("Ana", "Bo")
    drives(evening, {ana: 205, bo: 198})
    close_time_control(by=organiser_of(evening.rally), special_stage=stage_of(evening.rally, 1))

    places = stage_of(evening.rally, 2).start_places.order_by("position")

    assert [place.entry for place in places] == [bo, ana]


def test_damage_that_was_counted_is_on_the_car_at_time_control_and_on_the_next_pad() -> None:
    evening, (ana, bo) = under_way("Ana", "Bo", stages=("1/3", "1/1"))
    writes(car_pass(evening, ana), ana, numbers={"card_3": 4, "loss": 1, "damage_coast": 2, "won": 3})
    writes(car_pass(evening, bo), bo, 200)
    handing_in.hand_in(by=table_pass(evening), number=1)

    entry = Entry.objects.get(pk=ana.pk)
    stage = stage_of(evening.rally, 1)
    assert StageTime.objects.get(entry=ana).measure == 4 * 30 + 60 - 3
    assert entry.car["damage"] == {"gear": 0, "coast": 2, "brake": 0}
    assert stage.status == SpecialStage.Status.TIME_CONTROL

    answer = Client().post(f"{car_path(evening, ana)}card/", {"entry": ana.pk, "spare": "on", "penalties": "2"})

    assert answer.status_code == 302
    card = stage.cards.get(entry=ana)
    assert (card.amount, card.car_after["damage"]["coast"], card.car_after["spare"]) == (10, 1, False)


def test_a_car_that_retired_gets_the_result_that_the_game_gives_it() -> None:
    evening, (ana, bo) = under_way("Ana", "Bo", stages=("1/1",))
    writes(car_pass(evening, ana), ana, 205)
    writes(car_pass(evening, bo), bo, retired=True, reason="no wheels left")
    handing_in.hand_in(by=table_pass(evening), number=1)

    time = StageTime.objects.get(entry=bo)
    assert (time.measure, time.retired, time.reason) == (265, True, "no wheels left")


# Signing on ---------------------------------------------------------------------------------------


def test_a_member_signs_on_by_name_and_is_confirmed_and_at_a_table() -> None:
    evening = an_evening()
    ana = make_member(evening.rally.club, name="Ana")
    page = Client().get(links.wall_path(fresh(evening)))

    answer = Client().post(links.wall_path(fresh(evening)), {"person": ana.pk})

    entry = evening.rally.entries.get(driver=ana)
    assert "Ana" in page.content.decode()
    assert (entry.status, entry.start_number, entry.sign_on.table.number) == (Entry.Status.CONFIRMED, 1, 1)
    assert answer.status_code == 302 and answer["Location"] == car_path(evening, entry)
    assert Client().get(answer["Location"]).status_code == 200


def test_sixteen_drivers_are_divided_equally() -> None:
    evening = an_evening(tables=2)
    guests(evening, *[f"Guest {n}" for n in range(16)])

    assert [table.sign_ons.count() for table in evening.tables.all()] == [8, 8]


def test_a_name_signs_on_with_one_phone_until_an_organiser_lets_it_again() -> None:
    evening = an_evening()
    ana = make_member(evening.rally.club, name="Ana")
    entry = sign_on(evening=evening, person=ana.pk).entry
    before = car_path(evening, entry)
    with pytest.raises(Refused, match="another phone"):
        sign_on(evening=evening, person=ana.pk)

    opening.renew_car(by=organiser_of(evening.rally), sign_on=SignOn.objects.get(entry=entry))

    assert Client().get(before).status_code == 404
    assert sign_on(evening=evening, person=ana.pk).entry == entry


@pytest.mark.parametrize("name", ["", "   ", "\u202e", "one\ntwo"])
def test_a_guest_without_a_name_is_refused_at_the_field(name: str) -> None:
    evening = an_evening()

    answer = Client().post(links.wall_path(fresh(evening)), {"guest": name})

    assert answer.status_code == 422 and 'aria-invalid="true"' in answer.content.decode()
    assert not evening.rally.entries.exists()


def test_two_guests_with_one_name_are_told_apart() -> None:
    evening = an_evening()
    guests(evening, "Ana")

    with pytest.raises(Refused, match="Somebody here has this name"):
        guests(evening, "ana")


def test_somebody_of_another_club_is_not_on_the_list() -> None:
    evening = an_evening()
    stranger = make_member(make_club(name="Other", owner=make_user("Olaf")), name="Zed")

    with pytest.raises(Refused, match="not on the list"):
        sign_on(evening=evening, person=stranger.pk)


def test_too_many_sign_ons_in_a_minute_have_to_wait(at: Callable[..., object]) -> None:
    evening = an_evening()
    for _ in range(MOST_A_MINUTE):
        with pytest.raises(Refused, match="not on the list"):
            sign_on(evening=evening, person=0)

    with pytest.raises(TooOften):
        sign_on(evening=evening, person=0)


def test_after_the_start_nobody_new_signs_on_but_a_late_phone_does() -> None:
    evening = an_evening()
    ana = make_member(evening.rally.club, name="Ana")
    zed = make_member(evening.rally.club, name="Zed")
    guests(evening, "Bo")
    rallies.enter_for(by=organiser_of(evening.rally), rally=evening.rally, wanted=[rallies.EntryRequest(ana, "Ana")])
    rallies.start_rally(by=organiser_of(evening.rally), rally=evening.rally)

    assert sign_on(evening=evening, person=ana.pk).sign_on is not None
    with pytest.raises(Refused, match="started without you"):
        sign_on(evening=evening, person=zed.pk)
    with pytest.raises(Refused, match="has started"):
        sign_on(evening=evening, guest="Late")


# Links --------------------------------------------------------------------------------------------


def test_links_end_with_the_evening_and_stay_dead_when_it_is_opened_again() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    organiser = organiser_of(evening.rally)
    paths = [links.wall_path(fresh(evening)), table_path(evening), car_path(evening, ana)]
    assert [Client().get(path).status_code for path in paths] == [200, 200, 200]

    opening.close_evening(by=organiser, evening=evening)
    closed = [Client().get(path).status_code for path in paths]
    opening.open_evening(by=organiser, rally=evening.rally, tables=1)

    assert closed == [404, 404, 404]
    assert [Client().get(path).status_code for path in paths] == [404, 404, 404]


def test_links_end_at_the_set_hour() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    path = car_path(evening, ana)
    Evening.objects.update(opened_at=clock.now() - timedelta(hours=2), ends_at=clock.now() - timedelta(seconds=1))

    assert Client().get(path).status_code == 404


def test_a_link_that_was_changed_by_hand_is_none() -> None:
    evening, (ana, bo) = under_way("Ana", "Bo")
    path = car_path(evening, ana)

    for broken in (
        path.replace(f".{ana.pk}.", f".{bo.pk}."),
        "/pad/t.x.1.1~bad/",
        path.replace("/c.", "/t."),
        "/pad/%00/",
    ):
        assert Client().get(broken).status_code == 404


def test_a_link_of_a_car_enters_nothing_for_another_car_or_table() -> None:
    evening, (ana, bo) = under_way("Ana", "Bo", tables=2)

    with pytest.raises(Refused, match="another car"):
        writes(car_pass(evening, ana), bo, 200)
    with pytest.raises(Refused, match="another table"):
        writes(table_pass(evening, 1), bo, 200)
    with pytest.raises(Refused, match="marshal"):
        handing_in.hand_in(by=car_pass(evening, ana), number=1)


def test_only_organisers_open_an_evening_and_see_its_page() -> None:
    evening = an_evening()
    ana = make_member(evening.rally.club, name="Ana")
    path = f"/rallies/{evening.rally.key}/desk/table/"

    with pytest.raises(Forbidden):
        opening.open_evening(by=ana, rally=evening.rally, tables=1)
    with pytest.raises(Http404):
        opening.open_evening(by=make_user("Zed"), rally=evening.rally, tables=1)
    assert signed_in(ana).get(path).status_code == 403
    assert signed_in(make_user("Yan")).get(path).status_code in (403, 404)
    assert signed_in(organiser_of(evening.rally)).get(path).status_code == 200


@pytest.mark.parametrize(
    ("tables", "hours", "field"), [(0, 12, "tables"), (21, 12, "tables"), (2, 0, "hours"), (2, 73, "hours")]
)
def test_an_evening_has_bounds(tables: int, hours: int, field: str) -> None:
    rally = make_rally(mode="at the table")

    answer = signed_in(organiser_of(rally)).post(
        f"/rallies/{rally.key}/desk/table/open/", {"tables": tables, "hours": hours}
    )

    assert answer.status_code == 422 and f"id_{field}_error" in answer.content.decode()
    assert not Evening.objects.exists()


def test_a_rally_by_web_has_no_evening() -> None:
    rally = make_rally()

    with pytest.raises(Refused, match="at the table"):
        opening.open_evening(by=organiser_of(rally), rally=rally, tables=1)


def test_a_table_with_cars_does_not_go_away() -> None:
    evening = an_evening(tables=2)
    guests(evening, "Ana", "Bo")

    with pytest.raises(Refused, match="Move them first"):
        opening.open_evening(by=organiser_of(evening.rally), rally=evening.rally, tables=1)


# Mixed --------------------------------------------------------------------------------------------


def test_on_the_open_road_some_drive_at_the_table_and_others_their_runs() -> None:
    evening = an_evening(mode="open road", stages=("1/1",))
    [ana] = guests(evening, "Ana")
    [bo] = enter(evening.rally, "Bo")
    rallies.start_rally(by=organiser_of(evening.rally), rally=evening.rally)
    evening = fresh(evening)

    assert [seat.entry for run in Run.objects.all() for seat in run.seats.all()] == [bo]
    writes(car_pass(evening, ana), ana, 205)
    handing_in.hand_in(by=table_pass(evening), number=1)
    assert stage_of(evening.rally, 1).status == SpecialStage.Status.RUNNING
    with pytest.raises(Refused, match="does not drive"):
        writes(table_pass(evening), bo, 200)

    bo.refresh_from_db()  # the start gave it a car
    rallies.record_stage_time(
        special_stage=stage_of(evening.rally, 1), entry=bo, measure=199, retired=False, car=bo.car, detail={}
    )
    assert rally_now(evening).status == Rally.Status.FINISHED
    assert [line.remarks.codes for line in results_of(rally_now(evening)).overall] == [(), ("T",)]


def test_an_organiser_chooses_who_drives_at_the_table_before_the_start_only() -> None:
    evening = an_evening(mode="open road")
    organiser = organiser_of(evening.rally)
    [ana, bo] = enter(evening.rally, "Ana", "Bo")
    opening.choose_where(by=organiser, rally=evening.rally, entry=ana, at_table=True)
    opening.seat(by=organiser, evening=fresh(evening), entry=ana, table=2)
    rallies.start_rally(by=organiser, rally=evening.rally)

    with pytest.raises(Stale):
        opening.choose_where(by=organiser, rally=evening.rally, entry=bo, at_table=True)
    with pytest.raises(Stale):
        opening.seat(by=organiser, evening=fresh(evening), entry=bo, table=1)
    assert [entry.at_table for entry in evening.rally.entries.order_by("pk")] == [True, False]


def test_one_stage_of_a_convoy_is_driven_at_the_table() -> None:
    rally = make_rally(stages=("1/1", "1/2"))
    organiser = organiser_of(rally)
    rallies.choose_stage_modes(by=organiser, rally=rally, modes={1: "at the table"})
    evening = opening.open_evening(by=organiser, rally=rally, tables=1)
    entries = enter(rally, "Ana", "Bo")
    opening.seat_everybody(by=organiser, evening=fresh(evening))
    rallies.start_rally(by=organiser, rally=rally)
    drives(fresh(evening), {entries[0]: 200, entries[1]: 210})
    close_time_control(by=organiser, special_stage=stage_of(rally, 1))

    assert Run.objects.filter(special_stage__number=2).count() == 1
    assert stage_of(rally, 2).status == SpecialStage.Status.RUNNING
