"""From the finish to the podium on the smallest phone: the card of a run, the board, the envelope, the steps."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from championship.rallies.models import Entry
from championship.runs.models import Run
from tests.browser import axe
from tests.browser.test_first_turn import sign_in
from tests.championship.runs.factories import driven

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

SMALL = {"width": 320, "height": 640}
LONG = "Wolfeschlegelsteinhausenbergerdorff"


def fits(page: Page) -> None:
    """Check that the page does not scroll sideways and has no grave fault."""
    assert page.evaluate("document.documentElement.scrollWidth") <= SMALL["width"], page.url
    faults = [fault for fault in axe.violations(page) if fault["impact"] in axe.GRAVE]
    assert not faults, [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in faults]


def at_time_control() -> tuple[Run, list[Entry]]:
    """A stage that three cars have driven, one of them with a long name, and whose drivers hand in their cards."""
    run, entries = driven("Ana", "Bo", LONG, stages=("1/3", "1/1"))
    for entry, seconds in zip(entries, (210, 200, 225), strict=True):
        run.special_stage.times.filter(entry=entry).update(measure=seconds)
    return run, entries


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_from_the_finish_to_the_envelope_by_the_buttons(browser: Browser, live_server, scheme: str) -> None:
    run, entries = at_time_control()
    second = next(entry for entry in entries if entry.crew == "Bo")
    with browser.new_context(
        base_url=live_server.url, locale="en-GB", viewport=SMALL, color_scheme=scheme, reduced_motion="reduce"
    ) as window:
        sign_in(window, second.driver, live_server.url)
        page = window.new_page()
        page.goto(run.get_absolute_url())
        card = page.locator(".finish")
        expect(card).to_contain_text("The stage is over.")
        assert card.locator(".button").count() == 1, "one thing comes next"
        fits(page)
        page.goto(run.special_stage.get_absolute_url())
        expect(page.locator(".own-result")).to_contain_text("of 3")
        fits(page)
        page.goto(run.get_absolute_url())
        page.locator(".finish .button").press("Enter")
        page.wait_for_url("**/control/")
        expect(page.locator(".envelopes li.awaited")).to_have_count(3)
        fits(page)
        page.get_by_label("Penalties at the time control").fill("1")
        page.get_by_label("Penalties at the time control").press("Enter")
        expect(page.get_by_role("heading", name="Your card is in and sealed.")).to_be_visible()
        expect(page.locator(".envelopes li.in")).to_have_count(1)
        fits(page)
        page.goto(f"/rallies/{run.special_stage.rally.key}/podium/")
        steps = [page.locator(f".podium [data-place='{place}'] .block").bounding_box() for place in (1, 2, 3)]
        heights = [step["height"] for step in steps if step]
        assert heights == sorted(heights, reverse=True) and len(set(heights)) == 3
        lefts = [step["x"] for step in steps if step]
        assert lefts[1] < lefts[0] < lefts[2], "the first in the middle"
        fits(page)
