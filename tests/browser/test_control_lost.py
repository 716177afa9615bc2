"""On a phone, what a loss of control asks of the driver is in sight at once, and the page does not move for it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from championship.runs.models import Run
from tests.browser.desk import AT_REST, MIDDLE, first_of, window_of
from tests.championship.runs.factories import on_the_road, too_fast

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 390, "height": 844}  # CSS pixels
LOST = "Control is lost: you choose where, and in which gear."


@pytest.fixture
def run(transactional_db: None) -> Run:
    """A stage under way."""
    return on_the_road("Ana", "Bo")[0]


@pytest.mark.parametrize("scrolled", [0, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_too_fast_flat_out_the_notice_is_seen_first(
    browser: Browser, live_server, run: Run, scheme: str, scrolled: int
) -> None:
    entry = first_of(run)
    plan = too_fast(run, entry)
    how = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "color_scheme": scheme, "reduced_motion": "reduce"}
    window = window_of(browser, live_server.url, entry, **how)
    page = window.new_page()
    page.goto(f"{run.get_absolute_url()}?plan={plan}")
    page.wait_for_load_state("load")
    page.evaluate("there => window.scrollTo({ top: there, behavior: 'instant' })", scrolled)
    before = page.evaluate(AT_REST)
    page.get_by_role("button", name="Flat out").tap()
    notice = page.locator("#panel .tray .why")
    expect(notice).to_contain_text(LOST)
    assert page.evaluate(AT_REST) == pytest.approx(before, abs=2), "the page does not move"
    assert notice.evaluate(MIDDLE)["free"], "nothing lies over it"
    spot = page.locator("#panel .spots button").first
    assert spot.evaluate(MIDDLE)["free"]
    spot.tap()
    expect(page.locator("#panel .spots")).to_have_count(0)
    run.refresh_from_db()
    assert run.events.filter(kind="loss").exists()
    window.close()


def test_without_scripts_one_press_chooses_the_spot(browser: Browser, live_server, run: Run) -> None:
    entry = first_of(run)
    plan = too_fast(run, entry)
    how = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "java_script_enabled": False}
    window = window_of(browser, live_server.url, entry, **how)
    page = window.new_page()
    page.goto(f"{run.get_absolute_url()}?plan={plan}")
    page.get_by_role("button", name="Flat out").click()
    expect(page.locator("#panel .tray .why")).to_contain_text(LOST)
    page.locator("#panel .spots button").first.click()
    expect(page.locator("#panel .spots")).to_have_count(0)
    run.refresh_from_db()
    assert run.events.filter(kind="loss").exists()
    window.close()
