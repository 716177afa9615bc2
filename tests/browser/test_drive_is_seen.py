"""After a roll the eye sees the dice settle, then the car drive, and only then the verdict and the odds; a reader of
the screen has them at once. News waits until then.
"""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from championship.runs.models import Run
from tests.browser.desk import PHONE, first_of
from tests.browser.desk import window_of as window_for
from tests.championship.runs.factories import (
    all_but_the_first_are_home,
    careful_turn,
    on_the_road,
    play,
    starters,
    with_luck,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

PLAN = "1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2"
# Notes what the eye sees when the answer has just been put in, before anything has moved.
AT_ONCE = """() => { window.seen = new Promise(done => document.addEventListener("htmx:afterSettle", () => {
    const shown = selector => Number(getComputedStyle(document.querySelector(selector)).opacity);
    const at = new DOMMatrix(getComputedStyle(document.querySelector("#run svg .car.mine")).transform);
    const seen = { odds: shown(".tray .rest"), button: shown(".thumb small"), x: at.e, y: at.f,
        text: document.querySelector(".tray .rest").textContent };
    const map = document.querySelector("figure.map > svg");
    requestAnimationFrame(() => done({ ...seen, camera: getComputedStyle(map).transform }));
}, { once: true })); }"""
CAMERA = "() => getComputedStyle(document.querySelector('figure.map > svg')).transform"
# Where another car stands when news of it has just been put in.
OTHER = """name => { const place = () => {
        const car = document.querySelector(`#run svg .car[href='#car-${name}']`);
        const at = new DOMMatrix(getComputedStyle(car).transform);
        return [at.e, at.f];
    };
    window.other = { before: place(), place };
    window.heard = new Promise(done =>
        document.addEventListener("htmx:afterSettle", () => done(place()), { once: true }));
    window.dispatchEvent(new Event("online")); }"""
# The place of the own car on the map, whatever part of it the window shows.
CAR = """() => { const at = new DOMMatrix(getComputedStyle(document.querySelector("#run svg .car.mine")).transform);
    return [at.e, at.f]; }"""

# How many animations of the own car a script has started.
SCRIPTED = """() => document.querySelector("#run svg .car.mine").getAnimations({ subtree: true })
    .filter(motion => !(motion instanceof CSSAnimation || motion instanceof CSSTransition)).length"""

# What is seen of the end when the answer has just been put in.
OVER = """() => { window.over = new Promise(done => document.addEventListener("htmx:afterSettle", () => done({
    told: getComputedStyle(document.querySelector("#panel > .finish")).opacity,
    cars: document.querySelectorAll("#run svg .car.mine").length,
}), { once: true })); }"""


@pytest.fixture
def run(transactional_db: None) -> Run:
    """A stage under way; the first die of the plan shows a warning."""
    run, (_ana, _bo) = on_the_road("Ana", "Bo")
    orders = {"do": "lay", "plan": PLAN, "roll": "one by one", "roll_first": True}
    with_luck(run, orders, lambda state: state["turn"]["warnings"] == 1)
    return run


def rolled(browser: Browser, url: str, run: Run, motion: str) -> tuple[Page, list[float], dict[str, Any]]:
    """Return the page after the first tap on One by one, where the car stood before it, and what was seen at once."""
    how = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "reduced_motion": motion}
    page = window_for(browser, url, first_of(run), **how).new_page()
    page.goto(f"{run.get_absolute_url()}?plan={PLAN}")
    page.wait_for_load_state("load")
    page.evaluate(AT_ONCE)
    stood = page.evaluate(CAR)
    camera = page.evaluate(CAMERA)
    page.get_by_role("button", name="One by one").tap()
    seen = page.evaluate("() => window.seen")
    return page, stood, {**seen, "camera stays": seen["camera"] == camera}


def test_nothing_is_told_before_it_is_seen(browser: Browser, live_server, run: Run) -> None:
    page, stood, seen = rolled(browser, live_server.url, run, "no-preference")
    assert (seen["odds"], seen["button"]) == (0, 0), "the eye does not see the odds yet"
    assert "moves left" in seen["text"], "a reader of the screen has them"
    assert [seen["x"], seen["y"]] == pytest.approx(stood, abs=3), "the car stands where it was"
    assert seen["camera stays"], "and the map does not jump ahead of it"
    expect(page.locator("html.unseen")).to_have_count(0)
    expect(page.locator(".tray .rest")).to_have_css("opacity", "1")
    assert page.evaluate(CAR) != pytest.approx(stood, abs=3), "and now it has driven"


def test_another_car_drives_when_there_is_news_of_it(browser: Browser, live_server, run: Run) -> None:
    ana, bo = starters(run)
    page = window_for(browser, live_server.url, bo, viewport=PHONE).new_page()
    page.goto(run.get_absolute_url(), wait_until="load")
    play(run, ana, **careful_turn(run))
    page.evaluate(OTHER, str(ana.start_number))
    assert page.evaluate("window.heard") == pytest.approx(page.evaluate("window.other.before"), abs=3)
    expect(page.locator("html.unseen")).to_have_count(0)
    assert page.evaluate("window.other.place()") != pytest.approx(page.evaluate("window.other.before"), abs=3)


def test_a_car_drives_over_the_line_before_its_result_is_told(browser: Browser, live_server) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    plan = all_but_the_first_are_home(run)
    page = window_for(browser, live_server.url, ana, viewport=PHONE).new_page()
    page.goto(f"{run.get_absolute_url()}?plan={plan}", wait_until="load")
    page.evaluate(OVER)
    page.get_by_role("button", name="Flat out").click()
    assert page.evaluate("window.over") == {"told": "0", "cars": 1}
    expect(page.locator("#panel > .finish")).to_have_css("opacity", "1")
    expect(page.locator("#run svg .car.mine")).to_have_count(0)


def test_a_tap_skips_it(browser: Browser, live_server, run: Run) -> None:
    page, _stood, _seen = rolled(browser, live_server.url, run, "no-preference")
    page.touchscreen.tap(PHONE["width"] / 2, PHONE["height"] / 3)
    expect(page.locator("html.unseen")).to_have_count(0)
    assert page.evaluate(SCRIPTED) == 0


def test_with_less_motion_all_is_there_at_once(browser: Browser, live_server, run: Run) -> None:
    _page, stood, seen = rolled(browser, live_server.url, run, "reduce")
    assert (seen["odds"], seen["button"]) == (1, 1)
    assert [seen["x"], seen["y"]] != pytest.approx(stood, abs=3)
