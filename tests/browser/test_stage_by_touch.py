"""A stage on a phone, from the start line to the finish, with taps only."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from championship.runs.models import Run
from engine import registry
from tests.browser.desk import LAST_CLICK, MIDDLE, PHONE, TRIES, first_of, short_stage, tap_until, window_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MOST_STEPS = 400
MOVED_ON = "seen => !document.querySelector(`#panel [name=version][value='${seen}']`)"
LAID = (
    """laid => [...document.querySelectorAll("#panel .plan li")].filter(one => !one.closest(".rolled")).length > laid"""
)

RESTING = (
    "async link => { const middle = " + MIDDLE + ", frame = () => new Promise(requestAnimationFrame);"
    """
    let at = middle(link), still = 0;
    for (let seen = 0; still < 5 && seen < 300; seen++) {
        await frame();
        const now = middle(link);
        still = now.free && now.x === at.x && now.y === at.y ? still + 1 : 0;
        at = now;
    }
    return at;
}"""
)


def resting(link: Locator) -> dict[str, Any]:
    """Return the middle of a target when the map is at rest: unchanged for five frames."""
    found: dict[str, Any] = link.evaluate(RESTING)
    return found


def tap_move(page: Page, move: str, laid: int) -> None:
    """Add a move: tap its space on the map, then the die in the fan, if more than one leads there. Tap again when the
    first tap had no effect, because a tap in the place of the last one counts as a double tap.
    """
    space = move.partition(":")[2].split("^")[-1]
    link = page.locator(f"svg a.target[data-space='{space}']")
    plan = page.locator("#panel .plan:not(.rolled *) li")
    die = page.locator(f".fan button[data-move='{move}']")
    for _try in range(TRIES):
        at = resting(link)
        assert at["free"], f"{move}: its space is in sight and under no button"
        page.touchscreen.tap(at["x"], at["y"])
        try:
            die.or_(plan.nth(laid)).first.wait_for(timeout=3000)
        except PlaywrightTimeout:
            continue
        break
    if plan.count() == laid:
        expect(die).to_be_visible()
        tap_until(page, die, LAID, laid)
    expect(plan).to_have_count(laid + 1)


@pytest.mark.slow
def test_a_whole_stage_by_touch(browser: Browser, live_server) -> None:
    run = short_stage("Ana")
    driver = first_of(run)
    window = window_of(
        browser,
        live_server.url,
        driver,
        viewport=PHONE,
        has_touch=True,
        is_mobile=True,
        reduced_motion="reduce",
    )
    errors: list[str] = []
    window.on("weberror", lambda error: errors.append(str(error.error)))
    window.add_init_script(LAST_CLICK)
    page = window.new_page()
    page.goto("/turns/")
    page.locator("a.turn-card").first.tap()
    expect(page.locator("svg a.target").first).to_be_visible()
    page.wait_for_load_state("load")  # the scripts for the map run only after this
    rules = registry.get(run.game)
    turns = 0
    for _step in range(MOST_STEPS):
        run.refresh_from_db()
        if run.status != Run.Status.RUNNING:
            break
        orders = rules.autopilot(run.state, str(driver.start_number))
        do = orders["do"]
        if do == "lay":
            turns += 1
            for laid, move in enumerate(orders["plan"].split()):
                tap_move(page, move, laid)
            button = page.get_by_role("button", name=orders["roll"].capitalize())
        elif do == "relay":
            space = orders["plan"].split()[-1].partition(":")[2].split("^")[-1]
            button = page.locator(f"#panel .spots button[data-space='{space}']").first
        elif do == "spare":
            button = page.get_by_role("button", name="Take the spare wheel" if orders["take"] else "Drive on")
        else:
            button = page.locator(f"#panel button[name=do][value={do}]")
        tap_until(page, button, MOVED_ON, run.version)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    expect(page.locator("#panel").get_by_text("The stage is over.")).to_be_visible()
    assert turns > 1
    assert run.state["drivers"][str(driver.start_number)]["finished"]
    assert errors == []
    window.close()
