"""What a driver does over HTTP: enter, withdraw, hand the car over, hand in the time-control card."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from championship.clubs.models import Role
from championship.rallies.models import Entry, TimeControlCard
from tests.championship.rallies.factories import (
    damaged,
    drive,
    enter,
    hand_in,
    make_rally,
    organiser_of,
    stage_of,
    started,
)
from tests.factories import make_member, make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]


def test_a_driver_enters_from_the_rallys_page():
    rally = make_rally()
    ana = make_member(rally.club, name="Ana Kowalska")
    client, address = signed_in(ana), f"/rallies/{rally.key}/enter/"
    assert address in client.get(f"/rallies/{rally.key}/").content.decode()
    assert 'value="Ana Kowalska"' in client.get(address).content.decode()
    response = client.post(address, {"crew": "A. Kowalska / O. Nowak", "car_class": "RC2"}, follow=True)
    page = response.content.decode()
    assert "Your entry" in page
    assert "Requested" in page
    assert address not in page
    again = client.post(address, {"crew": "Again"})
    assert again.status_code == 422
    assert "You have entered already" in again.content.decode()


@pytest.mark.parametrize(
    "typed", [{}, {"crew": ""}, {"crew": "x" * 81}, {"crew": "a\nb"}, {"crew": "Ana", "car_class": "y" * 30}]
)
def test_nonsense_in_the_entry_is_422_and_kept(typed):
    rally = make_rally()
    response = signed_in(make_member(rally.club)).post(f"/rallies/{rally.key}/enter/", typed)
    assert response.status_code == 422
    assert 'class="errors"' in response.content.decode()
    assert typed.get("car_class", "") in response.content.decode()
    assert not Entry.objects.exists()


def test_only_drivers_of_the_club_enter():
    rally = make_rally()
    address = f"/rallies/{rally.key}/enter/"
    stranger = signed_in(make_user("Stranger"))
    assert stranger.get(address)["Location"].startswith(f"/ask/{rally.club.key}/")
    assert stranger.post(address, {"crew": "S"}).status_code == 404
    assert signed_in(make_member(rally.club, roles=[Role.STEWARD])).post(address, {"crew": "S"}).status_code == 403
    assert Client().get(address).status_code == 302


def test_entering_a_rally_that_has_started_is_409():
    rally, _entries = started("Ana")
    late = signed_in(make_member(rally.club, name="Late"))
    assert "Entries are closed" in late.get(f"/rallies/{rally.key}/enter/").content.decode()
    assert late.post(f"/rallies/{rally.key}/enter/", {"crew": "Late"}).status_code == 409


def test_a_driver_withdraws_their_own_entry_only():
    rally = make_rally()
    ana, bo = enter(rally, "Ana", "Bo")
    assert signed_in(bo.driver).post(f"/rallies/{rally.key}/entries/{ana.pk}/withdraw/").status_code == 403
    assert signed_in(ana.driver).post(f"/rallies/{rally.key}/entries/{ana.pk}/withdraw/").status_code == 302
    ana.refresh_from_db()
    assert ana.status == Entry.Status.WITHDRAWN


def test_a_driver_lets_the_codriver_drive_and_takes_over_again():
    rally, (ana, bo) = started("Ana", "Bo")
    client, address = signed_in(ana.driver), f"/rallies/{rally.key}/entries/{ana.pk}/driven-by/"
    client.post(address, {"driven_by": "codriver"})
    assert "Drive again yourself" in client.get(f"/rallies/{rally.key}/").content.decode()
    client.post(address, {"driven_by": "person"})
    assert client.post(address, {"driven_by": "nobody"}).status_code == 422
    assert signed_in(bo.driver).post(address, {"driven_by": "codriver"}).status_code == 403
    ana.refresh_from_db()
    assert ana.driven_by == "person"


def test_the_card_has_the_questions_of_the_rules_and_is_sealed():
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/3", "1/1"))
    drive(rally, 1, {ana: 200, bo: 210}, cars={ana: damaged(coast=2)})
    client, address = signed_in(ana.driver), f"/rallies/{rally.key}/stages/1/control/"
    assert address in client.get(f"/rallies/{rally.key}/").content.decode()
    page = client.get(address).content.decode()
    assert 'name="penalties"' in page
    assert 'name="spare"' in page
    assert 'name="spare"' not in signed_in(bo.driver).get(address).content.decode()
    response = client.post(address, {"penalties": "2", "spare": "on"}, follow=True)
    assert "sealed" in response.content.decode()
    assert "1 of 2 cards is in" in response.content.decode()
    card = TimeControlCard.objects.get()
    assert (card.amount, card.car_after["damage"]["coast"], card.car_after["spare"]) == (10, 1, False)


def envelopes_on(page: str) -> dict[str, str]:
    """What the envelope of each crew says."""
    row = re.compile(r'class="crew">(.*?)</span>\s*<span class="what">(.*?)</span>')
    return dict(row.findall(page.split('id="envelopes"')[1].split("</ul>")[0]))


def test_the_envelopes_tell_who_has_handed_in_and_what_was_taken_only_when_all_are_opened():
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/3", "1/1"))
    drive(rally, 1, {ana: 200, bo: 210}, cars={ana: damaged(coast=2), bo: damaged(gear=1)})
    address = f"/rallies/{rally.key}/stages/1/control/"
    page = signed_in(ana.driver).get(address).text
    assert envelopes_on(page) == {"Ana": "not in yet", "Bo": "not in yet"}
    assert "<dt>Coast damage</dt><dd>2</dd>" in page and "<dt>Gear damage</dt><dd>0</dd>" in page
    assert "2\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}+0:10" in page, "the price of two penalties"
    signed_in(ana.driver).post(address, {"penalties": "3", "spare": "on"})
    for entry in (ana, bo):
        page = signed_in(entry.driver).get(address).text
        assert envelopes_on(page) == {"Ana": "handed in", "Bo": "not in yet"}
        assert ("+0:15" in page) == (entry == ana), "only the driver knows what is in the envelope"
    assert "<dt>Coast damage</dt><dd>1</dd>" in signed_in(ana.driver).get(address).text, "the wheel is mounted"
    signed_in(bo.driver).post(address, {"penalties": "0"})
    for entry in (ana, bo):
        assert envelopes_on(signed_in(entry.driver).get(address).text) == {"Ana": "+0:15", "Bo": "nothing taken"}


def test_a_time_control_asks_for_as_many_queries_for_many_cars_as_for_few():
    asked = []
    for names in (("Ana", "Bo"), ("Ana", "Bo", "Cem", "Dia")):
        rally, entries = started(*names, stages=("1/3", "1/1"))
        drive(rally, 1, {entry: 200 + index for index, entry in enumerate(entries)})
        client = signed_in(entries[0].driver)
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/rallies/{rally.key}/stages/1/control/")
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_the_same_card_sent_twice_is_one_card_also_when_it_was_the_last():
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/3", "1/1"))
    drive(rally, 1, {ana: 200, bo: 210}, cars={ana: damaged(coast=1)})
    hand_in(rally, 1, bo)
    client, address = signed_in(ana.driver), f"/rallies/{rally.key}/stages/1/control/"
    for _press in range(2):
        assert client.post(address, {"penalties": "2", "spare": "on"}).status_code == 302
    assert [card.amount for card in TimeControlCard.objects.order_by("amount")] == [0, 10]
    assert client.post(address, {"penalties": "3"}).status_code == 409


def test_another_card_is_409_and_shows_the_sealed_page():
    rally, (ana, bo) = started("Ana", "Bo")
    drive(rally, 1, {ana: 200, bo: 210})
    hand_in(rally, 1, ana)
    client, address = signed_in(ana.driver), f"/rallies/{rally.key}/stages/1/control/"
    response = client.post(address, {"penalties": "5"})
    assert response.status_code == 409
    assert "sealed" in response.content.decode()
    assert TimeControlCard.objects.get().amount == 0
    hand_in(rally, 1, bo)
    assert client.post(address, {"penalties": "5"}).status_code == 409


@pytest.mark.parametrize(
    "typed", [{}, {"penalties": ""}, {"penalties": "-1"}, {"penalties": "2.5"}, {"penalties": "9" * 30}]
)
def test_nonsense_on_the_card_is_422_and_nothing_is_sealed(typed):
    rally, (ana, bo) = started("Ana", "Bo")
    drive(rally, 1, {ana: 200, bo: 210})
    response = signed_in(ana.driver).post(f"/rallies/{rally.key}/stages/1/control/", typed)
    assert response.status_code == 422
    assert typed.get("penalties", "") in response.content.decode()
    assert not TimeControlCard.objects.exists()


def test_time_control_is_for_drivers_of_the_stage():
    rally, (ana, _bo) = started("Ana", "Bo")
    address = f"/rallies/{rally.key}/stages/1/control/"
    for client in (signed_in(organiser_of(rally)), signed_in(make_user("Stranger"))):
        assert client.get(address).status_code == 404
        assert client.post(address, {"penalties": "0"}).status_code == 404
    assert Client().get(address).status_code == 302
    early = signed_in(ana.driver).get(address)
    assert "opens when everybody has finished" in early.content.decode()
    assert signed_in(ana.driver).post(address, {"penalties": "0"}).status_code == 409
    assert stage_of(rally, 1).status == "running"
