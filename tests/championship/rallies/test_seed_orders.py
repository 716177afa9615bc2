"""Start lists by hand and by standing, and messages to the entrants."""

from __future__ import annotations

import pytest

from championship.audit.models import Record
from championship.notices.models import Notice
from championship.platform.refusals import Refused, Stale
from championship.rallies import services
from championship.rallies.entries.services.seeding import fingerprint, order_now
from championship.rallies.models import Entry, Rally, StartPlace
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.factories import make_member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]


def crews() -> list[str]:
    return list(StartPlace.objects.order_by("position").values_list("entry__crew", flat=True))


def seen_of(rally: Rally) -> str:
    rally.refresh_from_db()
    return fingerprint(order_now(rally), rally.seeded_by)


def page_of(rally: Rally) -> tuple[str, dict[str, str]]:
    """The address of the page, and the form that it shows."""
    order = order_now(rally)
    typed = {f"place_{pk}": str(place) for place, pk in enumerate(order, 1)}
    return f"/rallies/{rally.key}/desk/start-list/", {"seen": seen_of(rally), "do": "save", **typed}


def test_a_list_by_hand_is_valid_until_entries_change():
    rally = make_rally()
    ana, bo, cem = enter(rally, "Ana", "Bo", "Cem")
    olga = organiser_of(rally)
    services.write_start_list(by=olga, rally=rally, order=[cem.pk, ana.pk, bo.pk], seen=seen_of(rally))
    rally.refresh_from_db()
    assert (crews(), rally.seeded_by) == (["Cem", "Ana", "Bo"], "hand")
    assert Record.objects.get(action="start list by hand").details["order"] == ["#3 Cem", "#1 Ana", "#2 Bo"]
    services.withdraw_entry(by=bo.driver, entry=bo)
    rally.refresh_from_db()
    assert (crews(), rally.seeded_by) == ([], "")


def test_a_list_from_an_old_page_is_stale_and_the_same_list_twice_counts_once():
    rally = make_rally()
    entries = [entry.pk for entry in enter(rally, "Ana", "Bo")]
    olga, seen = organiser_of(rally), seen_of(rally)
    for _press in range(2):
        services.write_start_list(by=olga, rally=rally, order=entries[::-1], seen=seen)
    assert Record.objects.filter(action="start list by hand").count() == 1
    with pytest.raises(Stale):
        services.write_start_list(by=olga, rally=rally, order=entries, seen=seen)
    with pytest.raises(Refused):
        services.write_start_list(by=olga, rally=rally, order=entries[:1], seen=seen_of(rally))
    assert crews() == ["Bo", "Ana"]


def test_without_a_championship_there_is_no_standing():
    rally = make_rally()
    enter(rally, "Ana")
    with pytest.raises(Refused):
        services.seed_by_standing(by=organiser_of(rally), rally=rally)


def test_on_the_page_cars_move_up_and_down_and_only_saving_counts():
    rally = make_rally()
    _ana, bo, cem = enter(rally, "Ana", "Bo", "Cem")
    client = signed_in(organiser_of(rally))
    address, form = page_of(rally)
    for pressed in (f"up-{cem.pk}", f"down-{bo.pk}"):
        page = client.post(address, {**form, "do": pressed}).content.decode()
        assert page.index("Cem</strong>") < page.index("Bo</strong>")
    assert crews() == []
    client.post(address, {**form, f"place_{cem.pk}": "1"})
    assert crews() == ["Cem", "Ana", "Bo"]
    address, form = page_of(rally)
    client.post(address, {**form, f"place_{cem.pk}": "3"})
    assert crews() == ["Ana", "Bo", "Cem"]
    enter(rally, "Dag")
    old = client.post(address, form)
    assert old.status_code in (409, 422)
    assert "Dag" in old.content.decode()


@pytest.mark.parametrize("typed", ["", "0", "3", "first", "9" * 40])
def test_an_invalid_place_is_422_beside_the_car(typed):
    rally = make_rally()
    ana, _bo = enter(rally, "Ana", "Bo")
    address, form = page_of(rally)
    answer = signed_in(organiser_of(rally)).post(address, {**form, f"place_{ana.pk}": typed})
    assert answer.status_code == 422
    assert f'id="id_place_{ana.pk}_error"' in answer.content.decode()
    assert crews() == []


def test_after_the_start_no_list_is_written():
    rally = make_rally()
    enter(rally, "Ana", "Bo")
    services.start_rally(by=organiser_of(rally), rally=rally)
    before = crews()
    address, form = page_of(rally)
    client = signed_in(organiser_of(rally))
    for pressed in ("save", "standing", "standing-last"):
        assert client.post(address, {**form, "do": pressed}).status_code == 409
    assert crews() == before


# Messages ----------------------------------------------------------------------------------------


def test_a_message_goes_to_every_confirmed_entrant_once_and_stays_on_the_rallys_page(at):
    rally = make_rally()
    enter(rally, "Ana", "Bo")
    services.enter_rally(by=make_member(rally.club, name="Cem"), rally=rally, crew="Cem")
    olga = organiser_of(rally)
    client, address = signed_in(olga), f"/rallies/{rally.key}/desk/message/"
    text = "Mind the ford.\r\n\r\n\r\n<b>Take care.</b> "
    for _press in range(2):
        assert client.post(address, {"text": text}).status_code == 302
    told = Notice.objects.filter(kind="message to entrants", channel="mail")
    assert sorted(told.values_list("recipient__name", flat=True)) == ["Ana", "Bo"]
    message = rally.messages.get()
    assert (message.text, message.told) == ("Mind the ford.\n\n<b>Take care.</b>", 2)
    assert "&lt;b&gt;Take care." in client.get(f"/rallies/{rally.key}/").content.decode()
    soon = client.post(address, {"text": "And another thing"})
    assert soon.status_code == 422
    assert "And another thing" in soon.content.decode()
    at("2026-11-19T12:10")
    assert client.post(address, {"text": "And another thing"}).status_code == 302
    assert Record.objects.filter(action="entrants told").count() == 2


@pytest.mark.parametrize("text", ["", " \n ", "x" * 2001, "nul\x00l", "bell\x07"])
def test_a_message_that_says_nothing_or_too_much_is_422_at_its_field(text):
    rally = make_rally()
    enter(rally, "Ana")
    answer = signed_in(organiser_of(rally)).post(f"/rallies/{rally.key}/desk/message/", {"text": text})
    assert answer.status_code == 422
    assert 'id="id_text_error"' in answer.content.decode()
    assert not Notice.objects.filter(kind="message to entrants").exists()


def test_a_message_needs_confirmed_entrants():
    rally = make_rally()
    with pytest.raises(Refused):
        services.write_to_entrants(by=organiser_of(rally), rally=rally, text="Hello")
    assert not Entry.objects.exists()
