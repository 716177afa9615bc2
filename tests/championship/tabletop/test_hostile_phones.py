"""What strangers and broken phones send to the links of an evening: it is answered in words, and costs little."""

from __future__ import annotations

import json
from collections.abc import Collection

import pytest
from django.http import Http404
from django.test import Client

from championship.platform.refusals import Refused
from championship.rallies.models import Entry, Rally
from championship.rallies.services import withdraw_entry
from championship.tabletop import links
from championship.tabletop.links import Pass
from championship.tabletop.models import Evening, Score
from championship.tabletop.services import handing_in, opening, signing_on
from championship.tabletop.services.limits import limit
from championship.tabletop.services.scoring import MOST_A_MINUTE, MOST_FOR_A_CAR
from championship.tabletop.services.signing_on import sign_on
from tests.championship.rallies.factories import enter, organiser_of
from tests.championship.tabletop.factories import an_evening, car_pass, car_path, guests, table_pass, under_way, writes

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("seen", ["seen\x00-00", "\ud83d-seen-1"], ids=["null", "half a letter"])
def test_a_key_that_no_database_can_store_is_the_key_of_no_entry(seen: str) -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    path = car_path(evening, ana)
    sent = {"key": "phone-1234", "entry": ana.pk, "stage": 1, "result": "3:25", "numbers": {}, "seen": seen}

    answer = Client().post(f"{path}entries/", json.dumps({"entries": [sent]}), content_type="application/json")

    assert [each["standing"] for each in answer.json()["outcomes"]] == ["stands"]
    assert Score.objects.get().seen is None


def test_the_plain_form_takes_no_such_key_either() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    sent = {"key": "phone-1234", "entry": ana.pk, "stage": 1, "result": "3:25", "seen": "seen\x00-00"}

    assert Client().post(car_path(evening, ana), sent).status_code == 302
    assert Score.objects.get().seen is None


def test_the_plain_form_and_the_buttons_are_counted_as_what_a_script_sends(at: object) -> None:  # one minute
    evening, (ana, _bo) = under_way("Ana", "Bo")
    path = car_path(evening, ana)
    for _each in range(MOST_A_MINUTE):
        limit(f"pad-{car_pass(evening, ana).counted_as}", MOST_A_MINUTE)

    answers = [
        Client().post(path, {"key": "phone-1234", "entry": ana.pk, "stage": 1, "result": "3:25"}),
        Client().post(f"{path}hand-in/", {"stage": 1}),
        Client().post(f"{path}decide/", {"score": 1}),
        Client().post(f"{path}card/", {"entry": ana.pk}),
    ]

    assert [each.status_code for each in answers] == [429] * 4
    assert all(int(each["Retry-After"]) > 0 for each in answers[:3])
    assert not Score.objects.exists()


def test_a_driver_who_writes_too_much_leaves_the_marshal_the_last_word() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    by, seen = car_pass(evening, ana), ""
    for number in range(MOST_FOR_A_CAR):
        seen = writes(by, ana, 100 + number, seen=seen).key
    with pytest.raises(Refused, match="too many"):
        writes(by, ana, 99, seen=seen)

    assert writes(table_pass(evening), ana, 205, seen=seen).standing == Score.Standing.STANDS


def test_guests_for_whom_there_is_no_place_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing_on, "MOST_GUESTS", 3)
    evening = an_evening()
    Rally.objects.filter(pk=evening.rally_id).update(entry_limit=1)
    done = [sign_on(evening=evening, guest=name) for name in ("Ana", "Bo", "Cem")]
    assert [each.sign_on is None for each in done] == [False, True, True]

    with pytest.raises(Refused, match="No more guests"):
        sign_on(evening=evening, guest="Dag")

    assert evening.rally.entries.count() == 3


def test_no_link_from_before_an_evening_was_closed_works_when_it_is_open_again() -> None:
    evening = an_evening()
    organiser = organiser_of(evening.rally)
    [absent] = enter(evening.rally, "Ola")
    guests(evening, "Ana")
    paths = [links.car_path(evening, absent), *(links.table_path(each) for each in evening.tables.all())]
    paths.append(links.wall_path(evening))
    assert [Client().get(path).status_code for path in paths] == [200] * len(paths)

    opening.close_evening(by=organiser, evening=evening)
    opening.open_evening(by=organiser, rally=evening.rally, tables=2)

    assert [Client().get(path).status_code for path in paths] == [404] * len(paths)


def test_a_link_that_was_taken_back_while_a_request_waited_writes_nothing() -> None:
    evening, (ana, bo) = under_way("Ana", "Bo")
    organiser, mine, marshal, other = organiser_of(evening.rally), *passes(evening, ana, bo)

    opening.renew_car(by=organiser, sign_on=evening.sign_ons.get(entry=ana))
    opening.renew_table(by=organiser, table=evening.tables.get())
    for by in (mine, marshal):
        with pytest.raises(Http404):
            writes(by, ana, 205)
    with pytest.raises(Http404):
        handing_in.hand_in(by=marshal, number=1)
    writes(other, bo, 210)

    opening.close_evening(by=organiser, evening=evening)
    for late in (lambda: writes(other, bo, 200), lambda: sign_on(evening=evening, guest="Cem")):
        with pytest.raises(Http404):
            late()
    assert Score.objects.count() == 1


def passes(evening: Evening, ana: Entry, bo: Entry) -> tuple[Pass, Pass, Pass]:
    """What the links of Ana's car, of the marshal and of Bo's car let somebody do now."""
    return car_pass(evening, ana), table_pass(evening), car_pass(evening, bo)


def test_a_driver_who_may_not_enter_does_not_by_signing_on_after_a_withdrawal(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = an_evening()
    [entry] = enter(evening.rally, "Ola")
    withdraw_entry(by=entry.driver, entry=entry)
    monkeypatch.setattr("championship.rallies.followers.entry_followers", [Barring()])

    with pytest.raises(Refused, match="Too many points"):
        sign_on(evening=evening, person=entry.driver_id)

    entry.refresh_from_db()
    assert entry.status == Entry.Status.WITHDRAWN


class Barring:
    """Keeps every driver out of every rally."""

    def kept_out(self, rally: Rally, drivers: Collection[int]) -> dict[int, str]:
        return dict.fromkeys(drivers, "Too many points.")
