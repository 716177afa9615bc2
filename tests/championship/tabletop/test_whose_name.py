"""Whose name a phone has taken with the code on the wall: confirmed, contested, freed; and what strangers try."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from championship.accounts.models import User
from championship.audit.models import Record
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.models import Rally
from championship.tabletop import links
from championship.tabletop.links import Pass
from championship.tabletop.models import Evening, SignOn
from championship.tabletop.services import handing_in, names, opening
from championship.tabletop.services.limits import TooOften
from championship.tabletop.services.names import MOST_CONTESTS
from championship.tabletop.services.signing_on import MOST_A_MINUTE, sign_on
from championship.tabletop.views import wall as wall_page
from tests.championship.rallies.factories import organiser_of, stage_of
from tests.championship.tabletop.factories import (
    an_evening,
    car_pass,
    car_path,
    fresh,
    guests,
    table_pass,
    table_path,
    writes,
)
from tests.factories import make_member, signed_in

pytestmark = pytest.mark.django_db


def taken() -> tuple[Evening, SignOn, User]:
    """An evening at one table at which a phone that nobody knows has taken the name of a member."""
    evening = an_evening(tables=1)
    ana = make_member(evening.rally.club, name="Ana")
    done = sign_on(evening=evening, person=ana.pk)
    assert done.sign_on is not None
    return fresh(evening), done.sign_on, ana


def told(action: str) -> Record:
    """What the log says of the only act of this kind."""
    return Record.objects.get(action=action)


def test_results_of_a_name_that_nobody_confirmed_are_not_handed_in_until_the_marshal_ticks_it() -> None:
    evening, seat, _ana = taken()
    guests(evening, "Bo")
    rallies.start_rally(by=organiser_of(evening.rally), rally=Rally.objects.get(pk=evening.rally_id))
    for each in evening.sign_ons.all():
        writes(car_pass(evening, each.entry), each.entry, 200)
    with pytest.raises(Refused, match="tick their names: #1 Ana"):
        handing_in.hand_in(by=table_pass(evening), number=1)
    with pytest.raises(Refused, match="tick their names"):
        handing_in.hand_in(by=Pass(evening), number=1, person=organiser_of(evening.rally))
    assert "All of them are here" in Client().get(table_path(evening)).content.decode()

    answer = Client().post(f"{table_path(evening)}names/", {"entry": [seat.entry_id], "free": ""})

    assert answer.status_code == 302
    seat.refresh_from_db()
    assert (seat.sure_by, seat.waits) == ("Table 1", False)
    assert told("name confirmed").details["by"] == "Table 1"
    assert handing_in.hand_in(by=table_pass(evening), number=1) == 2


def test_a_guest_and_a_member_who_is_signed_in_on_the_phone_need_no_tick() -> None:
    evening = an_evening(tables=1)
    ana = make_member(evening.rally.club, name="Ana")
    guests(evening, "Bo")

    answer = signed_in(ana).post(links.wall_path(fresh(evening)), {"person": ana.pk})

    assert answer.status_code == 302
    assert {each.entry.crew: (each.waits, each.sure_by) for each in evening.sign_ons.all()} == {
        "Ana": (False, "Ana"),
        "Bo": (False, ""),
    }
    actors = Record.objects.filter(action="signed on").order_by("pk").values_list("actor", flat=True)
    assert list(actors) == [None, ana.pk]
    assert not Notice.objects.filter(kind=names.KIND).exists()


def test_the_member_is_asked_and_confirms_on_a_page_of_their_own() -> None:
    evening, seat, ana = taken()
    asked = Notice.objects.filter(kind=names.KIND, recipient=ana)
    path = f"/rallies/{evening.rally.key}/my-sign-on/"
    assert asked.exists() and all(each.link == path and names.still_asked(each) for each in asked)
    assert "It is me" in signed_in(ana).get(path).content.decode()

    assert signed_in(ana).post(path, {"mine": "yes"}).status_code == 302

    seat.refresh_from_db()
    assert seat.sure_by == "Ana" and told("name confirmed").actor == ana
    assert not any(names.still_asked(each) for each in asked)
    assert signed_in(ana).post(path, {"mine": "yes"}).status_code == 409
    assert "No phone has signed on" in signed_in(organiser_of(evening.rally)).get(path).content.decode()


def test_a_member_who_is_not_there_stops_the_phone_and_the_name_stays_taken_until_it_is_freed() -> None:
    evening, seat, ana = taken()
    before, desk = car_path(evening, seat.entry), f"/rallies/{evening.rally.key}/desk/table/"

    signed_in(ana).post(f"/rallies/{evening.rally.key}/my-sign-on/", {"mine": "no"})

    assert Client().get(before).status_code == 404 and told("name denied").actor == ana
    with pytest.raises(Refused, match="another phone"):
        sign_on(evening=evening, person=ana.pk)
    organiser = signed_in(organiser_of(evening.rally))
    assert "contested" in organiser.get(desk).content.decode()
    assert organiser.post(f"{desk}names/", {"free": seat.entry_id}).status_code == 302
    assert sign_on(evening=evening, person=ana.pk).entry == seat.entry


def test_a_search_among_the_names_counts_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    evening, _seat, _ana = taken()
    for name in ("Zed", "Zeno"):
        make_member(evening.rally.club, name=name)
    monkeypatch.setattr(wall_page, "MOST_SHOWN", 1)
    found = Client().get(links.wall_path(evening), {"q": "ze"}).text
    assert "Zed" in found and "Zeno" not in found
    assert "1 more name." in found, "a name that is taken and not looked for counts for nothing"


def test_a_taken_name_is_shown_as_taken_contested_and_freed_by_the_marshal() -> None:
    evening, seat, ana = taken()
    wall, before = links.wall_path(evening), car_path(evening, seat.entry)
    page = Client().get(wall).content.decode()
    assert f'name="contest" value="{seat.entry_id}"' in page and f'name="person" value="{ana.pk}"' not in page

    contested = Client().post(wall, {"contest": seat.entry_id})
    again = Client().post(wall, {"contest": seat.entry_id})

    assert "Go to the marshal of Table 1" in contested.content.decode() and again.status_code == 200
    assert told("name contested").actor is None
    assert "Somebody else says" in Client().get(before).content.decode(), "the first phone works on, and knows it"
    answer = Client().post(f"{table_path(evening)}names/", {"free": seat.entry_id, "entry": [seat.entry_id]})
    assert answer.status_code == 302 and Client().get(before).status_code == 404
    assert told("name freed").details["by"] == "Table 1"
    assert Client().post(wall, {"person": ana.pk}).status_code == 302
    assert car_path(evening, seat.entry) != before


def test_a_contest_that_the_marshal_finds_wrong_leaves_the_name_where_it_is() -> None:
    evening, seat, _ana = taken()
    names.contest(evening=evening, entry_id=seat.entry_id)

    names.confirm_names(by=table_pass(evening), entry_ids=[seat.entry_id])

    seat.refresh_from_db()
    assert (seat.contested_at, seat.sure_by, seat.by_link) == (None, "Table 1", True)
    with pytest.raises(Stale):
        names.confirm_names(by=table_pass(evening), entry_ids=[seat.entry_id])


def test_the_phone_of_a_name_that_is_not_confirmed_hands_in_no_time_card() -> None:
    evening = an_evening(tables=1, stages=("1/3", "1/1"))
    done = sign_on(evening=evening, person=make_member(evening.rally.club, name="Ana").pk)
    seat, organiser = evening.sign_ons.get(entry=done.entry), organiser_of(evening.rally)
    guests(evening, "Bo")
    rallies.start_rally(by=organiser, rally=Rally.objects.get(pk=evening.rally_id))
    names.confirm_names(by=table_pass(evening), entry_ids=[seat.entry_id])
    for each in evening.sign_ons.all():
        counted = {"card_3": 4, "damage_coast": 2} if each == seat else {"card_3": 5}
        writes(car_pass(evening, each.entry), each.entry, numbers=counted)
    handing_in.hand_in(by=table_pass(evening), number=1)
    SignOn.objects.filter(pk=seat.pk).update(sure_by="")  # another phone, since
    card, sent = f"{car_path(evening, seat.entry)}card/", {"entry": seat.entry_id, "spare": "on", "penalties": "2"}

    refused = Client().post(card, sent)
    names.confirm_names(by=table_pass(evening), entry_ids=[seat.entry_id])

    assert refused.status_code == 422 and "confirm first that it is you" in refused.content.decode()
    assert not stage_of(evening.rally, 1).cards.filter(entry=seat.entry).exists()
    assert Client().post(card, sent).status_code == 302


# What strangers try -------------------------------------------------------------------------------


def test_the_phone_of_a_car_and_a_stranger_decide_about_no_name() -> None:
    evening, seat, _ana = taken()
    [other] = guests(evening, "Bo")
    stranger = make_member(evening.rally.club, name="Zed")

    for by in (car_pass(evening, seat.entry), car_pass(evening, other)):
        with pytest.raises(Refused, match="marshal"):
            names.confirm_names(by=by, entry_ids=[seat.entry_id])
        with pytest.raises(Refused, match="marshal"):
            names.free_name(by=by, entry_id=seat.entry_id)
    with pytest.raises(Stale):
        names.answer_for_oneself(by=stranger, rally=evening.rally, mine=True)
    with pytest.raises(Forbidden):
        names.free_name(by=Pass(evening), entry_id=seat.entry_id, person=stranger)
    seat.refresh_from_db()
    assert seat.waits


def test_a_marshal_decides_about_the_own_table_only() -> None:
    evening = an_evening(tables=2)
    ana, bea = (make_member(evening.rally.club, name=name) for name in ("Ana", "Bea"))
    first, second = (sign_on(evening=evening, person=each.pk).entry for each in (ana, bea))

    with pytest.raises(Refused, match="another table"):
        names.free_name(by=table_pass(evening, 1), entry_id=second.pk)
    with pytest.raises(Stale):
        names.confirm_names(by=table_pass(evening, 1), entry_ids=[second.pk])
    assert names.confirm_names(by=table_pass(evening, 1), entry_ids=[first.pk, second.pk]) == 1
    assert evening.sign_ons.get(entry=second).waits


@pytest.mark.parametrize("guest", ["ana", "ＡＮＡ", " Ana ", "Ana\u200b"])
def test_a_guest_does_not_take_the_name_of_a_member(guest: str) -> None:
    evening = an_evening()
    make_member(evening.rally.club, name="Ana")

    answer = Client().post(links.wall_path(fresh(evening)), {"guest": guest})

    assert answer.status_code == 422 and "The list of the club has this name" in answer.content.decode()
    assert not evening.rally.entries.exists()


@pytest.mark.parametrize("contest", ["0", "999999999"])
def test_contesting_what_nobody_has_taken_changes_nothing(contest: str) -> None:
    evening, _seat, _ana = taken()

    answer = Client().post(links.wall_path(evening), {"contest": contest})

    assert answer.status_code == 422 and not Record.objects.filter(action="name contested").exists()


@pytest.mark.parametrize("contest", ["-1", "x", "9" * 400, "\x00", "1.5"])
def test_what_is_no_number_contests_nothing(contest: str) -> None:
    evening, _seat, _ana = taken()

    answer = Client().post(links.wall_path(evening), {"contest": contest})

    assert answer.status_code in (400, 422) and not Record.objects.filter(action="name contested").exists()


def test_a_flood_of_contests_waits_and_a_new_link_on_the_wall_ends_it(at: Any) -> None:
    evening, seat, _ana = taken()
    for _each in range(MOST_CONTESTS):
        names.contest(evening=evening, entry_id=seat.entry_id)
    answer = Client().post(links.wall_path(evening), {"contest": seat.entry_id})
    assert answer.status_code == 429 and int(answer["Retry-After"]) > 0
    assert Record.objects.filter(action="name contested").count() == 1

    opening.renew_wall(by=organiser_of(evening.rally), evening=evening)

    assert Client().post(links.wall_path(evening), {"contest": seat.entry_id}).status_code == 404
    assert names.contest(evening=fresh(evening), entry_id=seat.entry_id).contested_at is not None


def test_a_flood_of_sign_ons_over_an_old_link_does_not_stop_the_new_one(at: Any) -> None:
    evening = an_evening()
    for _each in range(MOST_A_MINUTE):
        with pytest.raises(Refused, match="not on the list"):
            sign_on(evening=evening, person=0)
    with pytest.raises(TooOften):
        sign_on(evening=evening, guest="Bo")

    opening.renew_wall(by=organiser_of(evening.rally), evening=evening)

    assert sign_on(evening=fresh(evening), guest="Bo").sign_on is not None


def test_guessing_a_link_opens_nothing() -> None:
    evening, seat, _ana = taken()
    good = links.wall_path(evening).strip("/").split("/")[-1]
    guesses = [good[:-2], good.replace(".0.", ".1."), "w.x.0.1", f"{good}A", f"w.{evening.key}.0.1"]

    answers = [Client().get(f"/sign-on/{each}/").status_code for each in guesses]
    answers += [Client().get(f"/pad/c.{evening.key}.{seat.entry_id}.{n}~guess/").status_code for n in range(20)]

    assert set(answers) == {404}


def test_the_link_on_the_wall_ends_with_the_rally() -> None:
    evening, seat, _ana = taken()
    pad = car_path(evening, seat.entry)
    Rally.objects.filter(pk=evening.rally_id).update(
        status=Rally.Status.FINISHED, started_at=clock.now(), finished_at=clock.now()
    )

    assert Client().get(links.wall_path(evening)).status_code == 404
    assert Client().get(pad).status_code == 200, "a pad says that it is over"


@pytest.mark.django_db(transaction=True)
def test_two_phones_that_tap_one_name_at_once_get_one_pad() -> None:
    evening = an_evening()
    ana = make_member(evening.rally.club, name="Ana")
    wall = links.wall_path(fresh(evening))

    def taps(_phone: int) -> int:
        try:
            return Client().post(wall, {"person": ana.pk}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as phones:
        answers = sorted(phones.map(taps, range(2)))

    assert answers == [302, 422]
    assert [seat.serial for seat in evening.sign_ons.all()] == [1] and evening.rally.entries.count() == 1
