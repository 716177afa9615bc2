"""A turn with the keyboard only."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from championship.runs.models import Event
from tests.browser.desk import DESK, window_of
from tests.championship.runs.factories import on_the_road

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PICKED = "svg a.target.picked"


def chosen(page: Page) -> str:
    """Return the move that has the focus, in the notation of plans."""
    move: str = page.evaluate("document.activeElement.value || ''")
    return move


def test_a_turn_by_keys_alone(browser: Browser, live_server) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    window = window_of(browser, live_server.url, first, viewport=DESK, reduced_motion="reduce")
    page = window.new_page()
    page.goto(run.get_absolute_url())
    press = page.keyboard.press

    press("1")
    assert chosen(page).startswith("1:")
    expect(page.locator(PICKED)).to_have_count(1)
    offered = page.locator("#panel button[name=move]").evaluate_all("all => all.map(button => button.value)")
    seen = {chosen(page)}
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"):
        press(key)
        assert chosen(page) in offered, "only what the server offers is chosen"
        seen.add(chosen(page))
    assert len({move.split(":")[1] for move in seen}) > 1, "arrows go from space to space"
    press("1")
    press("Enter")
    expect(page.locator("#panel .plan li")).to_have_count(1)
    press("2")
    assert chosen(page).startswith("2:")
    press("Enter")
    expect(page.locator("#panel .plan li")).to_have_count(2)
    press("c")
    assert chosen(page).startswith("c:")
    press("Enter")
    expect(page.locator("#panel .plan li")).to_have_count(3)
    press("Backspace")
    expect(page.locator("#panel .plan li")).to_have_count(2)

    press("i")
    expect(page.locator("#sheet")).to_be_visible()
    press("Escape")
    expect(page.locator("#sheet")).to_be_hidden()
    press("?")
    expect(page.get_by_text("take back the last move")).to_be_visible()
    press("?")
    press("r")
    expect(page.get_by_role("button", name="One by one")).to_be_focused()
    assert not Event.objects.filter(run=run, kind="roll").exists()
    press("Enter")
    roll = page.locator("#panel button[name=do][value=roll]")
    expect(roll).to_be_visible()
    before = page.locator("#panel [name=version]").first.input_value()
    press("r")
    expect(roll).to_be_focused()
    press("Enter")
    page.wait_for_function("seen => !document.querySelector(`#panel [name=version][value='${seen}']`)", arg=before)
    told = Event.objects.filter(run=run).values_list("kind", flat=True)
    assert "roll" in told
    window.close()


def test_digits_and_letters_that_nobody_offers_choose_nothing(browser: Browser, live_server) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    window = window_of(browser, live_server.url, first, viewport=DESK)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    for key in ("6", "x", "c", "Backspace"):
        page.keyboard.press(key)
        assert chosen(page) == "", key
    page.get_by_text("Write the plan").click()
    page.get_by_label("Moves, separated by blanks").fill("")
    page.keyboard.type("1:1.2.l")  # shortcuts do not act while typing
    expect(page.get_by_label("Moves, separated by blanks")).to_have_value("1:1.2.l")
    window.close()


def test_a_digit_that_cannot_be_laid_says_why_and_enter_lays_nothing(browser: Browser, live_server) -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    window = window_of(browser, live_server.url, first, viewport=DESK)
    page = window.new_page()
    posted: list[str] = []
    page.on("request", lambda request: posted.append(request.url) if request.method == "POST" else None)
    page.goto(run.get_absolute_url())
    page.keyboard.press("1")
    assert chosen(page).startswith("1:")
    page.keyboard.press("6")
    said = page.get_by_role("status").filter(has_text="Gear 6 cannot be laid now")
    expect(said).to_be_visible()
    expect(said).to_contain_text("from gear 0 the first gear is 1")  # D4
    expect(page.locator(PICKED)).to_have_count(0)
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    expect(said).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator("#panel .plan li")).to_have_count(1)
    assert len(posted) == 1, "only what was chosen after the refusal is laid"

    for key, why in (("x", "a brake die coasts in the highest gear only"), ("5", "changes the gear by one at most")):
        page.keyboard.press(key)
        expect(page.locator("#refused")).to_contain_text(why)
        page.keyboard.press("Enter")
    expect(page.locator("#panel .plan li")).to_have_count(1)
    assert len(posted) == 1
    window.close()
