"""A list of drivers is imported: file, columns, who is who, a look, done; with scripts and without, by keyboard."""

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
    content = "name;crew\nAna;Ana / Ann\nBob;Bo / Bea\n"
    page.get_by_label("A file").set_input_files(
        {"name": "drivers.csv", "mimeType": "text/csv", "buffer": content.encode("utf-16")}
    )
    page.get_by_role("button", name="Read the list").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Which column is what")
    expect(page.get_by_label("name", exact=True)).to_have_value("name")
    if script:
        assert not axe.violations(page)
    page.get_by_role("button", name="Go on: who is who").press("Enter")
    expect(page.get_by_role("heading", level=2).first).to_have_text("1 name to settle")
    if script:
        assert not axe.violations(page)
    page.get_by_role("group").filter(has_text="Bob").get_by_label("Bo", exact=False).first.check()
    page.get_by_role("button", name="Go on with these people").press("Enter")
    expect(page.get_by_text("Bo / Bea").first).to_be_visible()
    assert not Entry.objects.exists()
    if script:
        assert not axe.violations(page)
    page.get_by_role("button", name="Import this list").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Imported list")
    assert sorted(Entry.objects.values_list("crew", flat=True)) == ["Ana / Ann", "Bo / Bea"]
    window.close()
