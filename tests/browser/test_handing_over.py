"""Handing the car over on a narrow phone: by keyboard, without scripts, without an overflow, and near the turn."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from championship.rallies.models import Entry
from championship.runs.models import Run, Seat
from tests.browser import axe
from tests.browser.desk import AT_REST, MIDDLE, first_of, window_of
from tests.browser.test_first_turn import sign_in
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import on_the_road
from tests.games.dust.pages import scenes
from tests.games.formula_d.pages.tables import on_the_grid, playing

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("scripts", [True, False])
def test_the_form_works_by_keyboard_at_320_pixels(browser: Browser, live_server, scripts: bool) -> None:
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    size = {"width": 320, "height": 640}
    window = window_of(browser, live_server.url, bo, viewport=size, java_script_enabled=scripts)
    page = window.new_page()
    page.goto(bo.rally.get_absolute_url())
    page.locator("summary", has_text="Let the codriver drive").press("Enter")
    smallest = page.get_by_role("radio", name="My next turn only")
    expect(smallest).to_be_checked()
    expect(page.get_by_role("button", name="Hand the car over")).to_be_visible()
    if scripts:
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, "nothing overflows"
    smallest.press("ArrowDown")
    expect(page.get_by_role("radio", name="Until Stage 1 is over")).to_be_checked()
    page.get_by_role("button", name="Hand the car over").press("Enter")
    expect(page.get_by_text("until Stage 1 is over")).to_be_visible()
    assert Seat.objects.get(run=run, entry=bo).handed_over == Seat.HandedOver.STAGE
    page.get_by_role("button", name="Take the wheel back").press("Enter")
    expect(page.get_by_text("You have the wheel again.")).to_be_visible()
    window.close()


@pytest.mark.parametrize("scripts", [True, False])
def test_the_desk_hands_a_car_over_and_back_by_keyboard_at_320_pixels(browser: Browser, live_server, scripts) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    size = {"width": 320, "height": 640}
    window = browser.new_context(
        base_url=live_server.url, locale="en-GB", timezone_id="UTC", viewport=size, java_script_enabled=scripts
    )
    sign_in(window, organiser_of(ana.rally), live_server.url)
    page = window.new_page()
    page.goto(f"/rallies/{ana.rally.key}/desk/")
    row = page.locator(f"#entry-{ana.pk}")
    row.locator("summary", has_text="More").press("Enter")
    row.locator("summary", has_text="To the codriver").press("Enter")
    smallest = row.get_by_role("radio", name="This turn only")
    expect(smallest).to_be_checked()
    if scripts:
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, "nothing overflows"
        assert axe.violations(page) == []
    smallest.press("ArrowDown")
    expect(row.get_by_role("radio", name="Until Stage 1 is over")).to_be_checked()
    row.get_by_label("Reason (optional); the log keeps it").fill("Is ill")
    row.get_by_role("button", name="Give the car to the codriver").press("Enter")
    expect(row.get_by_text("codriver: Stage 1")).to_be_visible()
    assert Seat.objects.get(run=run, entry=ana).handed_over == Seat.HandedOver.STAGE
    row.locator("summary", has_text="More").press("Enter")
    row.get_by_role("button", name=f"Back to the driver {ana.crew}").press("Enter")
    expect(page.get_by_text(f"{ana.crew} drives again.")).to_be_visible()
    assert not Seat.objects.get(run=run, entry=ana).handed_over


PHONE = {"width": 390, "height": 844}  # CSS pixels


def to_play(game: str) -> tuple[Run, Entry]:
    """Return a run of a game, and the entry whose turn it is."""
    if game == "dust":
        run, (first, *_others) = scenes.on_the_road("Ana", "Bo")
        return run, first
    run, _entries = on_the_road("Ana", "Bo") if game == "dirt" else on_the_grid("Ana", "Bo", start_roll=False)
    return run, first_of(run) if game == "dirt" else playing(run)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("game", ["dirt", "formula_d", "dust"])
def test_on_a_phone_the_fold_is_one_tap_away_and_fits_the_screen(
    browser: Browser, live_server, game: str, scheme: str
) -> None:
    run, entry = to_play(game)
    how = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "color_scheme": scheme}
    window = window_of(browser, live_server.url, entry, **how)
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.wait_for_load_state("load")
    page.get_by_role("link", name="Let the codriver drive").tap()
    fold, button = page.locator("#hand-over"), page.get_by_role("button", name="Hand the car over")
    expect(button).to_be_visible()
    page.evaluate(AT_REST)
    for part in (fold.locator("summary"), fold.get_by_role("radio").first, fold.locator("select")):
        assert part.evaluate(MIDDLE)["free"], "the map does not cover it"
    assert fold.evaluate("fold => fold.offsetHeight") < PHONE["height"]
    button.evaluate("button => button.scrollIntoView({ block: 'nearest', behavior: 'instant' })")
    page.evaluate(AT_REST)
    assert button.evaluate(MIDDLE)["free"], "the tray does not cover it"
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    button.tap()
    expect(page.get_by_text("The codriver drives one turn for")).to_be_visible()
    window.close()
