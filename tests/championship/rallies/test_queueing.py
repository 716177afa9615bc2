"""A rally that is full: the waiting list, classes with limits, and who moves up."""

from __future__ import annotations

import pytest

from championship.audit.models import Record
from championship.notices.models import Notice
from championship.platform.refusals import Refused
from championship.rallies import services
from championship.rallies.models import Entry
from tests.championship.rallies.factories import make_rally, organiser_of
from tests.championship.rallies.test_desk_pages import settings_typed
from tests.championship.rallies.test_races import at_once
from tests.factories import make_member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]

OPTIONS = {
    "name": "Rajd Wisły", "options": {}, "mode": "convoy", "turn_hours": 24, "reminder_hours": 4, "auto_start": True,
}  # fmt: skip


def room_for(rally, most, **classes):
    """Limit the rally to `most` cars, and each class to its number."""
    places = {"entry_limit": most, "classes": [{"name": name, "limit": limit} for name, limit in classes.items()]}
    return services.change_options(by=organiser_of(rally), rally=rally, places=places, **OPTIONS)


def ask(rally, name, car_class=""):
    return services.enter_rally(by=make_member(rally.club, name=name), rally=rally, crew=name, car_class=car_class)


def statuses(rally):
    return dict(rally.entries.order_by("asked_at", "pk").values_list("crew", "status"))


def test_entries_beyond_the_limit_wait_and_move_up_in_order_with_a_notice():
    rally = make_rally()
    room_for(rally, 2)
    ana, _bo, _cem, dag = (ask(rally, name) for name in ("Ana", "Bo", "Cem", "Dag"))
    services.confirm_all(by=organiser_of(rally), rally=rally)
    assert statuses(rally) == {"Ana": "confirmed", "Bo": "confirmed", "Cem": "waiting", "Dag": "waiting"}
    services.withdraw_entry(by=ana.driver, entry=ana)
    assert statuses(rally) == {"Ana": "withdrawn", "Bo": "confirmed", "Cem": "requested", "Dag": "waiting"}
    assert list(Notice.objects.filter(kind="entry moved up").values_list("recipient__name", flat=True)) == ["Cem"]
    assert Record.objects.get(action="entry moved up").subject_label == "Cem"
    services.enter_rally(by=ana.driver, rally=rally, crew="Ana")
    services.withdraw_entry(by=dag.driver, entry=dag)
    assert list(statuses(rally).items())[-1] == ("Ana", "waiting"), "who comes back is the last"


def test_a_driver_on_the_waiting_list_sees_the_rally_among_their_own():
    rally = make_rally(name="Monte")
    room_for(rally, 1)
    ana, bo = ask(rally, "Ana"), ask(rally, "Bo")
    assert (ana.status, bo.status) == ("requested", "waiting")
    for entry in (ana, bo):
        page = signed_in(entry.driver).get("/turns/").text
        assert rally.get_absolute_url() in page and "You are not in a rally yet" not in page
    services.withdraw_entry(by=ana.driver, entry=ana)
    assert "You are not in a rally yet" in signed_in(ana.driver).get("/turns/").text


def test_a_refusal_or_a_higher_limit_lets_people_move_up_and_a_lower_one_removes_nobody():
    rally = make_rally()
    room_for(rally, 1)
    ana, *_others = (ask(rally, name) for name in ("Ana", "Bo", "Cem"))
    services.refuse_entry(by=organiser_of(rally), entry=ana)
    assert statuses(rally) == {"Ana": "refused", "Bo": "requested", "Cem": "waiting"}
    room_for(rally, 2)
    assert statuses(rally)["Cem"] == "requested"
    room_for(rally, 1)
    assert statuses(rally)["Cem"] == "requested"
    assert ask(rally, "Dag").status == "waiting"


def test_a_full_class_keeps_nobody_of_another_class_waiting():
    rally = make_rally()
    room_for(rally, 3, RC2=1, RC4=None)
    ana = ask(rally, "Ana", "RC2")
    ask(rally, "Bo", "RC2")
    ask(rally, "Cem", "RC4")
    assert statuses(rally) == {"Ana": "requested", "Bo": "waiting", "Cem": "requested"}
    services.withdraw_entry(by=ana.driver, entry=ana)
    assert statuses(rally)["Bo"] == "requested"
    with pytest.raises(Refused) as refusal:
        ask(rally, "Dag", "RC3")
    assert refusal.value.field == "car_class"


def test_a_waiting_entry_is_not_confirmed_and_does_not_start():
    rally = make_rally()
    room_for(rally, 1)
    ask(rally, "Ana")
    bo = ask(rally, "Bo")
    olga = organiser_of(rally)
    services.confirm_all(by=olga, rally=rally)
    with pytest.raises(Refused):
        services.confirm_entry(by=olga, entry=bo)
    services.start_rally(by=olga, rally=rally)
    assert statuses(rally) == {"Ana": "confirmed", "Bo": "refused"}


def test_a_seasons_drivers_wait_too_where_there_is_no_room():
    rally = make_rally()
    room_for(rally, 2)
    wanted = [services.EntryRequest(make_member(rally.club, name=name), name) for name in ("Ana", "Bo", "Cem")]
    services.enter_for(by=organiser_of(rally), rally=rally, wanted=wanted)
    assert sorted(statuses(rally).values()) == ["confirmed", "confirmed", "waiting"]


@pytest.mark.django_db(transaction=True)
def test_the_last_place_goes_to_one_of_two_who_ask_at_once():
    rally = make_rally()
    room_for(rally, 3)
    ask(rally, "Ana")
    ask(rally, "Bo")
    people = [make_member(rally.club, name=name) for name in ("Cem", "Dag", "Eva")]
    at_once(*[lambda p=person: services.enter_rally(by=p, rally=rally, crew=p.name) for person in people])
    assert Entry.objects.filter(status="requested").count() == 3
    assert Entry.objects.filter(status="waiting").count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_who_leave_at_once_each_gives_a_place_to_another():
    rally = make_rally()
    room_for(rally, 2)
    ana, bo, _cem, _dag = (ask(rally, name) for name in ("Ana", "Bo", "Cem", "Dag"))
    at_once(*[lambda e=entry: services.withdraw_entry(by=e.driver, entry=e) for entry in (ana, bo)])
    assert statuses(rally) == {"Ana": "withdrawn", "Bo": "withdrawn", "Cem": "requested", "Dag": "requested"}
    assert Notice.objects.filter(kind="entry moved up", channel="mail").count() == 2


# Over HTTP ---------------------------------------------------------------------------------------


def test_limit_and_classes_are_set_in_the_form_and_chosen_from_on_entering():
    rally = make_rally()
    client, address = signed_in(organiser_of(rally)), f"/rallies/{rally.key}/desk/options/"
    assert client.post(address, settings_typed(entry_limit="1", classes="RC2: 1\r\n\r\nRC4")).status_code == 302
    rally.refresh_from_db()
    assert (rally.entry_limit, rally.classes) == (1, [{"name": "RC2", "limit": 1}, {"name": "RC4", "limit": None}])
    assert "RC2: 1\nRC4" in client.get(address).content.decode()
    ask(rally, "Ana", "RC2")
    bo = signed_in(make_member(rally.club, name="Bo"))
    page = bo.get(f"/rallies/{rally.key}/enter/").content.decode()
    assert "All places are taken" in page
    assert "RC2: full, you would wait" in page
    assert bo.post(f"/rallies/{rally.key}/enter/", {"crew": "Bo", "car_class": "RC9"}).status_code == 422
    assert bo.post(f"/rallies/{rally.key}/enter/", {"crew": "Bo", "car_class": "RC4"}).status_code == 302
    assert "Your place on the waiting list: 1" in bo.get(f"/rallies/{rally.key}/").content.decode()
    assert "1 of 1 taken" in client.get(f"/rallies/{rally.key}/desk/").content.decode()


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("entry_limit", "0"),
        ("entry_limit", "1000"),
        ("entry_limit", "many"),
        ("classes", "RC2: many"),
        ("classes", "RC2: 0"),
        ("classes", ": 4"),
        ("classes", "RC2\nRC2"),
        ("classes", "x" * 21),
        ("classes", "\n".join(f"RC{number}" for number in range(13))),
    ],
)
def test_wrong_places_are_422_at_their_field_and_kept(field, typed):
    rally = make_rally()
    answer = signed_in(organiser_of(rally)).post(
        f"/rallies/{rally.key}/desk/options/", settings_typed(**{field: typed})
    )
    page = answer.content.decode()
    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in page
    assert typed in page
    rally.refresh_from_db()
    assert (rally.entry_limit, rally.classes) == (None, [])
