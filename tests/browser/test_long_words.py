"""German and Polish words are longer than English ones. They must not make a page wider than a small phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.test_first_turn import sign_in
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import careful_turn, on_the_road, play

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = 320  # CSS pixels


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "pl"])
def test_no_word_pushes_a_page_wider_than_a_phone(
    browser_window: BrowserContext, page: Page, live_server, language: str
) -> None:
    run, (first, _second) = on_the_road("Wiśniewska-Szczepankiewicz", "Bo")
    rally = run.special_stage.rally
    stage = (
        first.driver,
        [
            "/turns/",
            "/me/",
            run.get_absolute_url(),
            f"{run.get_absolute_url()}?plan=1:1.2.l",
            *(f"{rally.get_absolute_url()}{page}" for page in ("", "stages/1/", "sheet/")),
        ],
    )
    office = (
        organiser_of(rally),
        [
            *(f"/clubs/{rally.club.slug}/{page}" for page in ("", "members/", "log/", "stages/", "rallies/new/")),
            *(f"{rally.get_absolute_url()}desk/{page}" for page in ("", "penalty/")),
        ],
    )
    page.set_viewport_size({"width": PHONE, "height": 700})
    wide = []
    for reader, addresses in (stage, office):
        reader.language = language
        reader.save()
        sign_in(browser_window, reader, live_server.url)
        for address in addresses:
            page.goto(address)
            assert page.locator("html").get_attribute("lang") == language
            if page.evaluate("document.documentElement.scrollWidth") > PHONE:
                wide.append(address)

    play(run, first, **careful_turn(run))
    own = run.get_absolute_url()
    for address in (f"{own}log/", f"{own}replay/?at=3", f"{own}gaps/", f"{own}proof/", "/rules/dirt/"):
        page.goto(address)
        if page.evaluate("document.documentElement.scrollWidth") > PHONE:
            wide.append(address)

    assert wide == []
