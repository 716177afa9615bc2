"""A whole round of Dirt & Dust on a phone, with taps only: the page does not move under the finger."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from championship.runs.models import Run
from tests.browser.desk import AT_REST, LAST_CLICK, PHONE, serious_faults, tap_until, window_of
from tests.games.dust.pages.scenes import ended, on_the_road, post, rich_set, seat_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

NOTHING = 2  # CSS pixels that nobody notices
SEEN = """() => ["#lay [name=plan]", "#panel [name=version]"].map(one => document.querySelector(one)?.value)"""


def tap(page: Page, button: Locator) -> None:
    """Tap a button until the plan or the version has changed. The page must not move under the finger."""
    button.scroll_into_view_if_needed()
    before, there = page.evaluate(SEEN), page.evaluate(AT_REST)
    tap_until(page, button, f"seen => JSON.stringify(({SEEN})()) !== JSON.stringify(seen)", before)
    assert abs(page.evaluate(AT_REST) - there) <= NOTHING, f"{button}: the page has moved"


def play(page: Page, card: str, slot: str) -> None:
    """Tap a card of the hand, then a slot that a die shows."""
    held = page.locator(f".handrow > li:has(button[value^='play {card} ']) [data-pick]")
    held.scroll_into_view_if_needed()
    held.tap()
    lit = page.locator(".slot.takes")
    assert set(lit.evaluate_all("slots => slots.map(slot => slot.dataset.slot)")) >= {slot}
    assert page.locator(".slot.takes:not(:has(.cube))").count() == 0, "only slots with a die are lit"
    tap(page, page.locator(f"#slot-{slot} .place"))


def test_a_whole_round_by_touch(browser: Browser, live_server) -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo", spec=rich_set(8))
    ended(bo, run)
    look = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "reduced_motion": "reduce"}
    window = window_of(browser, live_server.url, ana, **look)
    errors: list[str] = []
    window.on("weberror", lambda error: errors.append(str(error.error)))
    window.add_init_script(LAST_CLICK)
    page = window.new_page()
    page.goto(run.get_absolute_url())

    tap(page, page.get_by_role("button", name="Draw cards and roll"))
    mine = seat_of(run, ana)
    slot, card = mine["dice"][0][1], mine["hand"][0]
    assert serious_faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert not page.locator(".toslots").first.is_visible(), "a card is tapped, then a slot"
    high = page.evaluate("document.documentElement.scrollHeight - document.querySelector('.footer').offsetHeight")
    assert high <= 2.75 * PHONE["height"], "a turn needs few screens"
    strip = page.locator(".strip").bounding_box()
    assert strip is not None and strip["height"] <= PHONE["height"] / 2.8
    play(page, card, slot)
    assert page.locator("#draft + #send [name=plan]").input_value() == f"play {card} {slot}; use {slot} p; do 1; do 2"
    tap(page, page.get_by_role("button", name="Take back"))
    assert page.locator("#send [name=plan]").input_value() == "", "one tap takes back what one tap has laid"
    play(page, card, slot)
    page.get_by_text("Piles", exact=True).first.tap()
    tap(page, page.locator("#lay button[value^='buy ']").first)
    tap(page, page.get_by_role("button", name="Take back"))
    expect(page.locator("#tab-piles")).to_be_checked()
    tap(page, page.locator("#lay button[value^='buy ']").first)
    bought = page.locator("#send [name=plan]").input_value().split("buy ")[1]
    page.get_by_text("Special actions", exact=True).first.tap()
    tap(page, page.locator("#lay button[value='risk']"))
    expect(page.locator(".strip")).to_be_in_viewport(ratio=0.9)
    tap(page, page.get_by_role("button", name="Send and roll"))
    tap(page, page.get_by_role("button", name="End the turn"))

    expect(page.get_by_role("heading", name="How round 1 ended")).to_be_visible()
    run = Run.objects.get(pk=run.pk)
    assert run.state["round"] == 2
    assert bought in run.state["drivers"][str(ana.start_number)]["discard"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert errors == []
    window.close()


def test_a_driver_who_ends_the_turn_far_down_still_sees_the_page(browser: Browser, live_server) -> None:
    """The page of a driver who waits is much shorter than a cockpit."""
    run, (ana, _bo, _cem) = on_the_road("Ana", "Bo", "Cem")
    post(ana, run, "prepare")
    look = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "reduced_motion": "reduce"}
    window = window_of(browser, live_server.url, ana, **look)
    window.add_init_script(LAST_CLICK)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.get_by_role("heading", name="Chance you can check").scroll_into_view_if_needed()
    page.get_by_role("button", name="End the turn").tap()
    expect(page.get_by_text("Your turn of this round is made")).to_be_in_viewport()
    assert page.locator(".deadline").count() == 1, "one moment for all who are still to play"
    assert page.get_by_role("group", name="Position track").count() == 1
    window.close()


def test_a_round_by_keys(browser: Browser, live_server) -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo", spec=rich_set(8))
    ended(bo, run)
    window = window_of(browser, live_server.url, ana)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.get_by_role("button", name="Draw cards and roll").press("Enter")
    page.locator("#draft").wait_for()
    mine = seat_of(run, ana)
    slot, card = mine["dice"][0][1], mine["hand"][0]
    page.locator(f".handrow > li:has(button[value^='play {card} ']) [data-pick]").press("Enter")
    expect(page.locator(".slot.takes").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".slot.takes")).to_have_count(0)
    page.locator(f".handrow > li:has(button[value^='play {card} ']) [data-pick]").press("Enter")
    page.locator(f"#slot-{slot}").press("Enter")
    laid = page.locator("#send [name=plan]")
    expect(laid).to_have_value(f"play {card} {slot}; use {slot} p; do 1; do 2")
    page.keyboard.press("Backspace")
    expect(laid).to_have_value("")
    page.keyboard.press("e")
    expect(page.get_by_role("button", name="End the turn")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="How round 1 ended")).to_be_visible()
    window.close()


def drag(page: Page, item: Locator, onto: Locator) -> None:
    """Drag a card with the mouse from its middle to the middle of another element."""
    for place, what in enumerate((item.locator(".playcard"), onto)):
        box = what.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
        if not place:
            page.mouse.down()
    page.mouse.up()


def test_cards_are_dragged_onto_a_slot_and_into_the_hand(browser: Browser, live_server) -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo", spec=rich_set(8))
    ended(bo, run)
    window = window_of(browser, live_server.url, ana, viewport={"width": 1280, "height": 3000})
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.get_by_role("button", name="Draw cards and roll").click()
    page.locator("#draft").wait_for()
    laid = page.locator("#send [name=plan]")
    mine = seat_of(run, ana)
    slot, card = mine["dice"][0][1], sorted(mine["hand"])[0]
    page.wait_for_load_state("load")
    drag(page, page.locator(".handrow > li").first, page.locator(".pagehead, h1").first)
    expect(laid).to_have_value("")
    drag(page, page.locator(".handrow > li").first, page.locator(f"#slot-{slot}"))
    expect(laid).to_have_value(f"play {card} {slot}; use {slot} p; do 1; do 2")
    pile = page.locator(".piles li[data-drag]").first
    bought = pile.locator("button[value^='buy ']").get_attribute("value")
    drag(page, pile, page.locator(".hand"))
    expect(laid).to_have_value(re.compile(f"; {bought}$"))
    window.close()
