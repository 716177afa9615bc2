"""The first turns of a new user in a browser: from the landing page to the practice stage, lesson by lesson."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from championship.games.dirt import lessons
from championship.rallies.models import Entry
from championship.runs.models import Practice, Run
from tests.browser.test_first_turn import sign_in
from tests.championship.runs.factories import put
from tests.factories import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


ONTO_THE_STAGE = re.compile("^(To practice|Practise Rallyman: DIRT)$")


def lesson(page: Page, title: str) -> None:
    """Check that the panel shows this lesson."""
    expect(page.locator(".practice .lesson h3")).to_contain_text(title)


def onto_the_stage(page: Page) -> None:
    """Go from the page about practising to the stage. Return when its scripts have run."""
    page.get_by_role("button", name=ONTO_THE_STAGE).click()
    lesson(page, "Lay a plan")
    page.wait_for_load_state("load")


def lay(page: Page, gear: int) -> None:
    """Plan the first move in this gear."""
    laid = page.locator(".plan li").count()
    page.locator("#moves button").filter(has_text=f"Gear {gear}").first.click()
    expect(page.locator(".plan li")).to_have_count(laid + 1)


def test_lessons_follow_the_driver_without_leaving_the_page(
    browser_window: BrowserContext, page: Page, live_server
) -> None:
    zoe = make_user("Zoe")
    page.goto("/")
    page.get_by_role("link", name="What you learn").click()
    expect(page.get_by_role("heading", name="Rallyman: DIRT", level=2)).to_be_visible()
    sign_in(browser_window, zoe, live_server.url)
    page.goto("/turns/")
    onto_the_stage(page)
    page.evaluate("window.sameDocument = true")
    lay(page, 1)
    lesson(page, "Lay a plan")
    lay(page, 2)
    lesson(page, "Roll one by one")
    page.get_by_role("button", name="One by one").click()
    lesson(page, "End a turn in control")
    expect(page.get_by_role("button", name=re.compile("^Stop here"))).to_be_visible()
    expect(page.locator("html.unseen")).to_have_count(0)  # a tap on what is not shown yet chooses nothing
    page.get_by_role("button", name=re.compile("^Stop here")).click()
    lesson(page, "Slide")
    page.locator(".log a", has_text="R1").first.click()
    expect(page.locator("#sheet")).to_contain_text("You roll the first die, and the car moves.")
    for title in ("Take a bend", "Drift", "Go flat out", "Lose control, on purpose"):
        page.get_by_role("button", name="Skip this lesson").click()
        lesson(page, title)
    assert page.evaluate("window.sameDocument"), "one page from the first lesson to the last"
    assert len(Practice.objects.get(person=zoe).skipped) == 4


def test_losing_control_is_offered_happens_and_is_explained(
    browser_window: BrowserContext, page: Page, live_server
) -> None:
    zoe = make_user("Zoe")
    sign_in(browser_window, zoe, live_server.url)
    page.goto("/practice/")
    onto_the_stage(page)
    run = Run.objects.get()
    put(run, Entry.objects.get(), space="3.1.l", gear=5, started=True, on_track=True, sisu=False)
    titles = [str(each.title) for each in lessons.LESSONS]
    for title in titles[1 : titles.index("Lose control, on purpose") + 1]:
        page.get_by_role("button", name="Skip this lesson").click()
        lesson(page, title)
    lesson(page, "Lose control, on purpose")
    expect(page.locator(".practice mark")).to_contain_text("Right now it is certain on 3.2")
    page.locator("#moves li.danger button").first.click()
    page.get_by_role("button", name="One by one").click()
    told = page.locator(".practice [role=status]")
    expect(told).to_contain_text("You lost control and the card said")
    page.get_by_text("All lessons", exact=True).click()
    page.get_by_role("button", name="Leave practice").click()
    expect(page.get_by_text("You have left the practice.")).to_be_visible()
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED


def test_lessons_work_with_script_off(browser: Browser, live_server) -> None:
    zoe = make_user("Zoe")
    window = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    sign_in(window, zoe, live_server.url)
    page = window.new_page()
    page.goto("/practice/")
    page.get_by_role("button", name=ONTO_THE_STAGE).click()
    lay(page, 1)
    lay(page, 2)
    lesson(page, "Roll one by one")
    page.get_by_role("button", name="Skip this lesson").click()
    lesson(page, "End a turn in control")
    window.close()
