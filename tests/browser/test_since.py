"""A driver comes back to a stage: what the others did meanwhile plays on the map, once, until a tap ends it."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from championship.runs.models import Run
from tests.browser.desk import PHONE, window_of
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PLAYS = ".film-bar"
CHOICES = "#run svg a.target"
Motion = Literal["reduce", "no-preference"]
DRAWN = """() => { const uses = [...document.querySelectorAll("#run .overlay .car use")];
    return uses.length > 0 && uses.every(use => document.querySelector(use.getAttribute("href"))); }"""
AFTER_THE_SCRIPTS = "() => new Promise(done => setTimeout(() => requestAnimationFrame(done)))"


def away_for_some_turns(browser: Browser, address: str, motion: Motion) -> tuple[BrowserContext, Page, Run]:
    """Return the window of a driver who has looked at a run, left, and is to play after the turns of another one."""
    run, entries = on_the_road("Ana", "Bo")
    first = open_turn(run).seat.entry
    me = next(entry for entry in entries if entry != first)
    window = window_of(browser, address, me, viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion=motion)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    expect(page.locator("#run svg .car")).to_have_count(2)
    page.goto("/turns/")
    while open_turn(run).seat.entry == first:
        play(run, first, **careful_turn(run))
    return window, page, run


def test_it_plays_once_and_a_tap_ends_it(browser: Browser, live_server) -> None:
    window, page, run = away_for_some_turns(browser, live_server.url, "no-preference")
    page.goto(run.get_absolute_url())
    expect(page.locator(PLAYS)).to_be_visible()
    expect(page.locator(f"{PLAYS} p")).not_to_be_empty()
    expect(page.locator(CHOICES)).to_have_count(0)
    assert page.evaluate(DRAWN), "the cars have their drawings"
    expect(page.locator(".since ol")).to_have_css("opacity", "0")
    page.locator("figure.map").tap()
    expect(page.locator(PLAYS)).to_have_count(0)
    expect(page.locator(CHOICES)).not_to_have_count(0)
    expect(page.locator("#panel .draft .plan li")).to_have_count(0)

    page.reload()
    page.evaluate(AFTER_THE_SCRIPTS)
    expect(page.locator(PLAYS)).to_have_count(0)
    expect(page.get_by_role("link", name="Watch it")).to_be_visible()
    window.close()


def test_it_ends_by_itself_within_fifteen_seconds(browser: Browser, live_server) -> None:
    window, page, run = away_for_some_turns(browser, live_server.url, "no-preference")
    page.clock.install()
    page.goto(run.get_absolute_url())
    page.clock.run_for(20)
    expect(page.locator(PLAYS)).to_be_visible()
    page.clock.run_for(15_000)
    expect(page.locator(PLAYS)).to_have_count(0)
    expect(page.locator(CHOICES)).not_to_have_count(0)
    window.close()


def test_who_asks_for_less_motion_reads_it(browser: Browser, live_server) -> None:
    window, page, run = away_for_some_turns(browser, live_server.url, "reduce")
    page.goto(run.get_absolute_url())
    page.evaluate(AFTER_THE_SCRIPTS)
    expect(page.locator(PLAYS)).to_have_count(0)
    expect(page.get_by_role("heading", name="Since your last turn")).to_be_visible()
    window.close()
