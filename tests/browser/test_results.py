"""The rally sheet on screen and on paper, in a real browser, and results on the smallest phone."""

from __future__ import annotations

import io

import pytest
from playwright.sync_api import Browser
from pypdf import PdfReader

from championship.rallies import services
from championship.rallies.models import Rally, SpecialStage
from tests.championship.rallies.factories import damaged, drive, organiser_of, started
from tests.championship.rallies.followers import nobody_follows

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("nobody_listens"),
    pytest.mark.slow,
]

STAGES = [f"{rally}/{stage}" for rally in (1, 2) for stage in (1, 2, 3)]
SMALL = {"width": 320, "height": 640}
LONG = "Wolfeschlegelsteinhausenbergerdorff Bo"


@pytest.fixture
def nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rallies without the apps that follow them: times are recorded directly."""
    nobody_follows(monkeypatch)


def driven() -> Rally:
    """A rally of six stages. Eight crews have driven two of them; one crew has retired and one has a penalty."""
    rally, entries = started(*[f"Crew {n}" for n in range(7)], LONG, stages=STAGES, options={"checkpoints": False})
    for number in (1, 2):
        times = {entry: 200 + (n * 7 * number) % 50 for n, entry in enumerate(entries)}
        cars = {entry: damaged(gear=1) for entry in entries}
        drive(rally, number, {**times, entries[3]: None}, why="wrecked", cars=cars)
        stage = rally.stages.get(number=number)
        if stage.status == SpecialStage.Status.TIME_CONTROL:
            services.close_time_control(by=organiser_of(rally), special_stage=stage)
    services.give_penalty(by=organiser_of(rally), entry=entries[0], amount=30, reason="Jump start")
    return rally


def test_the_sheet_is_seen_and_printed_one_page_each_across_with_nothing_around_it(
    browser: Browser, live_server
) -> None:
    rally = driven()
    with browser.new_context(base_url=live_server.url, locale="en-GB") as window:
        page = window.new_page()
        page.goto(f"/rallies/{rally.key}/sheet/")
        for number in range(2):
            table = page.locator("table.rallysheet").nth(number)
            around = table.locator("xpath=..").bounding_box()
            assert around is not None
            assert around["height"] >= table.evaluate("table => table.offsetHeight"), "the table lies in its place"
        printed = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True))).pages
    assert len(printed) == 2, "one sheet a page"
    for paper, said in zip(printed, ("Crew 0", "Crew 6"), strict=True):
        assert paper.mediabox.width > paper.mediabox.height, "across"
        text = paper.extract_text()
        assert said in text
        for around_it in ("Sign in", "Podium", "PDF", "Skip to"):
            assert around_it not in text, around_it


def test_results_are_read_on_the_smallest_phone_and_their_papers_come_by_their_links(
    browser: Browser, live_server
) -> None:
    rally = driven()
    with browser.new_context(
        base_url=live_server.url, locale="en-GB", viewport=SMALL, java_script_enabled=False
    ) as window:
        page = window.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(f"/rallies/{rally.key}/stages/2/")
        page.get_by_role("link", name="Overall after stage 2").click()
        page.wait_for_url("**/stages/2/overall/")
        assert page.evaluate("document.documentElement.scrollWidth") <= SMALL["width"]
        assert page.get_by_text("retired on stage 1: wrecked").count() > 0
        assert page.get_by_text("Jump start").count() == 1
        page.goto(f"/rallies/{rally.key}/podium/")
        papers = {"Rally sheet, PDF": b"%PDF", "Results, CSV": b"\xef\xbb\xbf", "Picture to share": b"\x89PNG"}
        for link, start in papers.items():
            with page.expect_download() as coming:
                page.get_by_role("link", name=link).click()
            with open(coming.value.path(), "rb") as file:
                assert file.read(4).startswith(start), link
    assert not said
