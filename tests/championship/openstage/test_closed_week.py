"""A week is over: drivers are told their place once, and pages without an open stage say when the next one opens."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from championship.accounts.services import closing
from championship.failures.models import Failure
from championship.failures.services import FIRST_WAIT
from championship.notices.models import Notice, Switch
from championship.notices.notice_text import in_words
from championship.openstage import services
from championship.openstage.models import Week
from championship.openstage.services import Closings, notify_places
from championship.platform import clock
from championship.platform.refusals import Stale
from championship.rallies.models import Rally
from championship.rallies.results.selectors import results_of
from championship.runs.models import Run
from championship.runs.play import act_on_deadlines
from tests.championship.openstage.factories import close_due, come_in, go_on, on_the_stage, open_and_close, opened
from tests.championship.runs.threads import at_once
from tests.factories import make_user, signed_in
from tests.refusing_rows import refuse

pytestmark = pytest.mark.django_db
OVER = "2026-11-23T00:01"


def letters():
    """The mails with the place of their recipient, in words, by the recipient's name."""
    notices = Notice.objects.filter(kind="open stage result", channel="mail").select_related("recipient")
    assert notices.count() == len({notice.recipient_id for notice in notices}), "nobody is told twice"
    return {notice.recipient.name: in_words(notice) for notice in notices}


@pytest.mark.slow
def test_everybody_who_took_part_is_notified_of_their_place_once_in_the_chosen_way(at):
    week = opened()
    for name in ("Ana", "Bo"):
        come_in(make_user(name))
    on_the_stage(make_user("Cem"))
    gone, quiet = make_user("Gone"), make_user("Quiet")
    services.drive(by=gone)
    services.drive(by=quiet)
    closing.close(person=gone)
    Switch.objects.create(person=quiet, kind="open stage result", channel="mail", on=False)
    make_user("Looks on")
    open_and_close()
    assert not letters(), "the week is not over"

    at(OVER)
    open_and_close()
    open_and_close()
    told = letters()
    assert set(told) == {"Ana", "Bo", "Cem"}
    assert not Notice.objects.filter(kind__in=["stage result", "rally result"]).exists(), "one notice says it all"
    for line in results_of(week.rally).stage_lines(1):
        words = told.get(line.entry.driver.name)
        if words is None:
            continue
        assert words.link.endswith("/open-stage/2026-W47/") and words.action == "To the table"
        assert "2026-W47" in words.subject and "/open-stage/\n" in f"{words.text}\n"
        assert ("You are retired" in words.text) == bool(line.remarks.retired)
        if line.place is None:
            assert "You have no place; 5 cars took part" in words.text
        elif line.place == 1:
            assert f"place 1 of 5 with {line.total_in_words}" in words.text
        else:
            assert f"You are {line.place} of 5: {line.total_in_words}" in words.text
            assert f"Gap to the winner: {line.gap}." in words.text
    assert "retired" in told["Cem"].text


def test_a_car_that_cannot_be_retired_keeps_nobody_waiting_and_is_tried_again(at):
    week = opened()
    ana, bo = make_user("Ana"), make_user("Bo")
    finished, failing = on_the_stage(ana), on_the_stage(bo)
    go_on(finished, ana)
    accept = refuse(Run, failing.pk)
    at(OVER)
    open_and_close()
    week.rally.refresh_from_db()
    assert week.rally.status == Rally.Status.FINISHED
    assert set(letters()) == {"Ana"} and "place 1 of 2" in letters()["Ana"].text
    failure = Failure.objects.get(kind="late run")
    assert (failure.unit, failure.again_at) == (str(failing.pk), clock.now() + FIRST_WAIT)
    assert Client().get(finished.get_absolute_url()).status_code == 200, "everything about the stage is public"
    with pytest.raises(Stale):
        go_on(failing, bo, posts=1)
    act_on_deadlines(now=clock.now())
    open_and_close()
    assert Failure.objects.get(kind="late run").times == 1, "it is put off"
    assert Closings().due(clock.now()) == [week.pk]

    accept()
    at(clock.now() + FIRST_WAIT)
    open_and_close()
    failing.refresh_from_db()
    assert failing.status == Run.Status.FINISHED
    assert not Failure.objects.filter(kind="late run").exists()
    assert [line.entry.driver.name for line in results_of(week.rally).stage_lines(1)] == ["Ana", "Bo"]
    assert set(letters()) == {"Ana", "Bo"} and "retired" in letters()["Bo"].text
    assert not Closings().due(clock.now())


def test_the_notice_names_no_next_stage_when_the_service_opens_no_more(at, settings):
    opened()
    services.drive(by=make_user("Ana"))
    settings.OPEN_STAGE = False
    at(OVER)
    open_and_close()
    assert "waits for you" not in letters()["Ana"].text


@pytest.mark.django_db(transaction=True)
def test_of_two_sweeps_at_once_one_closes_the_week_and_sends_notices(at):
    opened()
    for name in ("Ana", "Bo"):
        services.drive(by=make_user(name))
    at(OVER)
    assert sum(at_once(*[close_due] * 2)) == 1
    assert set(letters()) == {"Ana", "Bo"}
    assert Rally.objects.get().status == Rally.Status.FINISHED


def test_notifying_many_takes_as_many_queries_as_notifying_few(at):
    asked = []
    for moment, drivers in ((OVER, 2), ("2026-11-30T00:01", 6)):
        week = services.open_due(now=clock.now())
        for _driver in range(drivers):
            services.drive(by=make_user())
        at(moment)
        assert close_due() == 1
        told = Notice.objects.filter(kind="open stage result")
        assert told.count() == drivers
        told.delete()
        with CaptureQueriesContext(connection) as queries:
            notify_places(Week.objects.select_related("rally").get(pk=week.pk))
        assert told.count() == drivers
        told.delete()
        asked.append(len(queries))
    assert asked[0] == asked[1]


@pytest.mark.slow
def test_the_result_waits_on_my_turns_until_it_is_seen(at):
    week = opened()
    ana = make_user("Ana")
    come_in(ana)
    browser, table = signed_in(ana), f'href="{week.get_absolute_url()}"'
    assert "It is over: your result" not in browser.get("/turns/").text
    at(OVER)
    open_and_close()
    shown = browser.get("/turns/").text
    assert "Place 1 of 1" in shown and table in shown and "/podium/" not in shown
    answer = browser.post(f"/rallies/{week.rally.key}/seen/", {"to": "podium"})
    assert answer["Location"] == week.get_absolute_url()
    assert browser.get(answer["Location"]).status_code == 200
    shown = browser.get("/turns/").text
    assert "Place 1 of 1" not in shown and table in shown and "/podium/" not in shown, "it stays in reach"


def test_where_no_stage_is_open_pages_say_when_the_next_one_opens(at, settings, django_assert_num_queries):
    at("2026-11-22T12:00")  # a Sunday: too late for this week
    open_and_close()
    assert not Week.objects.exists()
    for browser, address, when in (
        (Client(), "/", "23 November 2026, 00:00 (UTC)"),
        (Client(), "/open-stage/", "23 November 2026, 00:00 (UTC)"),
        (signed_in(make_user(time_zone="America/New_York")), "/turns/", "22 November 2026, 19:00 (America/New_York)"),
        (signed_in(make_user(time_zone="Asia/Tokyo")), "/open-stage/", "23 November 2026, 09:00 (Asia/Tokyo)"),
    ):
        page = browser.get(address).text
        assert f"The next one opens on {when}." in page, address
        assert 'href="/practice/"' in page.partition("<main")[2].partition("The next one opens")[2], address
    with django_assert_num_queries(1):
        Client().get("/open-stage/")
    answer = signed_in(make_user()).post("/open-stage/drive/")
    assert answer.status_code == 422 and "The next one opens on 23 November 2026" in answer.text

    at("2026-11-25T12:00")
    for address in ("/", "/open-stage/"):
        page = Client().get(address).text
        assert "opens within minutes" in page and "The next one" not in page, "the next sweep opens it"
    settings.OPEN_STAGE = False
    assert "open stage of the week" not in Client().get("/").text
    page = Client().get("/open-stage/").text
    assert "No stage is open now." in page and "opens within" not in page and "The next one" not in page
    settings.OPEN_STAGE = True
    open_and_close()
    for address in ("/", "/open-stage/"):
        assert "No stage is open now" not in Client().get(address).text
