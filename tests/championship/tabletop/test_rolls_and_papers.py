"""Rolls of a phone with their proof, the paper of an evening, and the way to BG Stats."""

from __future__ import annotations

import hashlib
import hmac
import json
from urllib.parse import unquote

import pytest
from django.test import Client

from championship.platform.refusals import Refused
from championship.rallies.control.services.time_control import close_time_control
from championship.rallies.results.selectors import results_of
from championship.runs.models import Seal
from championship.tabletop.bg_stats import ADDRESS, bg_stats_link
from championship.tabletop.evening_pdf import evening_pdf, matrix_of
from championship.tabletop.models import Roll
from championship.tabletop.services.rolling import roll
from tests.championship.rallies.factories import organiser_of, stage_of
from tests.championship.tabletop.factories import (
    an_evening,
    car_pass,
    car_path,
    drives,
    fresh,
    guests,
    rally_now,
    table_pass,
    under_way,
)
from tests.factories import signed_in

pytestmark = pytest.mark.django_db


def test_a_roll_is_the_same_when_it_is_asked_twice_and_another_when_it_is_asked_anew() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    by = car_pass(evening, ana)

    first = roll(by=by, entry_id=ana.pk, thrown=["3", "3", "coast"], asked="phone-0001", salt="mine")
    again = roll(by=by, entry_id=ana.pk, thrown=["3", "3", "coast"], asked="phone-0001", salt="other")
    other = roll(by=by, entry_id=ana.pk, thrown=["3"], asked="phone-0002")

    assert again == first and (first.number, other.number) == (1, 2)
    assert len(first.shown) == 3 and all(0 <= number < 6 for number in first.shown)


def test_anyone_computes_a_roll_again_from_the_page_when_the_stage_is_over() -> None:
    evening, (ana, bo) = under_way("Ana", "Bo", stages=("1/1",))
    made = roll(by=car_pass(evening, ana), entry_id=ana.pk, thrown=["2", "brake"], asked="phone-0001", salt="mine")
    seal = Seal.objects.get(special_stage__rally=evening.rally)
    before = Client().get(f"/rolls/{made.key}/").content.decode()
    assert seal.commitment in before and bytes(seal.secret).hex() not in before

    drives(evening, {ana: 205, bo: 210})
    after = Client().get(f"/rolls/{made.key}/").content.decode()

    assert bytes(seal.secret).hex() in after and "every number is the same" in after
    secret = hmac.digest(bytes(seal.secret), f"table {ana.start_number}".encode(), "sha256")
    phrases = hashlib.sha256(b"[]").hexdigest()
    for place, (name, shown) in enumerate([("2", made.shown[0]), ("brake", made.shown[1])], 1):
        words = json.dumps(["seat", phrases, "mine", f"roll 1 {place} {name}", 0], separators=(",", ":"))
        assert int.from_bytes(hmac.digest(secret, words.encode(), "sha256"), "big") % 6 == shown


@pytest.mark.parametrize("thrown", [[], ["none"], ["1"] * 13])
def test_what_the_game_does_not_throw_is_refused(thrown: list[str]) -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")

    with pytest.raises(Refused):
        roll(by=car_pass(evening, ana), entry_id=ana.pk, thrown=thrown, asked="phone-0001")
    assert not Roll.objects.exists()


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("http://testserver{pad}", True),
        ("http://testserver{pad}roll/", True),
        ("http://elsewhere.example{pad}", False),
        ("http://testserver/", False),
        ("http://[", False),
        ("", False),
    ],
)
def test_who_has_just_rolled_gets_back_to_the_pad_and_nobody_else_learns_its_address(before: str, told: bool) -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    made = roll(by=car_pass(evening, ana), entry_id=ana.pk, thrown=["brake"], asked="phone-0001")
    pad = car_path(evening, ana)

    page = Client().get(f"/rolls/{made.key}/", headers={"Referer": before.format(pad=pad)})

    assert page.status_code == 200 and (f'href="{pad}"' in page.content.decode()) == told
    assert "Referer" in page["Vary"]


def test_the_form_of_a_pad_rolls_and_shows_the_faces() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")

    answer = Client().post(
        f"{car_path(evening, ana)}roll/", {"entry": ana.pk, "t_4": "2", "asked": "phone-0001", "salt": "x"}, follow=True
    )

    assert answer.status_code == 200 and Roll.objects.get().thrown == ["4", "4"]
    assert "Gear die 4" in answer.content.decode()


def test_nobody_rolls_before_the_start_or_for_another_car() -> None:
    evening = an_evening()
    [ana] = guests(evening, "Ana")
    with pytest.raises(Refused, match="not on the road"):
        roll(by=car_pass(evening, ana), entry_id=ana.pk, thrown=["1"], asked="phone-0001")

    evening, (ana, bo) = under_way("Ana", "Bo")
    with pytest.raises(Refused, match="another car"):
        roll(by=car_pass(evening, ana), entry_id=bo.pk, thrown=["1"], asked="phone-0001")


def test_one_paper_has_the_poster_the_start_order_the_tables_the_time_cards_and_the_sheet() -> None:
    evening, _entries = under_way("Ana", "Bo", "Cem", tables=2)

    answer = signed_in(organiser_of(evening.rally)).get(f"/rallies/{evening.rally.key}/desk/table/evening.pdf")

    assert answer.status_code == 200 and answer["Content-Type"] == "application/pdf"
    pages = answer.content.count(b"/Type /Page\n") + answer.content.count(b"/Type /Page ")
    assert answer.content.startswith(b"%PDF") and pages in (0, 7)  # poster, order, two tables, two of cards, a sheet


def test_the_same_evening_gives_the_same_bytes() -> None:
    evening, _entries = under_way("Ana", "Bo")
    results = results_of(rally_now(evening))

    first, second = (evening_pdf(results, fresh(evening), "https://example.org/") for _ in range(2))

    assert first == second and len(matrix_of("https://example.org/")) > 20


def test_there_is_no_paper_before_the_evening_is_open() -> None:
    evening = an_evening()
    organiser = organiser_of(evening.rally)
    evening.delete()

    assert signed_in(organiser).get(f"/rallies/{evening.rally.key}/desk/table/evening.pdf").status_code == 422


def test_the_result_of_a_rally_goes_to_bg_stats_as_one_play() -> None:
    evening, (ana, bo) = under_way("Ana", "Bo", stages=("1/1",))
    assert bg_stats_link(results_of(rally_now(evening))) == ""
    drives(evening, {ana: 205, bo: 198})
    rally = rally_now(evening)

    play = json.loads(unquote(bg_stats_link(results_of(rally)).removeprefix(ADDRESS)))

    assert play["sourcePlayId"] == rally.key and play["playDate"] == rally.finished_at.strftime("%Y-%m-%d %H:%M:%S")
    assert (play["game"]["name"], play["game"]["highestWins"]) == ("Rallyman: DIRT", False)
    assert [(each["name"], each["score"], each["rank"], each["winner"]) for each in play["players"]] == [
        ("Bo", 198, 1, True),
        ("Ana", 205, 2, False),
    ]


def test_a_table_hands_in_after_time_control_of_the_stage_before() -> None:
    evening, (ana, bo) = under_way("Ana", "Bo")
    drives(evening, {ana: 205, bo: 198})
    assert table_pass(evening).table is not None
    close_time_control(by=organiser_of(evening.rally), special_stage=stage_of(evening.rally, 1))
    drives(evening, {ana: 205, bo: 198}, stage=2)

    assert rally_now(evening).finished_at is not None
