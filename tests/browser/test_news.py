"""Pages that poll for news while they are open."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from championship.rallies import services as rally_services
from championship.runs.models import Run
from tests.browser.passing import A_MOMENT, later, ticking
from tests.browser.test_first_turn import sign_in
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


def answers_to(page: Page) -> list[tuple[str, int]]:
    """Return the list of the page's polls, as it grows: address and status."""
    heard: list[tuple[str, int]] = []

    def note(request: Request) -> None:
        response = request.response()
        if "if-none-match" in request.headers and response:
            heard.append((request.url, response.status))

    page.on("requestfinished", note)
    return heard


def test_badge_and_title_count_while_one_reads_something_else(
    browser_window: BrowserContext, page: Page, live_server
) -> None:
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    sign_in(browser_window, bo.driver, live_server.url)
    ticking(page).goto("/clubs/")
    expect(page).to_have_title("Clubs · Parc Fermé")
    heard = answers_to(page)
    while open_turn(run).seat.entry != bo:
        play(run, open_turn(run).seat.entry, **careful_turn(run))
    later(page)
    expect(page).to_have_title("(1) Clubs · Parc Fermé")
    expect(page.locator("#waiting .count")).to_have_text("1")
    expect(page.locator("#news")).to_have_text("1 turn waits for you")
    assert {status for _url, status in heard} <= {200, 304}


def opened_by_who_waits(window: BrowserContext, page: Page, address: str) -> Run:
    """Open a run as the driver who waits for another one, and mark the part that news replaces. Return the run."""
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    sign_in(window, bo.driver, address)
    ticking(page).goto(run.get_absolute_url())
    page.locator("#run").evaluate("part => { part.sameAsBefore = true }")
    return run


def test_a_page_with_nothing_new_is_left_alone(browser_window: BrowserContext, page: Page, live_server) -> None:
    opened_by_who_waits(browser_window, page, live_server.url)
    with page.expect_response(lambda answer: "/changes/" in answer.url and "/runs/" in answer.url) as asked:
        later(page)
    assert asked.value.status == 304
    assert page.locator("#run").evaluate("part => part.sameAsBefore")


def test_news_waits_for_what_is_being_seen_and_for_a_press(
    browser_window: BrowserContext, page: Page, live_server
) -> None:
    run = opened_by_who_waits(browser_window, page, live_server.url)
    page.evaluate("document.documentElement.classList.add('unseen')")  # as while dice fall
    play(run, open_turn(run).seat.entry, **careful_turn(run))
    with page.expect_response(lambda answer: "/changes/" in answer.url and "/runs/" in answer.url) as asked:
        later(page)
    assert asked.value.status == 200
    page.clock.run_for(A_MOMENT)
    assert page.locator("#run").evaluate("part => part.sameAsBefore")
    page.mouse.move(5, 5)
    page.mouse.down()
    page.evaluate("document.documentElement.classList.remove('unseen')")
    page.clock.run_for(A_MOMENT)
    assert page.locator("#run").evaluate("part => part.sameAsBefore")
    page.mouse.up()
    page.wait_for_function("() => !document.getElementById('run').sameAsBefore")


def test_the_sheet_that_is_read_stays_open_with_the_focus_in_it(
    browser_window: BrowserContext, page: Page, live_server
) -> None:
    run = opened_by_who_waits(browser_window, page, live_server.url)
    page.keyboard.press("i")
    expect(page.locator("#sheet")).to_be_focused()
    play(run, open_turn(run).seat.entry, **careful_turn(run))
    later(page)
    page.wait_for_function("() => !document.getElementById('run').sameAsBefore")
    expect(page.locator("#sheet")).to_be_focused()
    expect(page.locator("#sheet .carcard")).to_be_visible()


def test_new_stage_times_appear_without_moving_the_page(page: Page) -> None:
    rally = make_rally(stages=("4/1",), mode="open road")
    ana, _bo = enter(rally, "Ana", "Bo")
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    ticking(page).goto(f"{rally.get_absolute_url()}stages/1/")
    page.get_by_role("link", name="Rally sheet").focus()
    rally_services.record_stage_time(
        special_stage=rally.stages.get(), entry=ana, measure=200, retired=False, detail={"cards_seconds": 200}, car={}
    )
    later(page)
    expect(page.get_by_text("Results so far")).to_be_visible()
    expect(page.get_by_role("link", name="Rally sheet")).to_be_focused()


def test_typed_values_survive_an_update_of_the_desk(browser_window: BrowserContext, page: Page, live_server) -> None:
    rally = make_rally()
    enter(rally, "Ana")
    sign_in(browser_window, organiser_of(rally), live_server.url)
    ticking(page).goto(f"{rally.get_absolute_url()}desk/")
    page.locator(".roll summary", has_text="More").click()
    number = page.get_by_label("Start number of Ana")
    number.fill("77")
    enter(rally, "Bo")
    with page.expect_response(lambda answer: answer.url.endswith("/desk/")) as told:
        later(page)
    assert told.value.status == 200, "there is something new, and it waits"
    expect(number).to_have_value("77")
    expect(page.get_by_text("Bo", exact=True)).to_have_count(0)
    number.fill("1")  # the value before
    number.blur()
    later(page)
    expect(page.get_by_text("Bo", exact=True).first).to_be_visible()
