"""Takes the pictures of the stage page and of a replay in docs/screenshots from the demo's club.

.venv/bin/python -m pytest tests/browser/screenshots.py

The test suite does not collect it, because it writes into docs/. The secret of the run is fixed, so that the dice and
the pictures are always the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, expect

from championship.demo.persons import DRIVER
from championship.demo.services import seed
from championship.rallies.models import Entry
from championship.runs.models import Run
from championship.runs.play import drive_codrivers
from engine import chance, registry
from tests.browser.desk import window_of
from tests.championship.runs.factories import careful_turn, play

pytestmark = pytest.mark.django_db(transaction=True)

FOLDER = Path(settings.BASE_DIR) / "docs" / "screenshots"
DESK = {"width": 1440, "height": 900}
PHONE = {"width": 360, "height": 740}
TURNS = 4
SECRET = bytes(range(chance.SECRET_BYTES))


@pytest.fixture
def stage(live_server) -> Iterator[tuple[Run, Entry]]:
    """The demo's first stage after a few rounds, and the driver to play."""
    seed()
    entry = Entry.objects.select_related("driver").get(driver__email=DRIVER.email, rally__game="dirt")
    run = Run.objects.get(seats__entry=entry)
    Run.objects.filter(pk=run.pk).update(secret=SECRET, commitment=chance.commitment(SECRET))
    rules = registry.get("dirt")
    me = str(entry.start_number)
    while True:
        while drive_codrivers(run_id=run.pk):
            pass
        run.refresh_from_db()
        if rules.turns_made(run.state, me) >= TURNS and rules.to_play(run.state) == (me,):
            break
        play(run, entry, **careful_turn(run))
    yield run, entry


def lay(page: Page, plan: list[str]) -> None:
    """Plan the turn move by move."""
    for place, move in enumerate(plan, 1):
        page.locator(f"#panel button[name=move][value='{move}']").click()
        expect(page.locator("#panel .plan:not(.rolled *) > li")).to_have_count(place)


def test_pictures_of_the_stage_page(browser: Browser, live_server, stage: tuple[Run, Entry]) -> None:
    run, entry = stage
    plan = registry.get("dirt").autopilot(run.state, str(entry.start_number))["plan"].split()
    desk = window_of(browser, live_server.url, entry, viewport=DESK, reduced_motion="reduce")
    page = desk.new_page()
    page.goto(run.get_absolute_url(), wait_until="networkidle")
    page.screenshot(path=FOLDER / "stage.png")
    lay(page, plan[:-1])
    page.screenshot(path=FOLDER / "plan.png")
    page.goto(f"{run.get_absolute_url()}replay/?at={run.events_told - 3}", wait_until="networkidle")
    page.screenshot(path=FOLDER / "replay.png")
    desk.close()

    phone = window_of(
        browser,
        live_server.url,
        entry,
        viewport=PHONE,
        device_scale_factor=1.5,
        has_touch=True,
        is_mobile=True,
        reduced_motion="reduce",
    )
    page = phone.new_page()
    page.goto(run.get_absolute_url(), wait_until="networkidle")
    page.screenshot(path=FOLDER / "phone.png")
    page.get_by_role("button", name="One by one").tap()
    roll = page.locator("#panel button[name=do][value=roll]")
    for _roll in range(2):
        expect(roll).to_be_visible()
        before = page.locator("#panel [name=version]").first.input_value()
        roll.click()
        page.wait_for_function("seen => document.querySelector('#panel [name=version]').value !== seen", arg=before)
    page.wait_for_load_state("networkidle")
    page.evaluate("window.scrollTo(0, 0)")
    page.screenshot(path=FOLDER / "roll.png")
    phone.close()
