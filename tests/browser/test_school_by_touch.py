"""A scene of each school on a phone: its goal and the map are in one view, and it is driven with taps only."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from championship.runs.models import SceneDone
from tests.browser.desk import LAST_CLICK, PHONE, serious_faults, tap_until
from tests.browser.test_stage_by_touch import MOVED_ON, tap_move

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

SEEN_WHOLE = """part => {
    const box = part.getBoundingClientRect();
    return window.scrollY === 0 && box.top >= 0 && box.bottom <= window.innerHeight && box.height > 0;
}"""

OVER = """nothing => document.querySelector(".verdict") !== null"""


@pytest.fixture
def phone(browser, live_server):
    """A window of a phone that belongs to somebody without an account."""
    window: BrowserContext = browser.new_context(
        base_url=live_server.url,
        viewport=PHONE,
        has_touch=True,
        is_mobile=True,
        locale="en-GB",
        reduced_motion="reduce",
        service_workers="block",
    )
    errors: list[str] = []
    window.on("weberror", lambda error: errors.append(str(error.error)))
    window.add_init_script(LAST_CLICK)
    yield window.new_page()
    window.close()
    assert errors == []


def opened(page: Page, game: str, scene: str, *parts: str) -> None:
    """Go from the page of the schools to a scene. Its goal, and what must be tapped, are seen without scrolling."""
    page.goto("/practice/")
    page.locator(f"#school-{game} details summary").tap()
    page.locator(f"#school-{game} .scenes a[href$='/{scene}/new/']").tap()
    page.wait_for_load_state("load")
    for part in (".scenehead .goal", *parts):
        assert page.locator(part).first.evaluate(SEEN_WHOLE), f"{part} is in sight"
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def verdict(page: Page) -> Locator:
    """What is said after the scene, in sight."""
    said = page.locator(".verdict")
    expect(said.get_by_role("heading")).to_have_text("Done.")
    expect(said.get_by_role("heading")).to_be_in_viewport()
    return said


def test_a_scene_on_the_map_by_touch(phone: Page) -> None:
    opened(phone, "dirt", "win", "figure.map")
    assert serious_faults(phone) == []
    phone.evaluate("window.sameDocument = true")
    for laid, move in enumerate(("3:1.3.l", "4:2.1.l", "5:2.2.l")):
        tap_move(phone, move, laid)
    tap_until(phone, phone.get_by_role("button", name="Flat out"), OVER, "")
    said = verdict(phone)
    expect(said).to_contain_text("This cost you 12 seconds.")
    assert phone.evaluate("window.sameDocument"), "the scene is driven on one page"
    assert serious_faults(phone) == []
    said.get_by_role("link", name="Next: Lay a plan").tap()
    expect(phone.locator(".scenehead h1")).to_have_text("Lay a plan")
    phone.goto("/practice/")
    expect(phone.locator("#school-dirt h2 small")).to_have_text("1 of 29")
    assert SceneDone.objects.get().person.is_guest


def test_a_scene_with_gears_by_touch(phone: Page) -> None:
    opened(phone, "formula_d", "win", "figure.map", "#drive .button")
    tap_until(phone, phone.get_by_role("button", name="Roll gear 4"), MOVED_ON, 0)
    drive = phone.get_by_role("button", name="Drive there")
    expect(drive).to_be_in_viewport()
    tap_until(phone, drive, OVER, "")
    verdict(phone)


def test_a_scene_with_cards_by_touch(phone: Page) -> None:
    opened(phone, "dust", "prepare", ".strip", "#giveup label", "#send .button", ".tray .asks")
    phone.locator("#giveup label").first.tap()
    tap_until(phone, phone.get_by_role("button", name="Draw cards and roll"), OVER, "")
    verdict(phone)
