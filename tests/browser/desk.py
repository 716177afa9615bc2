"""Windows of drivers at their stages, and touches in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Locator, Page

from championship.rallies import services as rally_services
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run
from championship.stages.services import create_design
from tests.browser import axe
from tests.browser.test_first_turn import sign_in
from tests.championship.rallies.factories import enter, organiser_of
from tests.championship.runs.factories import starters
from tests.factories import make_club, make_user

PHONE = {"width": 360, "height": 740}  # CSS pixels
DESK = {"width": 1280, "height": 800}
# Returns the middle of a target's space in the window, and whether it is visible with nothing over it.
MIDDLE = """link => {
    const box = (link.querySelector(".chip") || link).getBoundingClientRect();
    const x = box.x + box.width / 2, y = box.y + box.height / 2;
    const top = document.elementFromPoint(x, y);
    return { x, y, free: !!top && link.contains(top) };
}"""
# Resolves when no request runs, no response is being inserted, nothing is still to be seen, and the page has not
# scrolled for twenty frames.
AT_REST = """async () => {
    const frame = () => new Promise(requestAnimationFrame);
    let before = window.scrollY, still = 0;
    for (let seen = 0; still < 20 && seen < 600; seen++) {
        await frame();
        const moving = ".htmx-request, .htmx-swapping, .htmx-settling, .htmx-added, html.unseen";
        const busy = document.querySelector(moving);
        still = !busy && window.scrollY === before ? still + 1 : 0;
        before = window.scrollY;
    }
    return before;
}"""


TRIES = 3
# A tap right after another one in the same place is the second half of a double tap: run.js prevents its effect.
LAST_CLICK = "window.addEventListener('click', event => { window.lastClick = event; }, true)"
PUT_OFF = "window.lastClick && window.lastClick.defaultPrevented"


def tap_until(page: Page, button: Locator, done: str, seen: Any) -> None:
    """Tap a button until `done`, a JavaScript function, returns true for `seen`. Tap again when a tap was prevented.

    The window must have LAST_CLICK as init script.
    """
    for _try in range(TRIES):
        page.evaluate("window.lastClick = null")
        button.tap()
        page.wait_for_function(f"seen => ({done})(seen) || ({PUT_OFF})", arg=seen)
        if page.evaluate(done, seen):
            return
    raise AssertionError(f"nothing came of {button}")


def window_of(browser: Browser, url: str, entry: Entry, **how: Any) -> BrowserContext:
    """Return a new window in which the driver of the entry is signed in."""
    window = browser.new_context(base_url=url, locale="en-GB", timezone_id="UTC", **how)
    sign_in(window, entry.driver, url)
    return window


def short_stage(
    *names: str, tiles: str = "202a\n204a\n205a\n206a\n203a", options: Mapping[str, Any] | None = None
) -> Run:
    """Return a run of a stage of a few tiles that has just started."""
    by = make_user("Olga Organiser")
    club = make_club(owner=by)
    design = create_design(by=by, club=club, name="Three bends", game="dirt", text=tiles)
    rally = rally_services.create_rally(
        by=by,
        club=club,
        name="Rajd Wisły",
        game="dirt",
        designs=[design],
        options=dict(options or {}),
        mode=Rally.Mode.CONVOY,
        turn_hours=24,
        reminder_hours=4,
        auto_start=True,
    )
    enter(rally, *names)
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    return Run.objects.get(special_stage__rally=rally)


def first_of(run: Run) -> Entry:
    """Return the entry that is to play first."""
    return starters(run)[0]


def serious_faults(page: Page) -> list[str]:
    """Return the faults on the page that keep people from using it, found by axe."""
    return [
        f"{fault['id']}: {fault['help']} {[node['target'] for node in fault['nodes']][:3]}"
        for fault in axe.violations(page)
        if fault["impact"] in axe.GRAVE
    ]


GROWTH = "Number((document.querySelector('figure.map > svg').style.transform.match(/scale[(](.+)[)]/) || [0, 1])[1])"
"""The zoom of the map: 1 shows all of it."""


def transform_of(page: Page) -> str:
    """Return the CSS transform of the map."""
    moved: str = page.locator("figure.map > svg").evaluate("svg => svg.style.transform")
    return moved


def growth_of(page: Page) -> float:
    """Return the zoom of the map: 1 shows all of it."""
    return float(page.evaluate(GROWTH))
