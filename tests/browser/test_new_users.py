"""Scripts for new users: the browser's time zone in the form, an invitation link copied by a button."""

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.test_first_turn import sign_in
from tests.factories import make_club, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_form_of_a_new_account_has_the_zone_of_the_browser(browser: Browser, live_server) -> None:
    page = browser.new_context(base_url=live_server.url, locale="en-GB", timezone_id="Asia/Tokyo").new_page()
    page.goto("/account/signup/")
    expect(page.locator("select[name=time_zone]")).to_have_value("Asia/Tokyo")


def test_the_link_of_an_invitation_is_copied_by_a_press(browser_window: BrowserContext, live_server) -> None:
    olga = make_user("Olga")
    club = make_club(owner=olga)
    browser_window.grant_permissions(["clipboard-read", "clipboard-write"])
    sign_in(browser_window, olga, live_server.url)
    page = browser_window.new_page()
    page.goto(f"/clubs/{club.slug}/invitations/")
    page.get_by_role("button", name="Make a link").click()
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#link").input_value()
