"""Takes the pictures in docs/screenshots from the demo: the stage page, a replay, the season's page.

.venv/bin/python -m pytest tests/browser/screenshots.py

The test suite does not collect it, because it writes into docs/. The demo is recorded, so that the pictures show the
same cars at the same places; only the roll differs, because a browser's salt is random.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, expect

from championship.demo.clubs import CHAMPIONSHIP
from championship.demo.persons import DRIVER
from championship.demo.services import seed
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run
from championship.seasons.models import Championship
from engine import registry
from tests.browser.desk import window_of

pytestmark = pytest.mark.django_db(transaction=True)

FOLDER = Path(settings.BASE_DIR) / "docs" / "screenshots"
DESK = {"width": 1440, "height": 900}
PHONE = {"width": 360, "height": 740}


@pytest.fixture
def stage(live_server) -> tuple[Run, Entry]:
    """The stage of the demo's season that is under way, and the driver to play."""
    seed()
    entry = Entry.objects.select_related("driver").get(
        driver__email=DRIVER.email, rally__game="dirt", rally__status=Rally.Status.RUNNING
    )
    return Run.objects.get(seats__entry=entry), entry


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
    page.goto(Championship.objects.get(name=CHAMPIONSHIP).get_absolute_url(), wait_until="networkidle")
    page.screenshot(path=FOLDER / "season.png")
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
        expect(page.locator("#panel [name=version]").first).not_to_have_value(before)
    page.wait_for_load_state("networkidle")
    page.evaluate("window.scrollTo(0, 0)")
    page.screenshot(path=FOLDER / "roll.png")
    phone.close()
