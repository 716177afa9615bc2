"""Pace, pauses, holidays and missed deadlines on a narrow phone: no page is wider than the phone, axe finds no
fault.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from championship.clubs.models import Holiday
from championship.platform import clock
from championship.rallies.models import Rally
from championship.runs.models import Seat, Turn
from championship.runs.play import act_on_deadlines
from tests.browser import axe
from tests.browser.test_first_turn import sign_in
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import on_the_road

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

NARROW = {"width": 320, "height": 700}
SHOTS = os.environ.get("SHOTS")
"""A folder for pictures of the pages. No pictures are taken when it is empty."""

Look = Callable[[Page, str], None]


@pytest.fixture
def check_page() -> Look:
    """Return a function that checks the page, and takes a picture if asked."""

    def at(page: Page, name: str) -> None:
        if SHOTS:
            page.screenshot(path=str(Path(SHOTS) / f"{name}.png"), full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{name} is {wide} pixels wider than the window"
        faults = [fault for fault in axe.violations(page) if fault["impact"] in axe.GRAVE]
        found = [f"{fault['id']}: {fault['nodes'][0]['html'][:160]}" for fault in faults]
        assert not found, f"{name}: {found}"

    return at


def window(browser: Browser, url: str, person) -> Page:
    context = browser.new_context(
        base_url=url, locale="en-GB", timezone_id="UTC", viewport=NARROW, java_script_enabled=True
    )
    sign_in(context, person, url)
    return context.new_page()


def test_an_organiser_sets_the_pace_pauses_the_rally_and_sees_who_missed_a_deadline(
    browser: Browser, live_server, check_page: Look
) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo", timekeeping={"after_miss": "stage", "miss_penalty": 30})
    rally = ana.rally
    page = window(browser, live_server.url, organiser_of(rally))

    page.goto(f"/rallies/{rally.key}/desk/time/")
    check_page(page, "timekeeping")
    page.get_by_label("Quiet hours from").fill("22:00")
    page.get_by_label("Retirement after how many missed deadlines").fill("1")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("A car cannot be retired at the first missed deadline")).to_be_visible()
    check_page(page, "timekeeping-refused")
    page.get_by_label("Retirement after how many missed deadlines").fill("3")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Set when quiet hours begin and when they end")).to_be_visible()
    page.get_by_label("Quiet hours to").fill("07:00")
    page.get_by_label("Saturday and Sunday do not count").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("also to open deadlines")).to_be_visible()
    rally = Rally.objects.get(pk=rally.pk)
    assert (rally.quiet, rally.weekends_count, rally.retire_after) == ((22 * 60, 7 * 60), False, 3)

    page.goto(f"/rallies/{rally.key}/desk/")
    page.get_by_text("Pause the rally").click()
    page.get_by_label("Reason", exact=True).fill("The timing hut has burnt down")
    check_page(page, "desk-pause")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("No time counts until it continues.")).to_be_visible()
    check_page(page, "desk-paused")
    page.goto(run.get_absolute_url())
    check_page(page, "run-paused")
    page.goto(f"/rallies/{rally.key}/desk/")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("It continues; the time of the pause")).to_be_visible()
    assert Rally.objects.get(pk=rally.pk).paused_at is None

    miss(run)
    page.goto(f"/rallies/{rally.key}/misses/")
    check_page(page, "misses")
    expect(page.get_by_role("row").filter(has_text="with a penalty")).to_have_count(1)
    page.goto(f"/rallies/{rally.key}/")
    check_page(page, "rally-rules")


def miss(run) -> None:
    now = clock.now()
    turn = Turn.objects.get(run=run, ended_at=None)
    Turn.objects.filter(pk=turn.pk).update(
        since=now - timedelta(days=9), counted_from=now - timedelta(days=9), deadline=now, left_seconds=60
    )
    turn.refresh_from_db()
    assert act_on_deadlines(now=now + timedelta(seconds=1)) == 1


def test_a_driver_takes_the_wheel_back_and_a_holiday(browser: Browser, live_server, check_page: Look, at) -> None:
    noon = at("2026-11-19T12:00")  # the day must not end between the start and the end of the holiday
    run, (ana, _bo) = on_the_road("Ana", "Bo", timekeeping={"after_miss": "stage"})
    miss(run)
    page = window(browser, live_server.url, ana.driver)

    page.goto("/turns/")
    check_page(page, "my-turns-missed")
    page.goto(run.get_absolute_url())
    check_page(page, "run-missed")
    page.get_by_role("button", name="Take the wheel back").click()
    expect(page.get_by_text("You have the wheel again.")).to_be_visible()
    assert Seat.objects.get(run=run, entry=ana).codriver_since is None

    today = noon.date()
    page.goto("/clubs/rallyeclub-wiking/holidays/")
    page.get_by_label("First day").fill(str(today))
    page.get_by_label("Last day").fill(str(today + timedelta(days=90)))
    page.get_by_role("button", name="Take it").click()
    expect(page.get_by_text("choose an earlier last day")).to_be_visible()
    check_page(page, "holidays-refused")
    page.get_by_label("Last day").fill(str(today + timedelta(days=2)))
    page.get_by_role("button", name="Take it").click()
    expect(page.get_by_text("Your holiday is saved.")).to_be_visible()
    check_page(page, "holidays")
    page.goto("/holidays/")
    check_page(page, "my-holidays")
    page.goto("/clubs/rallyeclub-wiking/holidays/")
    page.get_by_role("button", name="End it now").click()
    expect(page.get_by_text("You can take the rest of the holiday again")).to_be_visible()
    assert Holiday.objects.get().last_day == today
