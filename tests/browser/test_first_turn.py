"""A driver's first turn in a real browser: with clicks, and without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from championship.accounts.models import User
from championship.runs.models import Event, Run
from tests.browser.passing import later, ticking
from tests.championship.runs.factories import on_the_road
from tests.factories import signed_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def sign_in(window: BrowserContext, user: User, url: str) -> None:
    """Give the window a session in which the user is signed in."""
    cookie = signed_in(user).cookies["sessionid"]
    window.add_cookies([{"name": "sessionid", "value": cookie.value, "url": url}])


def test_the_first_turn_by_clicking(browser_window: BrowserContext, page: Page, live_server) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    sign_in(browser_window, first.driver, live_server.url)
    page.goto("/")
    page.get_by_role("link", name="Stage 1").first.click()
    expect(page.get_by_role("heading", name="Your plan")).to_be_visible()
    page.wait_for_load_state("load")  # the scripts for the map run only after this

    page.evaluate("window.sameDocument = true")
    page.locator("svg a.target").first.click()  # a space on the map: gear 1, or a flying start in gear 2
    fan = page.get_by_role("group", name="To 1.2 left with")
    expect(fan.get_by_role("button")).to_have_count(2)
    fan.get_by_role("button", name="Gear 1").click()
    assert page.evaluate("window.sameDocument"), "the map was followed without leaving the page"
    expect(page.locator(".plan li")).to_have_count(1)
    page.get_by_role("button", name="Gear 2").first.click()
    expect(page.locator(".plan li")).to_have_count(2)
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".plan li")).to_have_count(1)
    page.get_by_role("button", name="Coast").or_(page.get_by_role("button", name="Leader")).first.click()
    expect(page.locator(".plan li")).to_have_count(2)
    page.get_by_role("button", name="One by one").click()  # rolls the first die
    expect(page.get_by_role("button", name="Stop here")).to_be_visible()
    expect(page.locator("html.unseen")).to_have_count(0)  # a tap on what is not shown yet chooses nothing
    page.get_by_role("button", name="Stop here").click()
    expect(page.get_by_text("The time card costs").first).to_be_visible()
    expect(page.get_by_role("heading", name="Your plan")).to_be_visible()  # O2: the same driver begins round 2

    told = Event.objects.filter(run=run).values_list("kind", flat=True)
    assert list(told)[:4] == ["turn", "roll", "move", "card"]
    run.refresh_from_db()
    assert run.state["drivers"][str(first.start_number)]["gear"] == 1


TAP_AT_ONCE = """() => {
    window.sameDocument = true;
    const watch = new MutationObserver(() => {
        const laid = document.querySelectorAll(".plan li").length;
        const next = document.querySelector("#moves button");
        if (laid !== 1 || !next) return;
        watch.disconnect();
        next.click();
    });
    watch.observe(document.body, { childList: true, subtree: true });
}"""


def test_a_button_tapped_the_moment_it_appears_keeps_the_page(
    browser_window: BrowserContext, page: Page, live_server
) -> None:
    run, (first, _second) = on_the_road("Ana", "Bo")
    sign_in(browser_window, first.driver, live_server.url)
    page.goto(run.get_absolute_url())
    page.evaluate(TAP_AT_ONCE)
    page.locator("#moves button").first.click()
    expect(page.locator(".plan li")).to_have_count(2)
    assert page.evaluate("window.sameDocument"), "the answer's forms were ready as soon as they stood there"


def test_a_turn_with_script_off(browser: Browser, live_server) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    window = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    sign_in(window, first.driver, live_server.url)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.get_by_role("button", name="Gear 1").first.click()
    page.get_by_role("button", name="Flat out").click()
    expect(page.get_by_text("All dice at once").first).to_be_visible()
    window.close()
    assert Run.objects.get(pk=run.pk).state["drivers"][str(first.start_number)]["tokens"] == 1


@pytest.mark.slow
def test_what_others_do_appears_without_reloading(
    browser: Browser, browser_window: BrowserContext, page: Page, live_server
) -> None:
    run, (first, second) = on_the_road("Ana", "Bo")
    sign_in(browser_window, second.driver, live_server.url)
    ticking(page).goto(run.get_absolute_url())
    expect(page.get_by_text(f"{first.crew} is to play.")).to_be_visible()
    window = browser.new_context(base_url=live_server.url)
    sign_in(window, first.driver, live_server.url)
    other = window.new_page()
    other.goto(run.get_absolute_url() + "?plan=1:1.2.l")
    other.get_by_role("button", name="Flat out").click()
    expect(other.get_by_text("All dice at once").first).to_be_visible()
    later(page)
    expect(page.get_by_text("All dice at once").first).to_be_visible()
    other.goto(run.get_absolute_url() + "?plan=2:1.3.l")
    other.get_by_role("button", name="Flat out").click()
    expect(other.get_by_text(f"{second.crew} is to play.")).to_be_visible()
    later(page)
    expect(page.locator("#waiting .count")).to_have_text("1")  # this driver has the turn now
    window.close()
