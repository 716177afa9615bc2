"""The eye sees the die of the gear roll, and the car drive; where that leads, and what comes next, it sees later."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import PHONE, window_of
from tests.games.formula_d.pages.tables import on_the_grid

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

# What the eye sees when the answer has just been put in; then what hides is tapped.
AT_ONCE = """() => { window.seen = new Promise(done => document.addEventListener("htmx:afterSettle", () => {
    if (!document.querySelector(".fd-die.big")) done({});
    const hidden = which => getComputedStyle(document.querySelector(which)).opacity === "0";
    const link = document.querySelector("#run .fd-ends a");
    const found = { falls: !!document.querySelector(".fd-die.fresh"), ends: hidden("[aria-labelledby='ends']"),
        shown: document.querySelector(".fd-chosen strong").textContent };
    link.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    found.skipped = !document.querySelector("html.unseen, .fresh");
    link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    done(found);
}, { once: true })); }"""
CAR = """() => { const at = new DOMMatrix(getComputedStyle(document.querySelector("#run svg .car.mine")).transform);
    return [at.e, at.f]; }"""
DRIVES = f"""() => {{ window.drove = new Promise(done => document.addEventListener("htmx:afterSettle",
    () => done(({CAR})()), {{ once: true }})); }}"""


def test_a_die_lies_before_its_ends_are_seen_and_a_car_arrives_before_the_next_is_told(
    browser: Browser, live_server
) -> None:
    run, entries = on_the_grid("Ana", "Bo", track="monza", start_roll=False)
    entry = entries[0]
    page = window_of(browser, live_server.url, entry, viewport=PHONE).new_page()
    asked: list[str] = []
    page.goto(run.get_absolute_url(), wait_until="load")
    page.evaluate(AT_ONCE)
    page.locator("#drive .button").click()
    seen = page.evaluate("window.seen")
    assert seen["falls"] and seen["ends"] and seen["skipped"]
    page.on("request", lambda request: asked.append(request.url))
    expect(page.locator(".fd-chosen strong")).to_have_text(seen["shown"])
    assert not [url for url in asked if "changes" not in url], "a tap on what is not seen chooses nothing"
    stood = page.evaluate(CAR)
    page.evaluate(DRIVES)
    page.locator("#drive .button").first.click()
    assert page.evaluate("window.drove") == pytest.approx(stood, abs=3), "the car stands where it was"
    expect(page.locator("html.unseen")).to_have_count(0)
    assert page.evaluate(CAR) != pytest.approx(stood, abs=3)
