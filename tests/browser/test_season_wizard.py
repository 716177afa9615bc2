"""The season wizard in a real browser: with the keyboard only, and without scripts on a narrow phone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from championship.seasons.models import Championship
from tests.browser.test_first_turn import sign_in
from tests.championship.rallies.factories import designs
from tests.factories import make_club, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

NAMED = """() => {
    const at = document.activeElement;
    const label = at.labels && at.labels.length ? at.labels[0].innerText : "";
    return (at.ariaLabel || label || at.innerText || "").split("\\n")[0].trim();
}"""
"""Returns the name that a screen reader would say for the focused element."""
MOST_TABS = 160


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the element with this name has the focus."""
    seen = []
    for _press in range(MOST_TABS):
        if page.evaluate(NAMED).startswith(name):
            return
        page.keyboard.press("Tab")
        seen.append(page.evaluate(NAMED))
    raise AssertionError(f"{name!r} is not reached by Tab, but {seen}")


def enter(page: Page) -> None:
    """Press Enter, and wait for the next page."""
    with page.expect_navigation():
        page.keyboard.press("Enter")


def heading(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def lays_down_points(page: Page) -> None:
    """With the keyboard: a ready-made scheme, a tie-break moved up twice, other points for the winner."""
    heading(page, "Points")
    tab_to(page, "Use “Twenty places")
    enter(page)
    expect(page.get_by_label("Points for place 20", exact=True)).to_have_value("2")
    tab_to(page, "Up: more stages won")
    enter(page)
    expect(page.locator(".order li").nth(1)).to_contain_text("more stages won")
    expect(page.get_by_role("button", name="Up: more stages won")).to_be_focused()  # the focus stays on the moved line
    enter(page)
    expect(page.locator(".order li").first).to_contain_text("more stages won")
    page.goto(page.url.split("?")[0])
    tab_to(page, "Points for place 1")
    page.keyboard.press("Control+a")
    page.keyboard.type("50")
    enter(page)


def names_classes_and_teams(page: Page) -> None:
    """With the keyboard: two classes and two teams."""
    heading(page, "Classes and teams")
    tab_to(page, "Car classes")
    page.keyboard.type("R5\nR2")
    tab_to(page, "Teams")
    page.keyboard.type("North\nSouth")
    tab_to(page, "Save and continue")
    enter(page)


def fills_the_calendar(page: Page) -> None:
    """With the keyboard: three rounds, the first with a name of its own; then the preview."""
    heading(page, "Calendar")
    tab_to(page, "Rounds")
    page.keyboard.press("Control+a")
    page.keyboard.type("3")
    tab_to(page, "The first on")
    page.keyboard.type("03062027")
    tab_to(page, "Fill in")
    enter(page)
    expect(page.get_by_label("Name")).to_have_count(3)
    tab_to(page, "Name")
    page.keyboard.press("Control+a")
    page.keyboard.type("Night of the foxes")
    enter(page)
    heading(page, "Rallies")
    tab_to(page, "Save and continue")
    enter(page)


def is_as_typed(made: Championship) -> None:
    """Assert that the championship has the typed values."""
    assert (made.points[0], made.drop, made.tie_breaks[0]) == (50, 2, "stage wins")
    assert [team.name for team in made.teams.all()] == ["North", "South"]
    rounds = list(made.rounds.select_related("rally").order_by("number"))
    assert [each.rally.name for each in rounds] == ["Night of the foxes", "Rally 2", "Rally 3"]
    days = [each.planned_for for each in rounds]
    assert days[0] is not None and days == [days[0] + timedelta(weeks=4 * number) for number in range(3)]


def test_a_season_is_made_by_keys_alone(browser_window: BrowserContext, page: Page, live_server) -> None:
    designs("1/1")
    olga = make_user("Olga Organiser")
    club = make_club(owner=olga)
    sign_in(browser_window, olga, live_server.url)
    page.goto(f"/clubs/{club.slug}/")
    tab_to(page, "New championship")
    enter(page)

    tab_to(page, "Name")
    page.keyboard.type("Forest Cup")
    enter(page)
    lays_down_points(page)
    names_classes_and_teams(page)
    fills_the_calendar(page)

    heading(page, "Preview")
    expect(page.locator("td s").first).to_be_attached()
    tab_to(page, "Make the season")
    enter(page)
    heading(page, "Forest Cup")
    is_as_typed(Championship.objects.get())


def test_a_season_is_made_with_script_off_and_a_break_between(browser: Browser, live_server) -> None:
    designs("1/1")
    olga = make_user("Olga Organiser")
    club = make_club(owner=olga)

    def phone() -> Page:
        window = browser.new_context(
            base_url=live_server.url, java_script_enabled=False, viewport={"width": 320, "height": 640}
        )
        sign_in(window, olga, live_server.url)
        return window.new_page()

    page = phone()
    page.goto(f"/clubs/{club.slug}/championships/new/")
    page.get_by_label("Name").fill("Forest Cup")
    page.get_by_role("button", name="Save and continue").click()
    page.get_by_role("button", name="Use “Six places for a small club").click()
    page.get_by_role("button", name="Down: more wins").click()
    page.get_by_label("Points for place 3", exact=True).fill("99")
    page.get_by_role("button", name="Save and continue").last.click()
    expect(page.get_by_text("No place may give more points than the one before.")).to_be_visible()
    expect(page.get_by_label("Points for place 3", exact=True)).to_have_value("99")

    later = phone()
    later.goto(f"/clubs/{club.slug}/championships/new/")
    expect(later.get_by_text("You have started a season before")).to_be_visible()
    expect(later.get_by_label("Name")).to_have_value("Forest Cup")
    later.get_by_role("link", name="Preview").click()
    later.get_by_role("button", name="Make the season").click()
    heading(later, "Forest Cup")
    made = Championship.objects.get()
    assert (made.points, made.tie_breaks) == ([10, 7, 5, 3, 2, 1], ["best places", "wins", "last round"])
