"""What phones enter: twice, late, in any order, from two phones at once. Nothing is lost, and nothing counts twice."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from championship.audit.models import Record
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.control.services.time_control import close_time_control
from championship.rallies.models import Entry, StageTime
from championship.rallies.page_versions import of_rally
from championship.rallies.results.selectors import results_of
from championship.tabletop.links import Pass
from championship.tabletop.models import Evening, Score
from championship.tabletop.services import handing_in
from championship.tabletop.services.scoring import MOST_A_MINUTE
from championship.tabletop.written import typed_result
from engine.contract import Measure
from tests.championship.rallies.factories import organiser_of, stage_of
from tests.championship.tabletop.factories import (
    car_pass,
    car_path,
    drives,
    fresh,
    rally_now,
    table_pass,
    table_path,
    under_way,
    writes,
)
from tests.factories import make_member, signed_in

pytestmark = pytest.mark.django_db
SECONDS = Measure("seconds", "fewest")


def standings(entry: Entry) -> list[str]:
    """The standing of each score of a car, in the order in which they came."""
    return list(Score.objects.filter(entry=entry).order_by("pk").values_list("standing", flat=True))


def sends(path: str, *entries: dict[str, Any]) -> Any:
    """Send what a script sends; the answer."""
    return Client().post(f"{path}entries/", json.dumps({"entries": entries}), content_type="application/json")


def item(entry: Entry, result: str | None = "3:25", **more: Any) -> dict[str, Any]:
    """One entry as the script of a pad writes it."""
    return {"key": f"phone-{entry.pk}-1", "entry": entry.pk, "stage": 1, "result": result, "numbers": {}, **more}


def test_the_same_entry_twice_is_one_row_and_one_answer() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")

    first = sends(car_path(evening, ana), item(ana)).json()
    second = sends(car_path(evening, ana), item(ana)).json()

    assert Score.objects.count() == 1
    assert first["outcomes"] == second["outcomes"]
    assert first["cars"][str(ana.pk)] == {"seen": f"phone-{ana.pk}-1", "says": "3:25", "conflicts": 0}


def test_two_phones_that_agree_are_a_double() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    writes(car_pass(evening, ana), ana, 205)

    writes(table_pass(evening), ana, 205)

    assert standings(ana) == ["stands", "double"]


def test_who_saw_what_counts_corrects_it_and_both_stay() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    first = writes(car_pass(evening, ana), ana, 205)

    second = writes(table_pass(evening), ana, 215, seen=first.key)

    assert standings(ana) == ["replaced", "stands"]
    assert (second.seen, second.written_by) == (first, "Table 1")
    page = Client().get(f"/rallies/{evening.rally.key}/by-hand/").content.decode()
    assert "3:25" in page and "3:35" in page and "Table 1" in page and "#1 Ana" in page


def test_a_phone_without_a_network_corrects_itself_and_all_arrives_in_one_request() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    tapped = clock.now() - timedelta(minutes=10)

    answer = sends(
        car_path(evening, ana),
        item(ana, key="offline-1", at=tapped.isoformat()),
        item(ana, "3:20", key="offline-2", seen="offline-1", at=(tapped + timedelta(minutes=1)).isoformat()),
    )

    assert [each["standing"] for each in answer.json()["outcomes"]] == ["stands", "stands"]
    assert standings(ana) == ["replaced", "stands"]
    assert Score.objects.get(key="offline-1").tapped_at == tapped


def test_a_phone_whose_clock_is_fast_writes_nothing_in_the_future() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")

    sends(car_path(evening, ana), item(ana, at=(clock.now() + timedelta(days=400)).isoformat()))

    score = Score.objects.get()
    assert score.tapped_at == score.at


def test_an_entry_that_differs_and_did_not_see_what_counts_is_a_conflict_that_the_marshal_decides() -> None:
    evening, (ana, bo) = under_way("Ana", "Bo")
    writes(table_pass(evening), ana, 205)
    late = writes(car_pass(evening, ana), ana, 199)
    writes(table_pass(evening), bo, 210)
    assert standings(ana) == ["stands", "conflict"]
    with pytest.raises(Refused, match="Decide first"):
        handing_in.hand_in(by=table_pass(evening), number=1)
    with pytest.raises(Refused, match="organiser"):
        handing_in.decide(by=car_pass(evening, ana), score=late, counts=True)

    answer = Client().post(f"{table_path(evening)}decide/", {"score": late.pk, "counts": "yes"})

    assert answer.status_code == 302 and standings(ana) == ["replaced", "stands"]
    with pytest.raises(Stale):
        handing_in.decide(by=table_pass(evening), score=late, counts=False)
    assert handing_in.hand_in(by=table_pass(evening), number=1) == 2
    assert StageTime.objects.get(entry=ana).measure == 199


def test_an_entry_that_comes_after_the_results_are_in_waits_for_an_organiser_who_changes_the_result() -> None:
    evening, (ana, bo) = under_way("Ana", "Bo")
    organiser = organiser_of(evening.rally)
    first = writes(car_pass(evening, ana), ana, 205)
    writes(car_pass(evening, bo), bo, 210)
    handing_in.hand_in(by=table_pass(evening), number=1)
    close_time_control(by=organiser, special_stage=stage_of(evening.rally, 1))
    drives(evening, {ana: 300, bo: 300}, stage=2)
    before = of_rally(None, evening.rally.key)

    late = writes(car_pass(evening, ana), ana, 220, seen=first.key)
    assert late.standing == "conflict"
    assert StageTime.objects.get(entry=ana, special_stage__number=1).measure == 205
    with pytest.raises(Refused, match="organiser"):
        handing_in.decide(by=table_pass(evening), score=late, counts=True)
    answer = signed_in(organiser).post(
        f"/rallies/{evening.rally.key}/desk/table/decide/", {"score": late.pk, "counts": "yes"}
    )

    assert answer.status_code == 302
    assert [(line.place, line.entry.crew, line.total) for line in results_of(rally_now(evening)).overall] == [
        (1, "Bo", 510),
        (2, "Ana", 520),
    ]
    assert of_rally(None, evening.rally.key) != before
    decided = Record.objects.get(action="entry decided")
    assert (decided.actor, decided.details["before"]["measure"], decided.details["after"]["measure"]) == (
        organiser,
        205,
        220,
    )


def test_a_conflict_that_is_dropped_changes_nothing() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    writes(table_pass(evening), ana, 205)
    late = writes(car_pass(evening, ana), ana, 199)

    handing_in.decide(by=table_pass(evening), score=late, counts=False)

    assert standings(ana) == ["stands", "dropped"]


def test_results_are_handed_in_once_and_only_when_all_are_there() -> None:
    evening, (ana, bo) = under_way("Ana", "Bo")
    writes(table_pass(evening), ana, 205)
    answer = Client().post(f"{table_path(evening)}hand-in/", {"stage": "1"})
    assert answer.status_code == 422 and "#2 Bo" in answer.content.decode()
    writes(table_pass(evening), bo, 205)

    assert Client().post(f"{table_path(evening)}hand-in/", {"stage": "1"}).status_code == 302
    assert Client().post(f"{table_path(evening)}hand-in/", {"stage": "1"}).status_code == 409
    assert StageTime.objects.count() == 2


# Hostile and tired input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"entries": {}}',
        b'{"entries": []}',
        b"\xff\xfe",
        b'{"entries": [' + b"[" * 5000,
        b"NaN",
    ],
)
def test_what_is_no_list_of_entries_is_a_bad_request(body: bytes) -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")

    answer = Client().post(f"{car_path(evening, ana)}entries/", body, content_type="application/json")

    assert answer.status_code == 400 and not Score.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"key": ""},
        {"key": "x" * 41},
        {"key": 7},
        {"entry": "1"},
        {"entry": True},
        {"entry": 2**40},
        {"stage": 0},
        {"stage": 9},
        {"stage": 2},
        {"result": "0"},
        {"result": "fast"},
        {"result": "3:75"},
        {"result": 1.5},
        {"result": None},
        {"result": "99999"[:5] + "9"},
        {"numbers": [1]},
        {"result": None, "numbers": {"card_3": -1}},
        {"result": None, "numbers": {"card_3": 10**30}},
        {"result": None, "numbers": {"card_3": "4"}},
        {"result": None, "numbers": {"won": 9}},
        {"retired": True, "reason": "two\nlines"},
        {"reason": {}},
        {"at": 5},
    ],
)
def test_an_entry_that_is_not_valid_is_refused_and_stops_no_other(change: dict[str, Any]) -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")

    answer = sends(car_path(evening, ana), {**item(ana), **change}, item(ana, key="good-entry")).json()

    assert answer["outcomes"][0]["standing"] == "refused" and answer["outcomes"][0]["says"]
    assert answer["outcomes"][1]["standing"] == "stands" and Score.objects.count() == 1


def test_the_plain_form_keeps_what_was_typed_and_names_the_field() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    sent = {"key": "form-0001", "entry": ana.pk, "stage": 1, "seen": "", "result": "3:75"}

    answer = Client().post(car_path(evening, ana), sent)

    page = answer.content.decode()
    assert answer.status_code == 422 and 'value="3:75"' in page and "3:25" in page
    assert not Score.objects.exists()


def test_the_plain_form_counts_without_a_script() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    sent = {"key": "form-0001", "entry": ana.pk, "stage": 1, "seen": "", "result": "", "n_card_3": "5", "n_card_1": "1"}

    answer = Client().post(car_path(evening, ana), sent)

    assert answer.status_code == 302 and Score.objects.get().measure == 5 * 30 + 50


def test_too_many_entries_of_one_link_wait_a_minute_and_stay_on_the_phone(at: Any) -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    path = car_path(evening, ana)
    many = [item(ana, "3:20", key=f"phone-entry-{n}") for n in range(60)]

    answers = [sends(path, *many) for _ in range(MOST_A_MINUTE // 60 + 1)]

    assert [answer.status_code for answer in answers] == [200] * (len(answers) - 1) + [429]
    assert 0 < int(answers[-1]["Retry-After"]) <= 60


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("3:25", 205), ("3.25", 205), ("205", 205), ("1:02:05", 3725), (" 0:09 ", 9), ("", None)],
)
def test_times_are_typed_as_people_type_them(text: str, seconds: int | None) -> None:
    assert typed_result(text, SECONDS) == seconds


def test_points_may_be_below_zero() -> None:
    assert typed_result("−12", Measure("points", "most")) == -12


# Pages --------------------------------------------------------------------------------------------


def test_the_page_of_a_table_makes_as_many_queries_for_many_cars_as_for_few(
    django_assert_max_num_queries: Any,
) -> None:
    evening, entries = under_way(*[f"Car {n}" for n in range(12)])
    for entry in entries[:6]:
        writes(table_pass(evening), entry, 200)

    with django_assert_max_num_queries(14):
        assert Client().get(table_path(evening)).status_code == 200


def test_the_trace_is_for_those_who_may_see_the_rally() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    writes(table_pass(evening), ana, 205)
    club = evening.rally.club
    club.visibility = "members"
    club.save()
    path = f"/rallies/{evening.rally.key}/by-hand/"

    assert Client().get(path).status_code != 200
    assert signed_in(make_member(club, name="Mia")).get(path).status_code == 200


def test_an_organiser_writes_in_their_own_name() -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    organiser = organiser_of(evening.rally)

    drives(evening, {ana: 200, _bo: 201})

    handed = Record.objects.get(action="results handed in")
    assert (handed.actor, handed.details["written_by"]) == (organiser, organiser.name)
    assert Pass(fresh(evening)).evening == Evening.objects.get()
