"""Another transaction locks a run, in a real browser: the page stays, shows a message, and sends the post again."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from championship.platform import database_timeouts
from tests.browser.test_first_turn import sign_in
from tests.championship.platform.test_database_timeouts import held
from tests.championship.runs.factories import on_the_road

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def patient_for_a_moment(settings, monkeypatch) -> None:
    settings.DATABASE_WAITS = {**settings.DATABASE_WAITS, "web": {"lock": 0.2, "statement": 20, "idle": 20}}
    monkeypatch.setattr(database_timeouts, "process", database_timeouts.WEB)


@pytest.mark.usefixtures("patient_for_a_moment")
def test_a_step_that_waits_too_long_says_so_and_is_sent_again(
    browser_window: BrowserContext, page: Page, live_server
) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    page.set_viewport_size({"width": 390, "height": 780})
    sign_in(browser_window, ana.driver, live_server.url)
    page.goto(run.get_absolute_url())
    with held("runs_run", run.pk):
        page.get_by_role("button", name="Gear 1").first.click()
        expect(page.locator("#lost")).to_be_visible()
        expect(page.locator("#busy")).to_be_hidden()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".card .plan li")).to_have_count(1)
    expect(page.locator("#lost")).to_be_hidden()


@pytest.mark.usefixtures("patient_for_a_moment")
def test_without_script_it_is_a_page_with_the_way_back(browser_window: BrowserContext, page: Page, live_server) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    page.set_viewport_size({"width": 390, "height": 780})
    sign_in(browser_window, ana.driver, live_server.url)
    page.goto(run.get_absolute_url())
    with held("runs_run", run.pk):
        page.get_by_role("button", name="Gear 1").first.evaluate(
            "button => HTMLFormElement.prototype.submit.call(button.form)"
        )
        expect(page.get_by_role("heading", name="A queue at the control")).to_be_visible()


def test_a_wait_is_shown_and_a_second_tap_does_not_send_the_turn_again(
    browser_window: BrowserContext, page: Page, live_server
) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    page.set_viewport_size({"width": 390, "height": 780})
    sign_in(browser_window, ana.driver, live_server.url)
    page.goto(f"{run.get_absolute_url()}?plan=1:1.2.l")
    page.wait_for_load_state("load")
    posts: list[str] = []
    page.on("request", lambda asked: posts.append(asked.url) if asked.method == "POST" else None)
    button = page.get_by_role("button", name="One by one")
    with held("runs_run", run.pk):
        button.click()
        expect(page.locator("#sending")).to_be_visible(timeout=1500)
        button.click()
        button.click(force=True)
    expect(page.locator("#sending")).to_be_hidden()
    expect(page.get_by_text("This was received already")).to_have_count(0)
    assert len(posts) == 1
    run.refresh_from_db()
    assert run.version >= 1
