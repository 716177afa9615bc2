"""The replay of a stage in a real browser: with keys, played, by its links, and without scripts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from championship.runs.models import Run
from tests.browser import axe
from tests.championship.runs.factories import driven_to_the_end, on_the_road

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


def driven() -> Run:
    """A stage that two cars have finished."""
    run, entries = on_the_road("Ana", "Bo", stages=("4/1",))
    driven_to_the_end(run, *entries)
    return run


def replay_of(run: Run, at: int) -> str:
    """Return the address of a moment in the replay."""
    return f"{run.get_absolute_url()}replay/?at={at}"


def at(page: Page, number: int) -> None:
    """Check that the page shows that moment, and that its address contains it."""
    expect(page.locator("#moment")).to_have_attribute("data-at", str(number))
    expect(page).to_have_url(re.compile(rf"/replay/\?at={number}$"))


def places_of_cars(page: Page) -> list[str]:
    """Return the positions of the cars on the map."""
    cars = page.locator("#replay .cars > *")
    found: list[str] = cars.evaluate_all("cars => cars.map(car => car.getAttribute('transform'))")
    return found


def test_arrow_keys_step_through_the_stage_without_leaving_the_page(page: Page) -> None:
    run = driven()
    page.goto(replay_of(run, 0))
    page.evaluate("window.sameDocument = true")
    land = page.locator("#replay figure svg").first.element_handle()
    grid = places_of_cars(page)
    moved = run.events.filter(kind="move").order_by("number")[0].number
    for number in range(1, moved + 1):
        page.keyboard.press("ArrowRight")
        at(page, number)
    assert places_of_cars(page) != grid
    assert land is not None
    assert land.evaluate("land => land.isConnected"), "the map itself stays"
    page.keyboard.press("ArrowLeft")
    at(page, moved - 1)
    assert places_of_cars(page) == grid
    assert page.evaluate("window.sameDocument")
    for _press in range(3):
        page.keyboard.press("ArrowLeft")
    at(page, max(0, moved - 4))
    page.reload()
    at(page, max(0, moved - 4))


def test_many_keys_in_a_row_end_where_they_lead(page: Page) -> None:
    run = driven()
    page.goto(replay_of(run, 0))
    for _press in range(25):
        page.keyboard.press("ArrowRight")
    at(page, 25)
    page.keyboard.press("ArrowLeft")
    at(page, 24)


def test_keys_lead_from_turn_to_turn_and_to_both_ends(page: Page) -> None:
    run = driven()
    turns = run.turns.order_by("number")
    second = run.events.filter(post__turn=turns[1]).order_by("number")[0].number
    page.goto(replay_of(run, 1))
    page.keyboard.press("Shift+ArrowRight")
    at(page, second)
    page.keyboard.press("Shift+ArrowLeft")
    at(page, 1)
    page.keyboard.press("End")
    at(page, run.events_told)
    page.keyboard.press("Home")
    at(page, 0)


def test_space_plays_the_stage_to_its_end(page: Page) -> None:
    run = driven()
    last = run.events_told
    page.goto(replay_of(run, last - 4))
    play = page.get_by_role("button", name="Play")
    page.get_by_role("radio", name="4×").check()
    page.locator("h1").click()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_have_attribute("aria-pressed", "true")
    at(page, last)
    expect(play).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_role("link", name="Next event")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#said")).to_have_text("The stage is over.")
    play.click()
    expect(page).not_to_have_url(re.compile(rf"at={last}$"))
    page.keyboard.press("ArrowLeft")
    expect(play).to_have_attribute("aria-pressed", "false")
    assert int(page.locator("#moment").get_attribute("data-at") or last) < last - 4, "it began again"


def test_the_camera_goes_along_from_the_start_and_may_be_let_go(page: Page) -> None:
    run = driven()
    page.goto(replay_of(run, 8))
    follow = page.get_by_role("button", name="Follow whose turn it is")
    expect(follow).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Play").click()
    expect(follow).to_have_attribute("aria-pressed", "true")
    expect(page.locator("figure.map")).to_have_class(re.compile("near"))
    page.get_by_role("button", name="Pause").click()
    follow.click()
    expect(follow).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="Play").click()
    expect(follow).to_have_attribute("aria-pressed", "false")


def test_the_log_leads_to_a_moment_and_the_time_line_on_to_a_turn(page: Page) -> None:
    run = driven()
    page.goto(f"{run.get_absolute_url()}log/#p3")
    page.locator("#p3 .when").click()
    moment = run.posts.get(number=3).events.exclude(kind__in=["round", "over"]).order_by("-number")[0].number
    at(page, moment)
    third = page.locator(".timeline a").nth(2)
    first = int(third.get_attribute("data-at") or "")
    third.click()
    at(page, first)
    expect(third).to_have_attribute("aria-current", "step")
    expect(page.locator(".timeline [aria-current]")).to_have_count(1)
    page.get_by_role("link", name="Next event").focus()
    page.keyboard.press("Enter")
    at(page, first + 1)
    expect(page.get_by_role("link", name="Next event")).to_be_focused()
    page.get_by_label("Event").fill("7")
    at(page, 7)


def test_without_script_all_of_it_is_links(browser: Browser, live_server) -> None:
    run = driven()
    window = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = window.new_page()
    page.goto(replay_of(run, 0).partition("?")[0])
    page.get_by_role("link", name="Next event").click()
    at(page, 1)
    page.get_by_role("link", name="Next turn").click()
    page.get_by_role("link", name="Previous turn").click()
    at(page, 1)
    page.get_by_role("link", name="Last").click()
    at(page, run.events_told)
    page.get_by_role("link", name="Previous event").click()
    at(page, run.events_told - 1)
    page.locator(".timeline a").first.click()
    at(page, 1)
    page.get_by_role("button", name="Show").click()
    at(page, 1)
    expect(page.get_by_role("button", name="Play")).to_be_hidden()
    window.close()


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (1280, "dark")])
def test_the_pages_fit_and_axe_finds_nothing_serious(browser: Browser, live_server, width: int, scheme: str) -> None:
    run = driven()
    window = browser.new_context(
        base_url=live_server.url, viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    page = window.new_page()
    own = run.get_absolute_url()
    told = [f"{own}log/", f"{own}gaps/", f"{own}replay/", replay_of(run, run.events_told // 2), "/rules/dirt/#M3"]
    for path in (*told, f"/rallies/{run.special_stage.rally.key}/stages/1/gaps/"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        found = [each for each in axe.violations(page) if each["impact"] in axe.GRAVE]
        bad = [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]
        assert bad == [], path
    window.close()
