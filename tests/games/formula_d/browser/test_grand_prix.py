"""A race on a circuit by touch: a corner overshot or braked for, and a slipstream into another corner."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from championship.runs.models import Run
from tests.browser.desk import MIDDLE, PHONE, window_of
from tests.games.formula_d.pages.tables import on_the_grid, rolled

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

INTO_THE_CORNER: dict[str, Any] = {"space": "S6.2.10", "gear": 5, "spaces": 16, "rival": ("S7.2.10", 4)}
BEHIND_A_RIVAL: dict[str, Any] = {"space": "S5.2.7", "gear": 4, "spaces": 8, "rival": ("S5.2.16", 4)}


@pytest.fixture
def run() -> Run:
    """A race of two on a circuit."""
    return on_the_grid("Ana", "Bo", track="monza", start_roll=False)[0]


def phone(browser: Browser, url: str, run: Run, entry: Any, **how: Any) -> Page:
    """Return the page of the race on a phone of the entry's driver."""
    window = window_of(browser, url, entry, viewport=PHONE, has_touch=True, is_mobile=True, **how)
    page = window.new_page()
    page.goto(f"/runs/{run.key}/")
    return page


def tap_on_space(page: Page, space: str) -> None:
    """Tap a space of the map that can be chosen."""
    link = page.locator(f'svg a.target[data-space="{space}"]')
    expect(link).to_have_count(1)
    point = link.evaluate(MIDDLE)
    assert point["free"], f"something lies over {space}, or it is out of sight"
    page.touchscreen.tap(point["x"], point["y"])


def test_a_corner_is_overshot_or_braked_for_by_touch(browser: Browser, live_server, run: Run) -> None:
    page = phone(browser, live_server.url, run, rolled(run, **INTO_THE_CORNER))
    button = page.get_by_role("button", name="Drive there")
    expect(button).to_be_visible()

    page.locator(".fd-ends a", has_text="overshoots by 1 space").first.tap()
    expect(page.locator(".fd-chosen")).to_contain_text("overshoots by 1 space")
    expect(page.locator(".fd-chosen")).to_contain_text("tyres −1")
    expect(page.locator("svg.overlay .target.best")).to_have_count(1)

    page.locator(".fd-ends a", has_text="corner 6, right 5").first.tap()
    expect(page.locator(".fd-chosen")).to_contain_text("counts as a stop")
    expect(page.locator(".fd-chosen")).to_contain_text("brakes −1")
    button.tap()
    expect(page.get_by_text("is to play")).to_be_visible()
    expect(page.locator(".log")).to_contain_text("1 stop made in this corner")

    run.refresh_from_db()
    car = next(car for car in run.state["cars"].values() if car["gear"] == 5)
    assert car["stops"] == 1 and car["wp"]["brakes"] == 2


def test_a_slipstream_is_driven_into_a_corner_by_touch(browser: Browser, live_server, run: Run) -> None:
    page = phone(browser, live_server.url, run, rolled(run, **BEHIND_A_RIVAL))
    tap_on_space(page, "S5.2.15")
    expect(page.locator(".fd-chosen")).to_contain_text("straight 5, middle 16")
    page.get_by_role("button", name="Drive there").tap()

    expect(page.get_by_role("heading", name="In the slipstream")).to_be_visible()
    expect(page.get_by_role("button", name="Stay behind")).to_be_visible()
    page.locator(".fd-ends a", has_text="corner 5").first.tap()
    expect(page.locator(".fd-chosen")).to_contain_text("brakes −1")
    page.get_by_role("button", name="Drive there").tap()
    expect(page.locator(".log")).to_contain_text("Goes on in the slipstream")
    expect(page.locator(".log")).to_contain_text("goes into the corner in the slipstream: brakes −1")


def test_nothing_runs_over_the_edge_of_a_small_phone(browser: Browser, live_server, run: Run) -> None:
    entry = rolled(run, **INTO_THE_CORNER)
    window = window_of(browser, live_server.url, entry, viewport={"width": 320, "height": 640})
    page = window.new_page()
    page.goto(f"/runs/{run.key}/")

    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_without_script_the_path_is_chosen_and_driven(browser: Browser, live_server, run: Run) -> None:
    entry = rolled(run, **INTO_THE_CORNER)
    window = window_of(browser, live_server.url, entry, java_script_enabled=False)
    page = window.new_page()
    page.goto(f"/runs/{run.key}/")
    page.get_by_role("link", name="counts as a stop").first.click()
    page.get_by_role("button", name="Drive there").click()

    expect(page.get_by_text("is to play")).to_be_visible()


def test_the_garage_counts_the_points_of_a_build_as_they_are_typed(browser: Browser, live_server) -> None:
    run, (ana, _bo) = on_the_grid("Ana", "Bo", build=True, technical_pit=True)
    page = phone(browser, live_server.url, run, ana)
    told = page.locator(".fd-sum")
    expect(told).to_have_text("Given so far: 22 of 22 points.")
    expect(told).not_to_have_attribute("data-off", "")
    page.get_by_label("tyres").fill("9")
    expect(told).to_have_text("Given so far: 25 of 22 points.")
    expect(told).to_have_attribute("data-off", "")


def test_a_car_leaves_the_garage_by_touch(browser: Browser, live_server) -> None:
    run, (ana, bo) = on_the_grid("Ana", "Bo", tyres=True)
    for entry in (ana, bo):
        page = phone(browser, live_server.url, run, entry)
        page.locator(".fd-tyres label", has_text="soft").tap()
        expect(page.get_by_label("soft")).to_be_checked()
        page.get_by_role("button", name="Roll out").tap()
        expect(page.locator("#garage")).to_have_count(0)
        page.context.close()
    run.refresh_from_db()
    assert {car["tyres"] for car in run.state["cars"].values()} == {"soft"}
