"""A stranger on a phone: from the front page to the first corner in four taps, and to an account at the finish."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from championship.accounts.models import User
from championship.rallies.models import Entry
from championship.runs.models import Draft, Practice, Run
from tests.browser import axe
from tests.championship.runs.factories import before_the_finish, put, with_luck

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PHONE = {"width": 390, "height": 844}
MOST_TAPS, MOST_SECONDS = 4, 20

# Resolves when all that comes into sight has come: a colour in between is no colour of the page.
AT_REST = """() => Promise.all(document.getAnimations()
    .filter(motion => motion.effect.getComputedTiming().endTime < 10000)
    .map(motion => motion.finished.catch(() => null)))"""


@pytest.fixture
def phone(browser: Browser, live_server) -> Iterator[Page]:
    """Return a page on a phone of somebody who has never been here. A JavaScript error fails the test."""
    window = browser.new_context(base_url=live_server.url, viewport=PHONE, has_touch=True, locale="en-GB")
    errors: list[str] = []
    window.on("weberror", lambda error: errors.append(str(error.error)))
    yield window.new_page()
    window.close()
    assert errors == []


def in_the_bend(state: Mapping[str, Any]) -> bool:
    """Whether the car stands on tile 3, the first bend."""
    return str(state["drivers"]["1"]["space"]).startswith("3.")


def tap_the_road_ahead(page: Page) -> None:
    """Tap the far end of the road that the map shows."""
    box = page.locator("figure.map").bounding_box()
    assert box is not None
    page.touchscreen.tap(box["x"] + box["width"] * 0.49, box["y"] + box["height"] - 12)


def test_a_stranger_comes_to_the_first_corner_in_four_taps(phone: Page) -> None:
    phone.goto("/")
    begun, taps = time.monotonic(), 0

    onto_the_road = phone.get_by_role("button", name="Drive Rallyman: DIRT")
    box = onto_the_road.bounding_box()
    assert box is not None and box["y"] + box["height"] <= PHONE["height"], "one need not scroll to it"
    onto_the_road.tap()
    taps += 1
    expect(phone.locator(".practice .lesson h3")).to_contain_text("Lay a plan")
    phone.wait_for_load_state("load")
    tap_the_road_ahead(phone)
    taps += 1
    expect(phone.locator(".plan li").nth(2)).to_be_attached()
    tap_the_road_ahead(phone)
    taps += 1
    expect(phone.locator(".plan li").last).to_contain_text("3.1")  # tile 3 is the first bend
    run = Run.objects.get()
    orders = {"do": "standing", "plan": Draft.objects.get().laid, "roll": "flat out"}
    with_luck(run, orders, lambda state: in_the_bend(state) and not state["drivers"]["1"]["retired"])
    phone.get_by_role("button", name="Flat out").tap()
    taps += 1
    run.refresh_from_db()
    while not in_the_bend(run.state) and time.monotonic() - begun < MOST_SECONDS:
        phone.wait_for_timeout(50)
        run.refresh_from_db()
    seconds = time.monotonic() - begun

    assert in_the_bend(run.state)
    assert taps <= MOST_TAPS and seconds <= MOST_SECONDS
    assert not User.objects.filter(is_guest=False, is_active=True).exists(), "and nobody has an account"


def test_the_account_is_asked_for_at_the_finish_and_the_stage_goes_along(phone: Page) -> None:
    phone.goto("/")
    phone.get_by_role("button", name="Drive Rallyman: DIRT").tap()
    expect(phone.get_by_text("You drive as a guest")).to_be_visible()
    expect(phone.get_by_text("Keep this stage")).to_have_count(0)
    run, entry = Run.objects.get(), Entry.objects.get()
    there, move = before_the_finish(run)
    put(run, entry, cards=[100], **there)
    phone.goto(f"{run.get_absolute_url()}?plan={move}")
    phone.get_by_role("button", name="Flat out").tap()
    expect(phone.get_by_role("heading", name="Keep this stage: make an account")).to_be_visible()
    phone.evaluate(AT_REST)
    assert axe.violations(phone) == []
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    phone.get_by_role("link", name="Make an account").tap()
    expect(phone.get_by_role("heading", level=1)).to_be_visible()
    assert f"next={run.get_absolute_url()}".replace("/", "%2F") in phone.url or run.get_absolute_url() in phone.url


@pytest.mark.parametrize("width", [320, 390])
def test_keep_or_replace_without_script(browser: Browser, live_server, width: int) -> None:
    window = browser.new_context(
        base_url=live_server.url, java_script_enabled=False, viewport={"width": width, "height": 700}, locale="en-GB"
    )
    page = window.new_page()
    page.goto("/")
    page.get_by_role("button", name="Drive Rallyman: DIRT").click()
    page.goto("/practice/")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("button", name="Formula D from the beginning").click()
    expect(page.locator(".lesson h3")).to_be_visible()
    assert Practice.objects.get(ended_at=None).rally.game == "formula_d"
    page.goto("/")
    expect(page.get_by_text("Practice in Formula D: your car stands where you left it.")).to_be_visible()
    page.get_by_role("button", name="Drive on").click()
    expect(page.get_by_text("You drive as a guest")).to_be_visible()
    window.close()
