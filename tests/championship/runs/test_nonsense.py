"""Nonsense in every field of the turn form and of the page's address is explained, breaks no page, changes nothing."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from championship.runs.models import Run
from tests.championship.runs.factories import alert_on, all_of, desk_of, on_the_road, play, post, put

pytestmark = pytest.mark.django_db

LEGAL = {"do": "lay", "plan": "1:1.2.l 2:1.3.l", "roll": "one by one"}
LONG = "9" * 5000
PLANS = [
    None,
    "",
    "   ",
    "nonsense",
    "1:1.2.l\x00",
    "1:1.2.l " * 70,
    "1:1.2.l " * 5000,
    "-1:1.2.l",
    "0:1.2.l",
    "9:1.2.l",
    "3bbbbbbbbbbbb:1.2.l",
    "c:1.2.l",
    "x:1.2.l",
    "٣:1.2.l",
    "1:١.٢.l",
    "1:grid",
    "1:99.9.l",
    "1:10.3.l",
    "1:1.2.l^",
    "1:1.2.l^1.3.l",
    "1:1.2.l^^1.3.l",
    "1:" + LONG,
    "%s %(x)d %",
    "{{ 7 }} {% now %}",
    "'; DROP TABLE runs_run; --",
    "🏁:🏁",
    "\u202e1:1.2.l",
    '"><b id="mine">',
    "1:1.2.l, 2:1.3.l",
    '["1:1.2.l"]',
]
NONSENSE = {
    "version": [None, "", "x", "-1", "1.5", "1e3", LONG, "²", "0\x00", "null", "[0]", ["0", "x"]],
    "key": [None, "", "   ", "k" * 41, "k\x00", LONG],
    "do": [None, "", "turn", "LAY", "lay\x00", "LONG", LONG, "0", ["lay", "x"], "__class__"],
    "plan": PLANS,
    "roll": [None, "", "both", "one by one\x00", LONG, "True"],
    "sisu": ["maybe", "1", "on\x00", LONG],
}


@pytest.mark.slow
@pytest.mark.parametrize("field", NONSENSE)
def test_nonsense_in_a_field_is_explained_and_changes_nothing(field):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk, before = desk_of(ana), all_of(run)
    for value in NONSENSE[field]:
        answer = post(desk, run, **{**LEGAL, field: value})
        assert answer.status_code == 422, f"{field}={value!r:.60}"
        assert len(alert_on(answer)) > 10
        assert '<b id="mine">' not in answer.content.decode()
    assert all_of(run) == before


def test_a_digit_of_another_script_is_a_digit():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    assert post(desk_of(ana), run, **{**LEGAL, "version": "١"}).status_code == 409
    assert post(desk_of(ana), run, **{**LEGAL, "version": "٠"}).status_code == 302


def test_whether_to_take_the_spare_wheel_is_not_guessed():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    put(run, ana, kept=[["coast", "coast/ok"]])
    play(run, ana, do="lay", plan="1:1.2.l", roll="one by one")
    play(run, ana, do="roll")
    assert run.state["turn"]["phase"] == "spare"
    before = all_of(run)
    for value in (None, "", "maybe", "yes\x00", LONG):
        answer = post(desk_of(ana), run, do="spare", take=value)
        assert answer.status_code == 422
        assert "take" in alert_on(answer)
    assert all_of(run) == before


def test_a_body_that_is_no_form_is_refused():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk, before, path = desk_of(ana), all_of(run), f"/runs/{run.key}/turn/"
    answers = [
        desk.post(path, json.dumps({"version": 0, "key": "k", **LEGAL}), content_type="application/json"),
        desk.post(path, b"\xff\xfe\x00", content_type="application/octet-stream"),
        desk.post(path, {}),
        desk.post(
            path, {"version": 0, "key": "k", "do": "lay", "roll": "one by one", "plan": SimpleUploadedFile("p", b"1")}
        ),
    ]
    assert [answer.status_code for answer in answers] == [422] * 4
    assert all_of(run) == before


@pytest.mark.slow
@pytest.mark.parametrize("half_made", [False, True], ids=["before the turn", "in the middle of a turn"])
def test_nonsense_in_the_address_shows_the_page_or_says_what_is_wrong(half_made):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    if half_made:
        play(run, ana, **LEGAL)
    before = all_of(run)
    for desk, plans in ((desk_of(ana), PLANS[1:]), (desk_of(bo), PLANS[-4:]), (Client(), PLANS[-4:])):
        for plan in plans:
            page = desk.get(run.get_absolute_url(), {"plan": plan})
            assert page.status_code in (200, 422)
            if page.status_code == 422:
                assert len(alert_on(page)) > 10
            assert '<b id="mine">' not in page.content.decode()
        for name in ("at", "seen"):
            for value in ("1.2.l", LONG, "\x00", "٠", '"><b id="mine">'):
                page = desk.get(run.get_absolute_url(), {name: value})
                assert page.status_code == 200
                assert '<b id="mine">' not in page.content.decode()
    assert all_of(run) == before


def test_a_wrong_plan_in_the_address_is_explained_only_to_drivers():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    seen = {
        desk: desk.get(run.get_absolute_url(), {"plan": "1:99.9.l"}) for desk in (desk_of(ana), desk_of(bo), Client())
    }
    assert [page.status_code for page in seen.values()] == [422, 422, 200]


def test_a_draft_does_not_hide_the_turn_that_is_being_rolled():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, **LEGAL)
    desk = desk_of(ana)
    plain = desk.get(run.get_absolute_url()).context["map"]
    assert desk.get(run.get_absolute_url(), {"plan": "2:1.2.r"}).context["map"] == plain
    assert Run.objects.get().state == run.state
