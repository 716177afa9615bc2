"""Tables on the smallest phone: the important columns are visible without horizontal scrolling, and they remain
tables.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from championship.rallies import services
from championship.rallies.models import Rally
from tests.browser.test_first_turn import sign_in
from tests.championship.rallies.factories import drive, enter, make_rally, organiser_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PHONE = {"width": 320, "height": 700}
WIDE = "'DejaVu Sans', Verdana"
"""The fonts of a machine without the page's own fonts and without narrow ones."""
HIDDEN = "each => each.scrollWidth - each.clientWidth"


def set_in(page: Page, face: str) -> None:
    """Write the pages in this font, text and headings. The style sheet itself is replaced, because the content security
    policy blocks styles from elsewhere.
    """

    def rewrite(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(
            response=answer, body=re.sub(r"(--(?:body|narrow|plate-face)): [^;]+;", rf"\1: {face};", answer.text())
        )

    page.route("**/css/tokens*.css", rewrite)


@pytest.fixture
def rally() -> Rally:
    """A rally of two stages, the first driven. One of the names is long."""
    rally = make_rally()
    first, second = enter(rally, "Wiśniewska-Szczepankiewicz", "Bo")
    services.start_rally(by=organiser_of(rally), rally=rally)
    drive(rally, 1, {first: 200, second: 212})
    return rally


@pytest.mark.parametrize("face", ["", WIDE])
@pytest.mark.parametrize("language", ["de", "pl"])
def test_times_gaps_and_actions_are_in_sight(
    browser_window: BrowserContext, page: Page, live_server, rally: Rally, language: str, face: str
) -> None:
    if face:
        set_in(page, face)
    organiser = organiser_of(rally)
    organiser.language = language
    organiser.save()
    sign_in(browser_window, organiser, live_server.url)
    page.set_viewport_size(PHONE)
    for address in ("", "stages/1/", "stages/1/overall/", "desk/"):
        page.goto(f"{rally.get_absolute_url()}{address}")
        tables = page.locator("main .scroll:has(table)")
        expect(tables).not_to_have_count(0)
        for number in range(tables.count()):
            assert tables.nth(number).evaluate(HIDDEN) <= 0, f"table {number} of {address} goes on out of sight"
    page.goto(f"{rally.get_absolute_url()}stages/1/overall/")
    if face:
        used = page.evaluate("getComputedStyle(document.querySelector('main h2, main h1')).fontFamily")
        assert used == face.replace("'", '"'), "no face of the pages' own"
    last = page.get_by_role("row").last
    for words in ("Bo", "3:32", "+0:12"):
        expect(last.get_by_text(words, exact=True).first).to_be_visible()


def test_cells_still_belong_to_rows_and_headings(page: Page, live_server, rally: Rally) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{rally.get_absolute_url()}stages/1/overall/")
    table = page.get_by_role("table").first
    expect(table.get_by_role("columnheader")).to_have_count(6)
    row = table.get_by_role("row").last
    expect(row.get_by_role("rowheader")).to_have_text("Bo")
    expect(row.get_by_role("cell")).to_have_count(5)


def test_a_rally_sheet_scrolls_beside_its_first_column(page: Page, live_server, rally: Rally) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{rally.get_absolute_url()}sheet/")
    sheet = page.locator(".scroll").first
    assert sheet.evaluate(HIDDEN) > 0, "two crews are wider than the phone"
    label = sheet.get_by_role("rowheader").first
    before = label.bounding_box()
    sheet.evaluate("each => { each.scrollLeft = 60; }")
    after = label.bounding_box()
    assert before is not None and after is not None and abs(before["x"] - after["x"]) < 1
    expect(sheet).to_have_attribute("tabindex", "0")
