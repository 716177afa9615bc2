"""The desk of a rally of sixty on a phone: short, and several entries are handled with one press."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from championship.rallies.models import Entry
from tests.browser.desk import serious_faults
from tests.browser.test_first_turn import sign_in
from tests.championship.rallies.factories import make_rally, organiser_of
from tests.factories import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PHONE = {"width": 390, "height": 844}
SCREENS = 4.2


def test_sixty_entries_fit_into_few_screens_and_two_are_confirmed_together(browser: Browser, live_server) -> None:
    rally = make_rally()
    Entry.objects.bulk_create(
        Entry(rally=rally, driver=make_user(f"Driver {number:02}"), crew=f"Driver {number:02}") for number in range(60)
    )
    window = browser.new_context(base_url=live_server.url, locale="en-GB", timezone_id="UTC", viewport=PHONE)
    sign_in(window, organiser_of(rally), live_server.url)
    page = window.new_page()
    page.goto(f"/rallies/{rally.key}/desk/")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate("document.documentElement.scrollHeight") <= SCREENS * PHONE["height"]
    assert serious_faults(page) == []

    page.get_by_role("checkbox", name="Choose Driver 03").check()
    page.get_by_role("checkbox", name="Choose Driver 05").check()
    page.get_by_role("group").or_(page.get_by_role("form", name="For the chosen entries")).get_by_role(
        "button", name="Confirm"
    ).click()
    expect(page.get_by_text("Done for 2 entries.")).to_be_visible()
    confirmed = Entry.objects.filter(rally=rally, status="confirmed").values_list("crew", flat=True)
    assert set(confirmed) == {"Driver 03", "Driver 05"}
    window.close()
