"""Entries: requested, confirmed, refused, withdrawn, handed to the codriver."""

import pytest
from django.db import IntegrityError, transaction
from django.http import Http404

from championship.audit.models import Record
from championship.clubs.models import Role
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services
from championship.rallies.followers import rally_followers
from championship.rallies.models import Entry, StartPlace
from tests.championship.rallies.factories import enter, make_rally, organiser_of, started
from tests.championship.rallies.followers import Heard
from tests.factories import make_member, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]


def ask(rally, name) -> Entry:
    return services.enter_rally(by=make_member(rally.club, name=name), rally=rally, crew=name)


def test_a_driver_enters_once():
    rally = make_rally()
    ana = make_member(rally.club, name="Ana")
    entry = services.enter_rally(by=ana, rally=rally, crew=" Ana / Ola ", car_class="RC2")
    assert (entry.status, entry.crew, entry.car_class, entry.start_number) == ("requested", "Ana / Ola", "RC2", None)
    with pytest.raises(Refused):
        services.enter_rally(by=ana, rally=rally, crew="Ana again")
    with pytest.raises(IntegrityError), transaction.atomic():
        Entry.objects.create(rally=rally, driver=ana, crew="Ana")
    assert Entry.objects.count() == 1


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"crew": ""}, "crew"),
        ({"crew": "x" * 81}, "crew"),
        ({"crew": "a\x00b"}, "crew"),
        ({"crew": "Ana", "car_class": "y" * 21}, "car_class"),
    ],
)
def test_nonsense_is_refused_at_its_field(typed, field):
    rally = make_rally()
    with pytest.raises(Refused) as refusal:
        services.enter_rally(by=make_member(rally.club), rally=rally, **typed)
    assert refusal.value.field == field


def test_only_drivers_of_the_club_enter():
    rally = make_rally()
    with pytest.raises(Forbidden):
        services.enter_rally(by=make_member(rally.club, roles=[Role.STEWARD]), rally=rally, crew="Sten")
    with pytest.raises(Http404):
        services.enter_rally(by=make_user("Stranger"), rally=rally, crew="Stranger")


def test_confirming_gives_the_lowest_free_number_or_the_one_chosen():
    rally = make_rally()
    olga = organiser_of(rally)
    ana, bo, cem = (ask(rally, name) for name in ("Ana", "Bo", "Cem"))
    assert services.confirm_entry(by=olga, entry=bo, start_number=1).start_number == 1
    assert services.confirm_entry(by=olga, entry=ana).start_number == 2
    assert services.confirm_entry(by=olga, entry=cem, start_number=77).start_number == 77
    assert services.confirm_entry(by=olga, entry=ana, start_number=9).start_number == 9
    assert services.confirm_entry(by=olga, entry=ana).start_number == 9


@pytest.mark.parametrize("number", [1, 0, -3, 1000])
def test_an_invalid_or_taken_number_is_refused(number):
    rally = make_rally()
    enter(rally, "Ana")
    bo = ask(rally, "Bo")
    with pytest.raises(Refused) as refusal:
        services.confirm_entry(by=organiser_of(rally), entry=bo, start_number=number)
    assert refusal.value.field == "start_number"
    bo.refresh_from_db()
    assert bo.status == Entry.Status.REQUESTED


def test_all_are_confirmed_in_the_order_they_came():
    rally = make_rally()
    names = ["Ana", "Bo", "Cem"]
    entries = enter(rally, *names)
    assert [(entry.crew, entry.start_number) for entry in entries] == list(zip(names, [1, 2, 3], strict=True))
    assert services.confirm_all(by=organiser_of(rally), rally=rally) == []
    assert Record.objects.filter(action="entries confirmed").count() == 1


def test_drivers_cannot_confirm_entries():
    rally = make_rally()
    entry = ask(rally, "Ana")
    with pytest.raises(Forbidden):
        services.confirm_entry(by=entry.driver, entry=entry)
    with pytest.raises(Forbidden):
        services.confirm_all(by=entry.driver, rally=rally)


def test_a_driver_who_withdrew_may_enter_again_but_a_refused_one_may_not():
    rally = make_rally()
    ana, bo = enter(rally, "Ana", "Bo")
    services.withdraw_entry(by=ana.driver, entry=ana)
    assert services.enter_rally(by=ana.driver, rally=rally, crew="Ana").pk == ana.pk
    services.refuse_entry(by=organiser_of(rally), entry=bo)
    with pytest.raises(Refused):
        services.withdraw_entry(by=bo.driver, entry=bo)
    with pytest.raises(Refused):
        services.enter_rally(by=bo.driver, rally=rally, crew="Bo")
    assert services.confirm_entry(by=organiser_of(rally), entry=bo).status == Entry.Status.CONFIRMED


def test_a_driver_who_enters_again_drives_the_car_that_the_codriver_had():
    rally = make_rally()
    (ana,) = enter(rally, "Ana")
    services.set_driven_by(by=ana.driver, entry=ana, driven_by="codriver", manner="bold")
    services.withdraw_entry(by=ana.driver, entry=ana)
    again = services.enter_rally(by=ana.driver, rally=rally, crew="Ana")
    assert (again.pk, again.driven_by, again.manner) == (ana.pk, Entry.DrivenBy.PERSON, "")


def test_nobody_withdraws_the_entry_of_another():
    rally = make_rally()
    ana, bo = enter(rally, "Ana", "Bo")
    with pytest.raises(Forbidden):
        services.withdraw_entry(by=bo.driver, entry=ana)
    with pytest.raises(Http404):
        services.withdraw_entry(by=make_user("Stranger"), entry=ana)


def test_entries_after_the_draw_make_a_new_draw_necessary():
    rally = make_rally()
    enter(rally, "Ana", "Bo")
    services.draw_start_list(by=organiser_of(rally), rally=rally)
    cem = ask(rally, "Cem")
    assert StartPlace.objects.count() == 2
    services.confirm_entry(by=organiser_of(rally), entry=cem)
    assert StartPlace.objects.count() == 0


def test_entries_are_closed_once_the_rally_has_started():
    rally, (ana, *_rest) = started()
    olga = organiser_of(rally)
    with pytest.raises(Stale):
        ask(rally, "Late")
    for late in (services.withdraw_entry, services.refuse_entry, services.confirm_entry):
        with pytest.raises(Stale):
            late(by=olga, entry=ana)


def test_a_driver_or_an_organiser_hands_the_car_to_the_codriver_and_back():
    rally, (ana, bo, *_rest) = started()
    heard = Heard()
    rally_followers.register(heard)
    services.set_driven_by(by=ana.driver, entry=ana, driven_by="codriver")
    services.set_driven_by(by=ana.driver, entry=ana, driven_by="codriver")
    services.set_driven_by(by=ana.driver, entry=ana, driven_by="person")
    services.set_driven_by(by=organiser_of(rally), entry=ana, driven_by="codriver")
    services.set_driven_by(by=organiser_of(rally), entry=ana, driven_by="person")
    assert heard.handed_over == [("codriver", False), ("person", False), ("codriver", False), ("person", True)]
    with pytest.raises(Forbidden):
        services.set_driven_by(by=bo.driver, entry=ana, driven_by="codriver")
    with pytest.raises(Refused):
        services.set_driven_by(by=ana.driver, entry=ana, driven_by="a friend")
