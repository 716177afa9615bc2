"""A spectator without an account, on a phone: who leads a rally of sixty cars, by how much, and what happened last."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from championship.clubs.models import Club
from championship.runs.models import Run
from tests.browser.desk import serious_faults
from tests.championship.rallies.factories import drive, started
from tests.championship.runs.factories import careful_turn, play, starters

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PHONE = {"width": 390, "height": 844}
SCREENS = 4


def test_two_taps_lead_from_the_first_page_to_who_leads_a_rally_of_sixty(browser: Browser, live_server) -> None:
    rally, entries = started(*[f"Crew {n}" for n in range(1, 61)], options={"checkpoints": False})
    drive(rally, 1, {entry: 200 + 3 * n for n, entry in enumerate(entries)})
    Club.objects.filter(pk=rally.club_id).update(visibility="public")
    run = Run.objects.filter(special_stage__rally=rally, special_stage__number=2).order_by("number")[0]
    first = starters(run)[0]
    play(run, first, **careful_turn(run))
    window = browser.new_context(base_url=live_server.url, viewport=PHONE, has_touch=True, locale="en-GB")
    page = window.new_page()
    page.goto("/")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Clubs").tap()
    page.get_by_role("link", name=rally.name).tap()
    leads = page.get_by_text("Crew 1 leads by 0:03.")
    expect(leads).to_be_in_viewport()
    expect(page.locator("#tables-now + ul li").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight") <= SCREENS * PHONE["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    expect(page.get_by_role("row", name="Crew 60")).to_have_count(0)
    page.locator("#fold-overall summary").tap()
    expect(page.get_by_role("row", name="Crew 60")).to_be_visible()
    assert serious_faults(page) == []
    window.close()
