"""Before the roll on a phone: the camera shows what a gear reaches, and the button is locked while it rolls."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Route, expect

from championship.runs.models import Post, Run
from tests.browser.desk import PHONE, window_of
from tests.browser.test_offline import seen, windows
from tests.games.formula_d.pages.tables import on_the_grid, playing

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

__all__ = ["windows"]

SEEN = """part => {
    const map = document.querySelector("figure.map.full").getBoundingClientRect(), box = part.getBoundingClientRect();
    return box.left >= map.left && box.right <= map.right && box.top >= map.top && box.bottom <= map.bottom;
}"""


def test_reach_and_corner_are_in_sight_and_a_roll_is_sent_once(browser: Browser, live_server) -> None:
    run, _entries = on_the_grid("Ana", "Bo", track="monza", laps=2)
    entry = playing(run)
    seat, state = str(entry.start_number), run.state
    state["cars"][seat].update(space="S2.1.0", gear=4, lap=1, started=True)
    Run.objects.filter(pk=run.pk).update(state=state)
    window = window_of(browser, live_server.url, entry, viewport=PHONE, has_touch=True, reduced_motion="reduce")
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.wait_for_load_state("load")
    expect(page.locator(".reach")).to_have_count(1)
    for part in (".reach", ".car.mine", ".corner-ahead"):
        for each in page.locator(part).all():
            assert each.evaluate(SEEN), f"{part} is out of sight"
    instead = page.locator(".fd-instead")
    gear = instead.get_attribute("href")
    instead.tap()
    expect(page.locator(".fd-gears a[aria-current]")).to_have_attribute("href", str(gear))
    rolling = page.locator("#drive .button")
    rolling.evaluate("button => { button.click(); button.click(); }")
    expect(page.get_by_role("button", name="Drive there")).to_be_visible()
    expect(page.get_by_text("This was received already")).to_have_count(0)
    window.close()


def test_a_turn_that_is_pressed_while_a_choice_is_under_way_waits_for_it(browser: Browser, live_server) -> None:
    run, _entries = on_the_grid("Ana", "Bo", track="monza", laps=2)
    entry = playing(run)
    seat, state = str(entry.start_number), run.state
    state["cars"][seat].update(space="S2.1.0", gear=4, lap=1, started=True)
    Run.objects.filter(pk=run.pk).update(state=state)
    window = window_of(browser, live_server.url, entry, viewport=PHONE, has_touch=True, reduced_motion="reduce")
    page = window.new_page()
    page.goto(run.get_absolute_url())
    page.wait_for_load_state("load")
    slow: list[Route] = []
    page.route(lambda url: "?at=" in url, lambda route: slow.append(route))
    gear = page.locator(".fd-instead").get_attribute("data-gear")
    with page.expect_request(lambda request: "?at=" in request.url):
        page.locator(".fd-instead").tap()
    page.locator("#drive .button").tap()
    expect(page.locator("#sending")).to_be_visible()
    slow[0].continue_()
    expect(page.get_by_role("button", name="Drive there")).to_be_visible()
    assert Post.objects.get(run=run, by=entry.driver).orders["gear"] == int(str(gear))
    window.close()


def test_a_gear_and_an_end_are_chosen_without_connection(windows) -> None:
    run, _entries = on_the_grid("Ana", "Bo", track="monza", laps=2)
    entry = playing(run)
    seat, state = str(entry.start_number), run.state
    state["cars"][seat].update(space="S2.1.0", gear=4, lap=1, started=True)
    Run.objects.filter(pk=run.pk).update(state=state)
    window = windows(entry)
    page = seen(window, run)
    window.set_offline(True)
    instead = page.locator(".fd-instead")
    gear = instead.get_attribute("data-gear")
    instead.tap()
    page.get_by_role("button", name=f"Roll gear {gear}").tap()
    expect(page.locator("#lost .ordered")).to_contain_text(f"Roll gear {gear}")
    expect(page.get_by_text("The die is rolled when the connection is back.")).to_be_visible()
    window.set_offline(False)
    expect(page.get_by_role("button", name="Drive there")).to_be_visible()
    expect(page.locator("#lost")).to_be_hidden()
    window.set_offline(True)
    plan = instead.get_attribute("data-plan")
    instead.tap()
    expect(page.locator(f".fd-ends a[data-plan='{plan}']").first).to_have_attribute("aria-current", "true")
    page.get_by_role("button", name="Drive there").tap()
    expect(page.locator("#lost .ordered")).to_contain_text("Drive there")
    window.set_offline(False)
    expect(page.locator("#lost")).to_be_hidden()
    expect(page.get_by_role("button", name="Drive there")).to_have_count(0)
    posts = Post.objects.filter(run=run, by=entry.driver).order_by("number")
    assert [post.orders["do"] for post in posts] == ["gear", "move"]
    window.close()
