"""The dice that are possible on a space fan out there: by touch, by keys, for screen readers."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from championship.rallies.models import Entry
from championship.runs.models import Run
from tests.browser.desk import AT_REST, DESK, MIDDLE, serious_faults, window_of
from tests.championship.runs.factories import on_the_road, put

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PHONES = [{"width": 360, "height": 740}, {"width": 390, "height": 844}]  # CSS pixels
FINGER = 44  # CSS pixels: the smallest target
INSIDE, OUTSIDE = (
    "2.1.i1",
    "2.1.o1",
)  # in gear 3: control with gear 1 and a brake inside, with gear 2 outside
# Returns the parts of a kind whose box covers the middle of a target's chip, or that overflow the map.
OVER = """parts => {
    const chips = [...document.querySelectorAll("svg a.target .chip")].map(chip => chip.getBoundingClientRect());
    const boxes = parts.map(part => part.getBoundingClientRect());
    return chips.filter(chip => boxes.some(box => box.left < chip.right && chip.left < box.right
        && box.top < chip.bottom && chip.top < box.bottom)).length;
}"""
# A tile is a hexagon whose sides are 100 units of the drawing.
TILES_ACROSS = """figure => figure.clientWidth / figure.querySelector("svg").getScreenCTM().a / (100 * Math.sqrt(3))"""
OUT_OF_SIGHT = """parts => {
    const frame = document.querySelector("figure.map").getBoundingClientRect();
    return parts.map(part => part.getBoundingClientRect()).filter(box => box.left < frame.left
        || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom).length;
}"""


def before_a_bend() -> tuple[Run, Entry]:
    """A run whose first car approaches, in gear 3, a bend with limits of 1 inside and 2 outside."""
    run, (first, *_others) = on_the_road("Ana", "Bo")
    put(run, first, space="1.3.l", gear=3, started=True)
    return run, first


def target(page: Page, space: str) -> Locator:
    return page.locator(f"svg a.target[data-space='{space}']")


def tap(page: Page, part: Locator) -> dict[str, Any]:
    """Tap the middle of a part, which must be visible and uncovered. Return the point."""
    at: dict[str, Any] = part.evaluate(MIDDLE)
    assert at["free"], f"{part} is in sight and nothing lies over it"
    page.touchscreen.tap(at["x"], at["y"])
    return at


@pytest.mark.parametrize(("size", "scheme"), [(PHONES[0], "light"), (PHONES[1], "dark")], ids=str)
def test_a_tap_fans_out_what_can_be_laid_there_and_one_more_lays_it(
    browser: Browser, live_server, size: dict[str, int], scheme: str
) -> None:
    run, first = before_a_bend()
    window = window_of(
        browser, live_server.url, first, viewport=size, has_touch=True, is_mobile=True, color_scheme=scheme
    )
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.evaluate("window.scrollBy({ top: document.querySelector('.stage').getBoundingClientRect().top + 20 })")
    before = page.evaluate(AT_REST)
    assert abs(page.locator(".stage-map").evaluate("map => map.getBoundingClientRect().top")) < 1, "the map sticks"
    at = tap(page, target(page, OUTSIDE))
    fan = page.locator(".fan")
    buttons = fan.get_by_role("button")
    offered = page.locator(f"#panel button[name=move][value$=':{OUTSIDE}']")
    expect(buttons).to_have_count(offered.count())
    expect(fan.get_by_role("button", name="Gear 2")).to_contain_text("100 %")
    lost = fan.get_by_role("button", name="Gear 4")
    expect(lost).to_have_class("danger")
    expect(lost).to_have_accessible_name(
        re.compile(r"Gear 4\s?: above the limit: loss of control\.\s+0\s% to keep control")
    )
    for number in range(buttons.count()):
        box = buttons.nth(number).bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= FINGER
        assert box["x"] >= 0 and box["x"] + box["width"] <= size["width"]
        assert box["y"] >= 0 and box["y"] + box["height"] <= size["height"]
        middle = at["x"] - box["x"], at["y"] - box["y"]
        assert not (0 <= middle[0] <= box["width"] and 0 <= middle[1] <= box["height"]), "beside the finger"
    assert serious_faults(page) == []
    tap(page, page.locator(".dashboard .gear"))
    expect(fan).to_have_count(0)
    tap(page, target(page, INSIDE))
    expect(fan).to_have_attribute("data-space", INSIDE)
    tap(page, page.locator(".dashboard .gear"))
    tap(page, target(page, OUTSIDE))
    expect(fan).to_have_attribute("data-space", OUTSIDE)
    tap(page, fan.get_by_role("button", name="Gear 2"))
    expect(page.locator("#panel .draft .plan li")).to_have_count(1)
    expect(fan).to_have_count(0)
    assert page.evaluate("window.scrollY") == pytest.approx(before, abs=2)
    window.close()


def test_a_tap_on_a_laid_die_fans_out_what_can_take_its_place(browser: Browser, live_server) -> None:
    run, first = before_a_bend()
    window = window_of(browser, live_server.url, first, viewport=PHONES[1], has_touch=True, is_mobile=True)
    page = window.new_page()
    page.goto(f"{run.get_absolute_url()}?plan=2:2.1.o1+1:2.1.o2+c:3.1.l")
    plan = page.locator("#panel .draft .plan li")
    expect(plan).to_have_count(3)
    fan = page.locator(".fan")

    tap(page, page.locator("svg .laid a[data-change='2']"))
    expect(fan).to_have_attribute("data-space", "2.1.o2")
    expect(fan.get_by_role("button", name="Gear 1")).to_have_attribute("aria-pressed", "true")
    assert serious_faults(page) == []
    tap(page, fan.locator("button[data-move^='c:']"))
    expect(fan).to_have_count(0)
    expect(plan).to_have_count(3)
    expect(plan.nth(1).locator(".die")).to_have_attribute("data-kind", re.compile("coast|leader"))

    plan.nth(0).get_by_role("link").tap()
    expect(fan).to_have_attribute("data-space", OUTSIDE)
    expect(plan.nth(0)).to_have_attribute("aria-current", "true")
    tap(page, fan.locator("button[data-move^='c:']"))
    expect(plan).to_have_count(1)
    expect(page.locator("#panel .notice", has_text="taken off")).to_contain_text("Move 2")
    window.close()


def test_by_keys_two_links_lead_past_the_head_of_the_page_and_past_the_map(browser: Browser, live_server) -> None:
    run, first = before_a_bend()
    window = window_of(browser, live_server.url, first, viewport=DESK)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the turn")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("#panel :focus")).to_have_count(1)
    window.close()


def test_by_keys_the_fan_takes_the_focus_and_gives_it_back_to_the_space(browser: Browser, live_server) -> None:
    run, first = before_a_bend()
    window = window_of(browser, live_server.url, first, viewport=DESK)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    link = target(page, INSIDE)
    expect(link).to_have_attribute("aria-expanded", "false")
    expect(link).to_have_accessible_name(re.compile("1b 2–4 → to 2.1 cut 1; 2–4 →: loss of control|loss of control"))
    link.focus()
    page.keyboard.press("Enter")
    group = page.get_by_role("group", name="To 2.1 cut 1 with")
    buttons = group.get_by_role("button")
    expect(buttons.first).to_be_focused()
    expect(buttons.first).to_have_accessible_name(re.compile(r"^Gear 1\s\+\sbrake.*100\s% to keep control"))
    expect(link).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowRight")
    expect(buttons.nth(1)).to_be_focused()
    page.keyboard.press("Escape")
    expect(group).to_have_count(0)
    expect(link).to_be_focused()
    expect(link).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator("#panel .draft .plan li")).to_have_count(1)
    window.close()


def test_without_script_a_space_leads_to_its_list(browser: Browser, live_server) -> None:
    run, first = before_a_bend()
    window = window_of(browser, live_server.url, first, viewport=DESK, java_script_enabled=False)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    target(page, INSIDE).locator(".chip").click()
    expect(page.get_by_role("heading", name="To 2.1 cut 1 with")).to_be_visible()
    page.get_by_role("button", name="Gear 1 + brake").click()
    expect(page.locator("#panel .draft .plan li")).to_have_count(1)
    window.close()


@pytest.mark.parametrize("size", [*PHONES, DESK], ids=str)
def test_all_that_may_be_chosen_is_in_sight_and_under_no_button(
    browser: Browser, live_server, size: dict[str, int]
) -> None:
    run, first = before_a_bend()
    window = window_of(browser, live_server.url, first, viewport=size)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    if size != DESK:
        map_box, bar = page.locator("figure.map").bounding_box(), page.locator(".map-zoom").bounding_box()
        assert map_box is not None and bar is not None
        assert bar["y"] >= map_box["y"] + map_box["height"] - 1, "the buttons stand under the map, never on it"
    plan = page.locator("#panel .draft .plan li")
    for laid in range(4):
        expect(plan).to_have_count(laid)
        page.evaluate(AT_REST)
        if not laid:
            assert page.locator("svg .car.mine").evaluate_all(OUT_OF_SIGHT) == 0
        assert page.locator("svg a.target .chip").evaluate_all(OUT_OF_SIGHT) == 0, laid
        assert page.locator(".map-zoom button, .stagehead").evaluate_all(OVER) == 0, laid
        page.locator("#panel .choices li:not(.danger) button[name=move]").first.click()
    window.close()


@pytest.mark.parametrize("size", PHONES, ids=str)
def test_a_phone_shows_a_tile_and_half_of_the_road_and_spaces_for_a_finger(
    browser: Browser, live_server, size: dict[str, int]
) -> None:
    """The last die of a turn is planned for the limits after it."""
    run, first = before_a_bend()
    window = window_of(browser, live_server.url, first, viewport=size, has_touch=True, is_mobile=True)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.evaluate(AT_REST)
    assert page.locator("figure.map").evaluate(TILES_ACROSS) > 1.5
    for space in page.locator("svg a.target").all():
        box = space.bounding_box()
        assert box is not None and min(box["width"], box["height"]) >= FINGER
    window.close()


def test_what_was_moved_under_the_buttons_comes_out_with_the_next_choice(browser: Browser, live_server) -> None:
    run, first = before_a_bend()
    window = window_of(browser, live_server.url, first, viewport=DESK)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.evaluate(AT_REST)
    chips, covers = page.locator("svg a.target .chip"), page.locator(".map-zoom button, .stagehead")
    figure, chip, bar = (
        part.bounding_box() for part in (page.locator("figure.map"), chips.last, page.locator(".map-zoom"))
    )
    assert figure is not None and chip is not None and bar is not None
    x, y = figure["x"] + 60, figure["y"] + figure["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + bar["x"] + bar["width"] / 2 - chip["x"] - chip["width"] / 2, y, steps=4)
    page.mouse.move(
        x + bar["x"] + bar["width"] / 2 - chip["x"] - chip["width"] / 2,
        y + bar["y"] + bar["height"] / 2 - chip["y"] - chip["height"] / 2,
        steps=4,
    )
    page.mouse.up()
    assert covers.evaluate_all(OVER) > 0, "a hand has moved it there"
    page.locator("#panel .choices li:not(.danger) button[name=move]").first.click()
    expect(page.locator("#panel .draft .plan li")).to_have_count(1)
    page.evaluate(AT_REST)
    assert covers.evaluate_all(OVER) == 0
    assert chips.evaluate_all(OUT_OF_SIGHT) == 0
    window.close()
