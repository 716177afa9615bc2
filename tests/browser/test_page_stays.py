"""On a phone the page does not move under the finger: planning on the map, choosing, rolling, undoing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from championship.runs.models import Run
from tests.browser.desk import AT_REST, MIDDLE, first_of, window_of
from tests.championship.runs.factories import on_the_road, play, put, with_luck

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SMALL, LARGE = {"width": 360, "height": 740}, {"width": 390, "height": 844}  # CSS pixels
NOTHING = 2  # CSS pixels that nobody notices
PLAN = "1:1.2.l 2:1.3.l c:2.1.o1"
LOOKS = [(SMALL, "light"), pytest.param((LARGE, "dark"), marks=pytest.mark.slow)]
"""Each size and each theme once: a theme moves nothing."""


@pytest.fixture(params=LOOKS, ids=str)
def phone(request: pytest.FixtureRequest) -> dict[str, Any]:
    """A phone, in each theme."""
    size, scheme = request.param
    return {"viewport": size, "color_scheme": scheme, "has_touch": True, "is_mobile": True}


@pytest.fixture
def run(transactional_db: None) -> Run:
    """A stage under way. Its first starter may secure."""
    run, (first, *_others) = on_the_road("Ana", "Bo")
    put(run, first, tokens=5)
    return run


@pytest.fixture
def page(browser: Browser, live_server, phone: dict[str, Any], run: Run) -> Iterator[Page]:
    """The stage page of the driver who is to play."""
    window = window_of(browser, live_server.url, first_of(run), **phone)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    yield page
    window.close()


def scrolled_to(page: Page, part: Locator) -> float:
    """Scroll the part to the middle of the area that the map leaves free, with the map stuck to the upper edge."""
    part.evaluate(
        """part => {
        const lower = document.querySelector(".stage-map").getBoundingClientRect().height;
        const box = part.getBoundingClientRect();
        window.scrollBy({ top: box.top - lower - 60, behavior: "instant" });
    }"""
    )
    at: float = page.evaluate(AT_REST)
    assert abs(page.locator(".stage-map").evaluate("map => map.getBoundingClientRect().top")) < 1, "the map sticks"
    return at


def middle_of(part: Locator) -> dict[str, Any]:
    """Return the middle of a part in the window. Nothing may cover it."""
    found: dict[str, Any] = part.evaluate(MIDDLE)
    assert found["free"], f"{part} is in sight and nothing lies over it"
    return found


def tap(page: Page, part: Locator, outcome: Locator) -> None:
    """Tap there and wait for the outcome: the page has not moved."""
    before = page.evaluate(AT_REST)
    at = middle_of(part)
    page.touchscreen.tap(at["x"], at["y"])
    expect(outcome).to_be_visible()
    assert page.evaluate(AT_REST) == pytest.approx(before, abs=NOTHING)


def moved_by(page: Page, part: Locator, outcome: Locator) -> float:
    """Return how far a part moves in the window when it is tapped. The part stays on the page."""
    before = middle_of(part)
    tap(page, part, outcome)
    box = part.bounding_box()
    assert box is not None
    return max(abs(box["x"] + box["width"] / 2 - before["x"]), abs(box["y"] + box["height"] / 2 - before["y"]))


def test_laying_from_the_list_and_taking_back(page: Page) -> None:
    plan = page.locator("#panel .draft .plan li")
    first = page.locator("#panel button[name=move]").first
    scrolled_to(page, first)
    tap(page, first, plan.nth(0))
    second = page.locator("#panel button[name=move]").first
    scrolled_to(page, second)
    tap(page, second, plan.nth(1))
    third = page.locator("#panel button[name=move]").first
    scrolled_to(page, third)
    tap(page, third, plan.nth(2))
    undo = page.get_by_role("button", name="Take back")
    scrolled_to(page, undo)
    assert moved_by(page, undo, page.locator("#panel .draft .plan li:nth-child(2):last-child")) <= NOTHING
    assert moved_by(page, undo, page.locator("#panel .draft .plan li:nth-child(1):last-child")) <= NOTHING


def test_laying_on_the_map(page: Page) -> None:
    plan = page.locator("#panel .draft .plan li")
    scrolled_to(page, page.locator("#panel .draft"))
    for laid in range(2):
        space = page.locator("svg a.target").last
        fan = page.locator(".fan")
        assert moved_by(page, space, fan) <= NOTHING
        tap(page, fan.get_by_role("button").first, plan.nth(laid))


def test_the_reason_of_a_forced_choice_stands_beside_its_buttons(page: Page, run: Run) -> None:
    orders = {"do": "lay", "plan": "2:1.2.l", "roll": "one by one"}
    play(run, first_of(run), **orders)
    with_luck(run, {"do": "roll"}, lambda state: state["turn"] and state["turn"]["phase"] == "lost")
    page.goto(page.url)
    scrolled_to(page, page.get_by_role("heading", name="Road order"))
    tap(page, page.locator("#panel button[value=roll]"), page.get_by_role("button", name="Take it as it is"))
    why = page.get_by_text("The flying start fails: the turn ends after one space.")
    assert middle_of(why)["free"], "in sight, wherever the page is scrolled to"
    for button in ("SISU", "Take it as it is"):
        assert middle_of(page.get_by_role("button", name=button))["free"]


def test_a_way_to_roll_the_roll_and_the_end_of_the_turn(page: Page) -> None:
    page.goto(page.url + f"?plan={PLAN}")
    scrolled_to(page, page.get_by_text("Write the plan"))
    roll = page.locator("#panel button[value=roll]")
    tap(page, page.get_by_role("button", name="One by one"), roll)
    tap(page, roll, page.locator(".tray .die-rolled[data-post]").first)
    stop = page.get_by_role("button", name="Stop here")
    tap(page, stop, page.get_by_role("heading", name="The first move"))
