"""The organiser at the board of runs, on a phone and on a desktop: more time for one driver, a replacement for
another.
"""

from __future__ import annotations

from datetime import timedelta

import pytest
from playwright.sync_api import Browser, expect

from championship.rallies.models import Entry
from championship.runs.models import Turn
from tests.browser.desk import DESK, PHONE, serious_faults
from tests.browser.test_first_turn import sign_in
from tests.championship.rallies.factories import organiser_of, started
from tests.factories import make_member

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_from_the_board_a_driver_gets_more_time_and_another_is_replaced(browser: Browser, live_server, size) -> None:
    rally, (ana, bo) = started("Ana", "Bo", mode="open road")
    make_member(rally.club, name="Eva")
    late = Turn.objects.get(seat__entry=ana)
    Turn.objects.filter(pk=late.pk).update(since=late.since - timedelta(hours=30))
    window = browser.new_context(base_url=live_server.url, locale="en-GB", timezone_id="UTC", viewport=size)
    sign_in(window, organiser_of(rally), live_server.url)
    page = window.new_page()

    page.goto(f"/rallies/{rally.key}/desk/")
    page.get_by_role("link", name="All runs: whose turn it is").click()
    assert serious_faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    page.get_by_role("button", name="Remind Ana").click()
    expect(page.get_by_text("Ana is reminded.")).to_be_visible()
    expect(page.get_by_role("button", name="Remind Ana")).to_have_count(0)

    page.get_by_role("link", name="More time Ana").click()
    page.get_by_label("Hours more").fill("12")
    page.get_by_label("Reason").fill("The ferry is late")
    page.get_by_role("button", name="Give more time").click()
    expect(page.get_by_text("has more time and is notified")).to_be_visible()
    expect(
        page.locator(".boardrun", has_text="Ana").get_by_text("The organisers have given more time.")
    ).to_be_visible()
    assert Turn.objects.get(pk=late.pk).deadline == late.deadline + timedelta(hours=12)

    page.get_by_role("link", name="Another driver Bo").click()
    page.get_by_label("Who drives from now on").select_option(label="Eva")
    page.get_by_label("Reason").fill("Bo is ill")
    page.get_by_role("button", name="Hand the car over").click()
    expect(page.get_by_text("from stage 1 driven by Eva")).to_be_visible()
    assert Entry.objects.get(pk=bo.pk).driver.name == "Eva"
    window.close()
