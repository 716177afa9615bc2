"""A list of drivers is imported: file chosen, checked, corrected and accepted, with scripts and without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from championship.rallies.models import Entry
from tests.browser import axe
from tests.browser.desk import sign_in
from tests.championship.rallies.factories import make_rally
from tests.factories import make_club, make_member, make_user

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])
def test_a_list_is_chosen_mended_and_taken_over(browser: Browser, live_server, script: bool) -> None:
    olga = make_user("Olga")
    club = make_club(owner=olga)
    for name in ("Ana", "Bo"):
        make_member(club, name=name)
    rally = make_rally(by=olga, club=club)
    window = browser.new_context(
        base_url=live_server.url, java_script_enabled=script, viewport={"width": 360, "height": 800}
    )
    sign_in(window, olga, live_server.url)
    page = window.new_page()

    page.goto(f"/rallies/{rally.key}/desk/")
    page.get_by_role("link", name="Entries from a list").click()
    content = b"name;crew\nAna;Ana / Ann\nBob;Bo / Bea\n"
    page.get_by_label("A CSV file").set_input_files({"name": "drivers.csv", "mimeType": "text/csv", "buffer": content})
    page.get_by_role("button", name="Look at it first").click()
    expect(page.get_by_role("alert")).to_contain_text("Line 3, name: Nobody in the club has this name.")
    lines = page.get_by_label("Or paste its lines")
    expect(lines).to_have_value("name;crew\nAna;Ana / Ann\nBob;Bo / Bea\n")
    if script:
        assert not axe.violations(page)

    lines.fill("name;crew\nAna;Ana / Ann\nBo;Bo / Bea\n")
    lines.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("table")).to_contain_text("Bo / Bea")
    assert not Entry.objects.exists()
    if script:
        assert not axe.violations(page)
    page.get_by_role("button", name="Enter 2 drivers").press("Enter")
    expect(page.get_by_text("2 drivers have been entered.")).to_be_visible()
    assert sorted(Entry.objects.values_list("crew", flat=True)) == ["Ana / Ann", "Bo / Bea"]
    window.close()
