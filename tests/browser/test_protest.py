"""A protest in the browser, from filing to decision: with scripts on a phone, without scripts on a desktop."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from championship.clubs.models import Role
from tests.browser.desk import DESK, PHONE
from tests.browser.test_first_turn import sign_in
from tests.championship.rallies.factories import drive, started
from tests.factories import make_member

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

LOOKS = [
    pytest.param({"viewport": PHONE}, id="phone"),
    pytest.param({"viewport": DESK, "java_script_enabled": False}, id="no script"),
]


@pytest.mark.parametrize("look", LOOKS)
def test_a_protest_from_filing_to_decision(browser: Browser, live_server, look) -> None:
    rally, (ana, bo) = started("Ana", "Bo", stages=("1/3",))
    drive(rally, 1, {ana: 200, bo: 210})
    sten = make_member(rally.club, name="Sten", roles=[Role.STEWARD])
    pages = {}
    for person in (bo.driver, sten, ana.driver):
        window = browser.new_context(base_url=live_server.url, locale="en-GB", timezone_id="UTC", **look)
        sign_in(window, person, live_server.url)
        pages[person] = window.new_page()
    driver, steward, accused = pages[bo.driver], pages[sten], pages[ana.driver]

    driver.goto(f"/rallies/{rally.key}/")
    driver.get_by_role("link", name="Stewards").click()
    driver.get_by_role("link", name="File a protest").click()
    driver.get_by_label("Against").select_option(label=str(ana))
    driver.get_by_label("What happened").fill("  ")
    driver.locator("form[method=post].form").evaluate("form => { form.noValidate = true }")
    driver.get_by_role("button", name="File the protest").click()
    expect(driver.get_by_label("Against")).to_have_value(str(ana.pk))  # refused, with the choice kept
    driver.get_by_label("What happened").fill("She set off before the light was green.")
    driver.get_by_role("button", name="File the protest").click()
    expect(driver.get_by_text("The protest is filed.")).to_be_visible()
    expect(driver.get_by_role("button", name="Announce the decision")).to_have_count(0)

    steward.goto(f"/rallies/{rally.key}/stewards/")
    steward.get_by_role("link", name="Bo against Ana").click()
    steward.get_by_label("Penalty", exact=False).first.check()
    steward.get_by_label("Reasons").fill("The timing beam says so too.")
    steward.get_by_role("button", name="Announce the decision").click()
    expect(steward.get_by_label("Reasons")).to_have_value("The timing beam says so too.")  # the seconds are missing
    steward.get_by_label("Seconds").fill("30")
    steward.get_by_role("button", name="Announce the decision").click()
    expect(steward.get_by_text("The decision is announced and in force.")).to_be_visible()

    accused.goto(f"/rallies/{rally.key}/podium/")
    first = accused.locator("main ol li, main .podium li").first
    expect(first).to_contain_text("Bo")
    accused.get_by_role("link", name="Stewards").first.click()
    expect(accused.get_by_text("The timing beam says so too.").first).to_be_visible()
    expect(accused.get_by_role("link", name="Appeal")).to_be_visible()
    for page in pages.values():
        page.context.close()
