"""Who comes to an evening: check-in until an hour, what the rule does then, reserves in order, late-comers."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import close_old_connections, connection
from django.test import Client
from django.urls import reverse

from championship.audit.models import Record
from championship.deadlines.second_clock import SecondClock
from championship.evenings.arriving import services
from championship.evenings.arriving.services import CALL, CheckedIn, check_in, close_check_in, move_reserve, set_hour
from championship.evenings.models import CheckIn, CheckInHour
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.clock.evening_rules import EveningRules
from championship.rallies.clock.services.acting_dates import start_at_its_hour
from championship.rallies.models import Entry, Rally, StartPlace
from championship.rallies.results.selectors import results_of
from championship.rallies.services import (
    close_time_control,
    enter_rally,
    move_to_seconds,
    refuse_entry,
    set_evening_rules,
    start_rally,
    withdraw_entry,
)
from tests.championship.rallies.factories import drive, enter, make_rally, organiser_of, stage_of, started
from tests.championship.runs.evening import in_an_evening
from tests.factories import make_member, make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]
SOON = timedelta(minutes=10)


def fresh(rally):
    return Rally.objects.select_related("club").get(pk=rally.pk)


def again(entry):
    return Entry.objects.select_related("driver", "rally").get(pk=entry.pk)


def gathering(rule="out", late="next", *, limit=3, reserves=("Rex", "Sue")):
    """A rally before its start with three drivers, and reserves who wait, whose check-in ends soon."""
    rally = make_rally()
    rules = EveningRules(absent=rule, late=late, late_added=30)
    set_evening_rules(by=organiser_of(rally), rally=rally, rules=rules)
    entries = enter(rally, "Ana", "Bo", "Cem")
    Rally.objects.filter(pk=rally.pk).update(entry_limit=limit)
    waiting = [enter_rally(by=make_member(rally.club, name=name), rally=rally, crew=name) for name in reserves]
    assert all(entry.status == "waiting" for entry in waiting)
    set_hour(by=organiser_of(rally), rally=rally, at=clock.now() + SOON)
    return fresh(rally), entries, waiting


def at_the_hour(rally, at):
    at(clock.now() + SOON)
    return close_check_in(hour=CheckInHour.objects.get(rally=rally).pk, now=clock.now())


def test_only_organisers_set_the_hour_and_give_notice():
    rally, (ana, *_others) = started()
    now = clock.now()
    with pytest.raises(Forbidden):
        set_hour(by=ana.driver, rally=rally, at=now + SOON)
    for moment in (now, now + timedelta(minutes=4), now + timedelta(days=31)):
        with pytest.raises(Refused) as refused:
            set_hour(by=organiser_of(rally), rally=rally, at=moment)
        assert refused.value.field == "at"
    with pytest.raises(Refused):
        check_in(by=ana.driver, rally=rally)
    set_hour(by=organiser_of(rally), rally=rally, at=now + SOON)
    assert check_in(by=ana.driver, rally=rally) == CheckedIn.IN_TIME
    set_hour(by=organiser_of(rally), rally=rally, at=now + 2 * SOON)
    assert not CheckIn.objects.exists(), "another hour asks again"
    services.take_hour_back(by=organiser_of(rally), rally=rally)
    assert not CheckInHour.objects.exists()


def test_the_rule_waits_or_lets_the_codriver_drive(at):
    for rule, driven_by in (("waits", "person"), ("codriver", "codriver")):
        rally, (ana, bo, _cem), _reserves = gathering(rule, reserves=())
        check_in(by=ana.driver, rally=rally)
        assert at_the_hour(rally, at)
        assert (again(ana).driven_by, again(bo).driven_by) == ("person", driven_by)
        assert {entry.status for entry in rally.entries.all()} == {"confirmed"}


def test_who_is_left_out_makes_room_for_reserves_who_have_checked_in_in_order(at):
    rally, (ana, bo, cem), (rex, sue) = gathering("out")
    for person in (ana, sue):
        check_in(by=person.driver, rally=rally)
    assert check_in(by=sue.driver, rally=rally) == CheckedIn.WAITS
    assert at_the_hour(rally, at)
    assert [again(entry).status for entry in (ana, bo, cem)] == ["confirmed", "withdrawn", "withdrawn"]
    assert (again(sue).status, again(rex).status) == ("confirmed", "waiting"), "Rex asked first and is not here"
    assert again(sue).start_number is not None
    assert Notice.objects.filter(recipient=sue.driver, kind="entry confirmed").exists()
    told = Record.objects.get(action="check-in closed").details
    assert told["missing"] == ["Bo", "Cem"]
    assert [each.split()[-1] for each in told["reserves"]] == ["Sue"]
    with pytest.raises(Stale):
        services.take_check_in_back(by=ana.driver, rally=rally)


def test_the_hour_is_acted_on_once_and_a_press_before_it_counts(at):
    rally, (ana, *_others), _reserves = gathering("out")
    hour = CheckInHour.objects.get(rally=rally)
    assert close_check_in(hour=hour.pk, now=clock.now()) is False, "not yet"
    at(clock.now() + SOON)
    assert check_in(by=ana.driver, rally=rally) == CheckedIn.IN_TIME, "the clock has not acted yet"
    assert close_check_in(hour=hour.pk, now=clock.now()) is True
    assert close_check_in(hour=hour.pk, now=clock.now()) is False
    assert Record.objects.filter(action="check-in closed").count() == 1
    assert again(ana).status == "confirmed"


@pytest.mark.django_db(transaction=True)
def test_many_clocks_apply_the_rule_once(at):
    from concurrent.futures import ThreadPoolExecutor

    rally, _entries, (rex, _sue) = gathering("out")
    check_in(by=rex.driver, rally=rally)
    at(clock.now() + SOON)
    hour, now = CheckInHour.objects.get(rally=rally).pk, clock.now()

    def act():
        close_old_connections()
        try:
            return close_check_in(hour=hour, now=now)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as clocks:
        done = [each.result() for each in [clocks.submit(act) for _clock in range(4)]]
    assert sorted(done) == [False, False, False, True]
    assert Record.objects.filter(action="check-in closed").count() == 1
    assert again(rex).start_number is not None


def test_the_second_clock_acts_at_the_hour_though_nothing_is_driven(at):
    _rally, (_ana, bo, _cem), _reserves = gathering("codriver", reserves=())
    SecondClock().beat()
    assert Notice.objects.filter(kind="check in", recipient=bo.driver).exists()
    ticking = SecondClock()
    ticking.beat()
    assert ticking.idle
    at(clock.now() + SOON)
    ticking.beat()
    assert again(bo).driven_by == "codriver"


def test_drivers_and_reserves_are_told_half_an_hour_before_unless_they_have_checked_in(at):
    rally, (ana, bo, cem), _reserves = gathering()
    hour = CheckInHour.objects.get(rally=rally)
    CheckInHour.objects.filter(pk=hour.pk).update(at=clock.now() + 2 * CALL)
    check_in(by=ana.driver, rally=rally)
    assert services.tell_of_hour(hour=hour.pk, now=clock.now()) is False
    at(clock.now() + CALL)
    assert services.tell_of_hour(hour=hour.pk, now=clock.now()) is True
    assert services.tell_of_hour(hour=hour.pk, now=clock.now()) is False
    told = Notice.objects.filter(kind="check in")
    assert set(told.values_list("recipient__name", flat=True)) == {"Bo", "Cem", "Rex", "Sue"}
    assert services.still_asked(told.get(recipient=cem.driver))
    check_in(by=bo.driver, rally=rally)
    assert not services.still_asked(told.get(recipient=bo.driver))


def test_a_reserve_gets_a_place_by_a_press_of_an_organiser(at):
    rally, (ana, _bo, _cem), (rex, sue) = gathering("waits")
    check_in(by=sue.driver, rally=rally)
    with pytest.raises(Forbidden):
        move_reserve(by=ana.driver, rally=rally)
    with pytest.raises(Refused):
        move_reserve(by=organiser_of(rally), rally=rally)
    Rally.objects.filter(pk=rally.pk).update(entry_limit=5)
    assert move_reserve(by=organiser_of(rally), rally=rally) == sue, "she has checked in"
    assert move_reserve(by=organiser_of(rally), rally=rally) == rex
    with pytest.raises(Refused):
        move_reserve(by=organiser_of(rally), rally=rally)


def test_the_start_by_the_clock_waits_for_the_rule(at):
    rally, (ana, bo, cem), (rex, _sue) = gathering("out")
    for person in (ana, bo, rex):
        check_in(by=person.driver, rally=rally)
    Rally.objects.filter(pk=rally.pk).update(starts_at=clock.now() + SOON)
    at(clock.now() + SOON)
    assert start_at_its_hour(rally.pk, now=clock.now())
    assert fresh(rally).status == "running"
    assert set(StartPlace.objects.values_list("entry__crew", flat=True)) == {"Ana", "Bo", "Rex"}
    assert again(cem).status == "withdrawn"


def test_under_way_the_codriver_drives_for_the_absent_until_they_come(at):
    run, (ana, bo) = in_an_evening("Ana", "Bo")
    rally = run.special_stage.rally
    Rally.objects.filter(pk=rally.pk).update(evening_rules=EveningRules(absent="out", late="never").plain())
    set_hour(by=organiser_of(rally), rally=rally, at=clock.now() + SOON)
    check_in(by=ana.driver, rally=rally)
    assert at_the_hour(rally, at)
    assert (again(bo).status, again(bo).driven_by) == ("confirmed", "codriver")
    page = signed_in(bo.driver).get(f"/rallies/{rally.key}/evening/").text
    assert "I am here now" in page
    assert check_in(by=bo.driver, rally=rally) == CheckedIn.BACK
    assert again(bo).driven_by == "person"
    assert check_in(by=bo.driver, rally=rally) == CheckedIn.IN_TIME, "twice is once"


def under_way_without_cem(at):
    """A rally under way in which the codriver drives for Cem, who has not come; Sue had checked in as a reserve, and so
    had Rex, whom the organisers refused.
    """
    rally, (ana, bo, cem), (rex, sue) = gathering("codriver")
    for person in (ana, bo, rex, sue):
        check_in(by=person.driver, rally=rally)
    refuse_entry(by=organiser_of(rally), entry=again(rex))
    assert at_the_hour(rally, at)
    start_rally(by=organiser_of(rally), rally=rally)
    assert (again(cem).driven_by, again(sue).status) == ("codriver", "refused")
    return fresh(rally), again(cem), again(sue)


def test_between_two_stages_a_reserve_gets_the_car_of_a_driver_who_has_not_come(at):
    rally, cem, sue = under_way_without_cem(at)
    olga, page = organiser_of(rally), f"/rallies/{rally.key}/evening/"
    with pytest.raises(Refused, match="being driven"):
        services.give_car_to_reserve(by=olga, rally=rally)
    assert "Give the next reserve a car" not in signed_in(olga).get(page).text, "no button that can only be refused"
    drive(rally, 1, dict.fromkeys(rally.entries.filter(status="confirmed"), 100))
    assert stage_of(rally, 1).status == "time control"
    with pytest.raises(Forbidden):
        services.give_car_to_reserve(by=sue.driver, rally=rally)
    assert "Give the next reserve a car" in signed_in(olga).get(page).text
    assert "Give the next reserve a car" not in signed_in(sue.driver).get(page).text
    assert signed_in(olga).post(f"{page}do/give-car/").status_code == 302
    car = again(cem)
    assert (car.driver, car.crew, car.driven_by, car.start_number) == (sue.driver, "Sue", "person", cem.start_number)
    assert Notice.objects.filter(recipient=sue.driver, kind="car taken over").exists()
    assert check_in(by=sue.driver, rally=rally) == CheckedIn.IN_TIME, "of her two entries the one that drives"
    with pytest.raises(Forbidden):
        check_in(by=cem.driver, rally=rally)
    with pytest.raises(Refused, match="has come"):
        services.give_car_to_reserve(by=olga, rally=rally)
    close_time_control(by=olga, special_stage=stage_of(rally, 1))
    assert stage_of(rally, 2).start_places.filter(entry=car).exists()
    assert results_of(fresh(rally)).by_stage[1][car.pk].result == 100


def test_no_car_of_a_driver_who_came_late_is_given_away(at):
    rally, cem, _sue = under_way_without_cem(at)
    drive(rally, 1, dict.fromkeys(rally.entries.filter(status="confirmed"), 100))
    assert check_in(by=cem.driver, rally=rally) == CheckedIn.BACK
    with pytest.raises(Refused, match="has come"):
        services.give_car_to_reserve(by=organiser_of(rally), rally=rally)


def test_no_car_goes_to_a_reserve_whom_the_organisers_have_refused(at):
    rally, _cem, sue = under_way_without_cem(at)
    drive(rally, 1, dict.fromkeys(rally.entries.filter(status="confirmed"), 100))
    CheckIn.objects.filter(entry=sue).delete()
    with pytest.raises(Refused, match="No reserve"):
        services.give_car_to_reserve(by=organiser_of(rally), rally=rally)


def left_out(late, at):
    """A rally under way in which Cem was left out at the hour, and comes now."""
    rally, (ana, bo, cem), _reserves = gathering("out", late, limit=None, reserves=())
    for person in (ana, bo):
        check_in(by=person.driver, rally=rally)
    assert at_the_hour(rally, at)
    start_rally(by=organiser_of(rally), rally=rally)
    return fresh(rally), again(ana), again(bo), again(cem)


def after_stage(rally, number, **seconds):
    drive(rally, number, {entry: seconds[entry.crew] for entry in rally.entries.all() if entry.crew in seconds})
    if stage_of(rally, number).status == "time control":
        close_time_control(by=organiser_of(rally), special_stage=stage_of(rally, number))


def test_a_late_comer_starts_last_with_a_time_given_by_the_rule(at):
    rally, _ana, _bo, cem = left_out("given", at)
    assert check_in(by=cem.driver, rally=rally) == CheckedIn.NEXT
    cem = again(cem)
    assert (cem.status, cem.starts_from, cem.late_added, cem.driven_by) == ("confirmed", 2, 30, "person")
    with pytest.raises((Stale, Refused)):
        services._join(fresh(rally), cem)
    after_stage(rally, 1, Ana=100, Bo=150)
    order = StartPlace.objects.filter(special_stage=stage_of(rally, 2)).order_by("position")
    assert list(order.values_list("entry__crew", flat=True))[-1] == "Cem"
    assert order.count() == 3
    results = results_of(fresh(rally))
    given = results.by_stage[1][cem.pk]
    assert (given.result, given.code, given.retired) == (180, "LC", False)
    assert [line.entry.crew for line in results.overall_lines(1)] == ["Ana", "Bo", "Cem"]
    after_stage(rally, 2, Ana=100, Bo=100, Cem=10)
    assert results_of(fresh(rally)).totals(through=2)[cem.pk] == 190


def test_a_late_comer_without_a_given_time_stands_behind(at):
    rally, _ana, _bo, cem = left_out("next", at)
    check_in(by=cem.driver, rally=rally)
    after_stage(rally, 1, Ana=100, Bo=150)
    after_stage(rally, 2, Ana=100, Bo=100, Cem=10)
    results = results_of(fresh(rally))
    assert cem.pk not in results.by_stage[1]
    assert [(line.entry.crew, line.place) for line in results.overall_lines(2)] == [
        ("Ana", 1),
        ("Bo", 2),
        ("Cem", None),
    ]
    places = StartPlace.objects.filter(special_stage=stage_of(rally, 3)).order_by("position")
    assert [place.entry.crew for place in places.select_related("entry")][-1] == "Cem"


def test_nobody_joins_late_where_the_rules_say_so(at):
    rally, _ana, _bo, cem = left_out("never", at)
    with pytest.raises(Refused):
        check_in(by=cem.driver, rally=rally)
    page = signed_in(cem.driver).get(f"/rallies/{rally.key}/evening/").text
    assert "let nobody join late" in page
    assert "I am here now" not in page


def test_nobody_joins_the_last_stage_or_without_having_had_a_place(at):
    rally, _ana, _bo, cem = left_out("next", at)
    stranger = make_member(rally.club, name="New")
    with pytest.raises(Forbidden):
        check_in(by=stranger, rally=rally)
    after_stage(rally, 1, Ana=100, Bo=150)
    after_stage(rally, 2, Ana=100, Bo=150)
    assert stage_of(rally, 3).status == "running"
    with pytest.raises(Refused, match="left to start"):
        check_in(by=cem.driver, rally=rally)


def test_before_the_start_a_late_comer_gets_a_free_place_or_waits_behind_the_reserves(at):
    rally, (ana, bo, cem), (rex, sue) = gathering("out", reserves=("Rex", "Sue"))
    for person in (ana, rex, sue):
        check_in(by=person.driver, rally=rally)
    assert at_the_hour(rally, at)
    assert {again(rex).status, again(sue).status} == {"confirmed"}
    assert check_in(by=bo.driver, rally=rally) == CheckedIn.WAITS
    assert again(bo).status == "waiting"
    withdraw_entry(by=ana.driver, entry=ana)
    assert check_in(by=cem.driver, rally=rally) in (CheckedIn.WAITS, CheckedIn.IN_TIME)
    with pytest.raises(Forbidden):
        check_in(by=ana.driver, rally=rally)


# Pages ------------------------------------------------------------------------------------------------


def test_one_tap_on_my_turns_or_on_the_page():
    rally, (ana, bo, _cem), (rex, _sue) = gathering("out")
    page, act = f"/rallies/{rally.key}/evening/", f"/rallies/{rally.key}/evening/do/check-in/"
    mine = signed_in(ana.driver).get("/turns/").text
    assert act in mine
    assert "I am here" in mine
    assert signed_in(ana.driver).post(act).status_code == 302
    assert act not in signed_in(ana.driver).get("/turns/").text
    text = signed_in(ana.driver).get(page).text
    assert "You have checked in." in text
    assert signed_in(ana.driver).post(f"{page}do/check-out/").status_code == 302
    assert not CheckIn.objects.exists()
    assert signed_in(rex.driver).post(act).status_code == 302
    desk = signed_in(organiser_of(rally)).get(page).text
    assert desk.index("Rex") < desk.index("Sue")
    assert "are left out, and reserves" in desk
    assert "Give the next reserve a place" in desk
    assert "Give the next reserve a place" not in text
    assert signed_in(bo.driver).post(f"{page}do/move-reserve/").status_code == 403
    assert signed_in(organiser_of(rally)).post(f"{page}do/move-reserve/").status_code == 422
    assert signed_in(make_user()).post(act).status_code in (403, 404)
    assert Client().post(act).status_code == 302, "to sign in"


def test_the_forms_of_an_organiser_keep_what_was_typed():
    rally = make_rally()
    desk, page = signed_in(organiser_of(rally)), f"/rallies/{rally.key}/evening/"
    assert desk.post(f"{page}check-in/", {"hour-at": "yesterday"}).status_code == 422
    assert desk.post(f"{page}check-in/", {"hour-at": "2001-01-01T20:00"}).status_code == 422
    hour = (clock.now() + timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M")
    assert desk.post(f"{page}check-in/", {"hour-at": hour}).status_code == 302
    assert desk.post(f"{page}do/no-check-in/").status_code == 302
    assert not CheckInHour.objects.exists()
    rules = {"evening_absent": "out", "evening_late": "given", "evening_late_added": 45, "evening_pauses": 1}
    wrong = desk.post(f"{page}rules/", {**rules, "evening_drop_after": 1})
    assert wrong.status_code == 422
    assert 'value="45"' in wrong.text
    assert desk.post(f"{page}rules/", {**rules, "evening_absent": "x" * 300}).status_code == 422
    assert desk.post(f"{page}rules/", {**rules, "evening_drop_after": 3}).status_code == 302
    kept = fresh(rally).rules_of_evening
    assert kept == EveningRules(absent="out", late="given", late_added=45, drop_after=3, pauses=1)
    assert "the worst result and 45 more" in desk.get(page).text
    assert signed_in(make_member(rally.club)).post(f"{page}rules/", rules).status_code == 403
    move_to_seconds(rally_id=rally.pk, by=None)
    assert desk.post(f"{page}rules/", rules).status_code == 422, "an evening keeps its rules"


def test_the_forms_of_a_new_rally_and_of_its_options_have_the_rules():
    rally = make_rally()
    desk = signed_in(organiser_of(rally))
    assert 'name="evening_late"' in desk.get(reverse("rallies:create", args=[rally.club.slug])).text
    page = desk.get(reverse("rallies:options", args=[rally.key]))
    assert "An evening on line" in page.text
    assert 'name="evening_drop_after"' in page.text


@pytest.mark.parametrize("field", ["absent", "late", "dropped", "late_added", "pauses", "pause_minutes", "drop_after"])
def test_rules_that_nobody_knows_are_refused_with_their_field(field):
    rally = make_rally()
    wrong = "nonsense" if field in ("absent", "late", "dropped") else 5000
    with pytest.raises(Refused) as refused:
        set_evening_rules(by=organiser_of(rally), rally=rally, rules=EveningRules(**{field: wrong}))
    assert refused.value.field == field
    assert fresh(rally).evening_rules == {}
