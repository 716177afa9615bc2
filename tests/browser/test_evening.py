"""An evening in a browser: the seconds of a driver's own turn, whose turn it is, the page and the board."""

from __future__ import annotations

import os
import re
from datetime import timedelta

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from championship.evenings.stop.services import set_stop
from championship.platform import clock
from championship.rallies.clock.evening_pace import EveningPace
from championship.runs.watch import present_runs
from tests.browser.desk import window_of
from tests.browser.test_first_turn import sign_in
from tests.championship.rallies.factories import hand_in, organiser_of
from tests.championship.runs.evening import in_an_evening
from tests.championship.runs.factories import careful_turn, driven_to_the_end, open_turn, play

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PICTURES = os.environ.get("PICTURES")
"""A folder for pictures of the pages, for people; none are taken without it."""
PHONE = {"width": 390, "height": 844}
SMALL = {"width": 320, "height": 640}
PROJECTOR = {"width": 1280, "height": 720}
READABLE = 0.1
"""The height of a clock on the board by that of the picture: 12 cm of a picture of 120 cm, seen from five metres."""
SECONDS = 120
STREAMS = """window.followed = [], window.left = [];
window.EventSource = function (address) {
    window.followed.push(address);
    this.close = () => window.left.push(address);
};"""
NEXT_FRAME = "() => new Promise(done => requestAnimationFrame(() => setTimeout(() => done(window.followed))))"
"""The streams that a page has opened, after what its script does with an answer."""


def at_sign(page: Page) -> int:
    """The seconds on the clock of the reader's own turn."""
    minutes, seconds = page.locator("#panel .deadline .countdown").inner_text().split(":")
    return 60 * int(minutes) + int(seconds)


def test_the_page_of_an_own_run_counts_the_seconds_down(browser: Browser, live_server) -> None:
    run, _entries = in_an_evening("Ana", "Bo", pace=EveningPace(turn=SECONDS))
    turn = open_turn(run)
    window = window_of(browser, live_server.url, turn.seat.entry, viewport=PHONE, has_touch=True)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    expect(page.locator("#talk form")).to_be_visible()  # it comes in a second answer, whose title is not this page's
    expect(page).to_have_title(re.compile("Your turn"))
    expect(page.locator("#panel .deadline .countdown")).to_have_text(re.compile(r"^\d:\d\d$"))
    first = at_sign(page)
    left = (turn.deadline - clock.now()).total_seconds()
    assert left - 2 <= first <= left + 4
    expect(page.locator("#panel .deadline .countdown")).not_to_have_text(f"{first // 60}:{first % 60:02}")
    assert first - 3 <= at_sign(page) < first
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    if PICTURES:
        page.screenshot(path=f"{PICTURES}/run390.png", full_page=True)
    window.close()


def test_without_script_the_moment_is_shown(browser: Browser, live_server) -> None:
    run, _entries = in_an_evening("Ana", "Bo", pace=EveningPace(turn=SECONDS))
    turn = open_turn(run)
    window = window_of(browser, live_server.url, turn.seat.entry, viewport=PHONE, java_script_enabled=False)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    expect(page.locator("#panel .deadline")).to_contain_text(turn.deadline.strftime("%H:%M:%S"))
    expect(page.locator("#panel .deadline .countdown")).to_be_hidden()
    window.close()


def test_the_tab_says_your_turn_when_it_comes(browser_window: BrowserContext, page: Page, live_server) -> None:
    run, (ana, bo) = in_an_evening("Ana", "Bo", pace=EveningPace(turn=SECONDS))
    first = open_turn(run).seat.entry
    other = bo if first == ana else ana
    sign_in(browser_window, other.driver, live_server.url)
    page.goto(run.get_absolute_url())
    expect(page).not_to_have_title(re.compile("Your turn"))
    evening = browser_window.new_page()
    evening.goto(f"/rallies/{run.special_stage.rally.key}/evening/")
    expect(evening).not_to_have_title(re.compile("Your turn"))
    while open_turn(run).seat.entry != other:
        play(run, open_turn(run).seat.entry, **careful_turn(run))
    expect(page).to_have_title(re.compile("Your turn"))
    expect(evening).to_have_title(re.compile("Your turn"))
    while open_turn(run).seat.entry == other:
        play(run, other, **careful_turn(run))
    expect(page).not_to_have_title(re.compile("Your turn"))


def test_drivers_talk_beside_the_run(browser: Browser, live_server) -> None:
    run, (ana, bo) = in_an_evening("Ana", "Bo", pace=EveningPace(turn=600))
    windows = [window_of(browser, live_server.url, each, viewport=PHONE, has_touch=True) for each in (ana, bo)]
    here, there = (window.new_page() for window in windows)
    for page in (here, there):
        page.goto(run.get_absolute_url())
        expect(page.locator("#talk input[name=text]")).to_be_visible()
    here.locator("#talk input[name=text]").fill("Careful at the bridge")
    here.get_by_role("button", name="Say", exact=True).click()
    expect(here.locator("#talk .talk-said")).to_have_text("Careful at the bridge")
    expect(here).to_have_url(live_server.url + run.get_absolute_url())
    expect(here.locator("#talk input[name=text]")).to_have_value("")
    expect(there.locator("#talk .talk-said")).to_have_text("Careful at the bridge")
    there.locator("#talk input[name=text]").press_sequentially("And you")
    here.get_by_role("button", name="Well driven!").click()
    expect(there.locator("#talk .talk-said").first).to_have_text("Well driven!")
    there.keyboard.type(" too")
    expect(there.locator("#talk input[name=text]")).to_have_value("And you too")
    assert here.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    if PICTURES:
        there.locator("#talk").screenshot(path=f"{PICTURES}/talk390.png")
    for window in windows:
        window.close()


def test_the_page_of_a_run_that_is_over_follows_the_evening(browser: Browser, live_server) -> None:
    run, entries = in_an_evening("Ana", "Bo", pace=EveningPace(turn=600), stages=("1/3", "1/1"))
    present_runs.forget()
    assert present_runs.is_live(run.key, now=clock.now()), "a process knows this for a while after the end"
    driven_to_the_end(run, *entries)
    window = window_of(browser, live_server.url, entries[0], viewport=PHONE, has_touch=True)
    window.add_init_script(STREAMS)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    with page.expect_response(lambda answer: answer.url.partition("?")[0].endswith("/changes/")) as asked:
        page.evaluate("window.dispatchEvent(new Event('online'))")
    assert asked.value.headers["live"] == f"/runs/{run.key}/live/"
    assert page.evaluate(NEXT_FRAME) == [f"/rallies/{run.special_stage.rally.key}/evening/live/"]
    hand_in(run.special_stage.rally, 1, *entries)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(page.locator(".finish .actions a")).to_have_text("To the podium")  # codrivers have driven the second stage
    assert page.evaluate(NEXT_FRAME) == page.evaluate("window.left"), "nothing more will happen"
    present_runs.forget()
    window.close()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_page_and_the_board_fit_a_small_phone_and_a_projector(browser: Browser, live_server, colours) -> None:
    run, (ana, _bo) = in_an_evening("Ana Kowalska-Nowakowska", "Bo", pace=EveningPace(turn=600))
    rally = run.special_stage.rally
    set_stop(by=organiser_of(rally), rally=rally, at=clock.now() + timedelta(minutes=30), how="split")
    window = window_of(browser, live_server.url, ana, viewport=SMALL, color_scheme=colours)
    sign_in(window, organiser_of(rally), live_server.url)
    page = window.new_page()
    for name, address in (
        ("evening", f"/rallies/{rally.key}/evening/"),
        ("board", f"/rallies/{rally.key}/evening/board/"),
    ):
        for size in (SMALL, PROJECTOR):
            page.set_viewport_size(size)
            page.goto(address)
            expect(page.locator(".evening-clock").first).to_have_text(re.compile(r"^\d+:\d\d$"))
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (name, size)
            if PICTURES:
                page.screenshot(path=f"{PICTURES}/{name}{size['width']}{colours}.png", full_page=size == SMALL)
    high = page.locator(".evening-clock").first.evaluate("clock => parseFloat(getComputedStyle(clock).fontSize)")
    assert high >= PROJECTOR["height"] * READABLE
    window.close()
