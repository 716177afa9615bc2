"""Plans that are driven while their driver is away, and turns with standing orders, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from championship.runs.models import Event, Post, SentAhead
from tests.browser.desk import serious_faults
from tests.browser.passing import later, ticking
from tests.browser.test_first_turn import sign_in
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_a_plan_sent_ahead_is_driven_when_its_turn_comes(
    browser_window: BrowserContext, page: Page, live_server
) -> None:
    """Bo plans while it is Ana's turn, sends the plan and closes the page. Ana plays. Bo's page shows the
    driven plan.
    """
    run, (ana, bo) = on_the_road("Ana", "Bo")
    sign_in(browser_window, bo.driver, live_server.url)
    ticking(page).goto(run.get_absolute_url())
    page.get_by_text("Lay your next plan now").click()
    page.get_by_role("button", name="Gear 1").first.click()
    expect(page.locator("#ahead .plan li")).to_have_count(1)
    page.locator("svg a.target").first.click()  # spaces can be chosen on the map already
    page.locator(".fan").get_by_role("button", name="Gear 2").click()
    expect(page.locator("#ahead .plan li")).to_have_count(2)
    page.get_by_label("Stop at").select_option("1")
    page.get_by_role("button", name="Keep these orders").click()
    expect(page.locator("#standing summary")).to_contain_text("stop at 1 warning")
    assert serious_faults(page) == []
    page.get_by_role("button", name="Send ahead").click()
    expect(page.get_by_text("driven as soon as your turn comes, unless")).to_be_visible()
    expect(page.get_by_text("one by one, stop at 1 warning").first).to_be_visible()
    expect(page).to_have_url(f"{live_server.url}{run.get_absolute_url()}")

    while SentAhead.objects.get().state == SentAhead.State.WAITING:
        assert open_turn(run).seat.entry == ana
        play(run, ana, **careful_turn(run))
    assert Post.objects.get(turn__seat__entry=bo).orders["stop_at"] == 1
    later(page)
    expect(page.get_by_text("It was driven when your turn came.")).to_be_visible()


def test_a_plan_is_sent_and_withdrawn_with_script_off(browser: Browser, live_server) -> None:
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    window = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    sign_in(window, bo.driver, live_server.url)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.get_by_text("Lay your next plan now").click()
    page.get_by_role("button", name="Gear 1").first.click()
    page.get_by_role("radio", name="Flat out").check()
    page.get_by_role("button", name="Send ahead").click()
    expect(page.get_by_text("driven as soon as your turn comes, unless")).to_be_visible()
    assert SentAhead.objects.get().orders == {"roll": "flat out", "as_laid": True}
    page.get_by_role("button", name="Withdraw it").click()
    expect(page.get_by_role("heading", name="Your plan")).to_be_visible()
    window.close()
    assert SentAhead.objects.get().state == SentAhead.State.WITHDRAWN


def test_a_whole_turn_under_standing_orders_is_one_press(
    browser_window: BrowserContext, page: Page, live_server
) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    sign_in(browser_window, ana.driver, live_server.url)
    page.goto(run.get_absolute_url())
    for gear in ("Gear 1", "Gear 2"):
        page.get_by_role("button", name=gear).first.click()
        expect(page.locator(".card .plan li")).to_have_count(int(gear[-1]))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method) if "/runs/" in request.url else None)
    page.get_by_text("Roll the whole turn in one go").click()
    page.get_by_label("Stop at").select_option("2")
    page.get_by_role("button", name="Roll the turn like this").click()
    expect(page.get_by_text("The time card costs").first).to_be_visible()
    assert asked.count("POST") == 1
    assert Event.objects.filter(run=run, kind="roll").count() == 2
    assert Post.objects.filter(run=run).count() == 1


def test_retiring_takes_two_steps(browser_window: BrowserContext, page: Page, live_server) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    sign_in(browser_window, ana.driver, live_server.url)
    page.goto(run.get_absolute_url())
    page.get_by_text("Retire from the stage").click()
    assert serious_faults(page) == []
    page.get_by_role("button", name="Retire", exact=True).click()
    assert not Event.objects.filter(kind="retire").exists()
    page.get_by_label("I give this stage up").check()
    page.get_by_role("button", name="Retire", exact=True).click()
    expect(page.get_by_text("is to play.")).to_be_visible()
    run.refresh_from_db()
    assert run.state["drivers"][str(ana.start_number)]["retired"]
