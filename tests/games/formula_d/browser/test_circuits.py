"""Circuits in a real browser: in the library, on their own page, and in a club's editor; on a phone, in the dark theme,
by touch.
"""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from championship.accounts.models import User
from championship.clubs.models import Role
from championship.stages.models import StageDesign
from championship.stages.services import load_library
from engine.formula_d.track import file_of
from tests.browser.desk import serious_faults
from tests.browser.test_first_turn import sign_in
from tests.factories import make_club, make_member

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PHONE = {"width": 320, "height": 640}
SIDEWAYS = "document.documentElement.scrollWidth"
ASKED = "document.querySelector('svg.circuit image')"


def monza() -> StageDesign:
    """A ready-made circuit."""
    load_library()
    return StageDesign.objects.get(club=None, game="formula_d", source="monza")


def window_of(browser: Browser, url: str, user: User, **how: Any) -> BrowserContext:
    """Return a small window in which the user is signed in, prepared for axe."""
    given: dict[str, Any] = {"base_url": url, "locale": "en-GB", "viewport": PHONE, "bypass_csp": True, **how}
    window = browser.new_context(**given)
    sign_in(window, user, url)
    return window


def fits(page: Page) -> None:
    assert page.evaluate(SIDEWAYS) <= PHONE["width"]
    assert serious_faults(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_library_and_a_circuit_fit_a_small_phone(browser: Browser, live_server, scheme: str) -> None:
    design = monza()
    club = make_club()
    olga = make_member(club, roles=[Role.ORGANISER])
    window = window_of(browser, live_server.url, olga, color_scheme=scheme)
    page = window.new_page()
    answers: list[int] = []
    page.on("response", lambda answer: answers.append(answer.status) if "/land/formula_d/" in answer.url else None)
    page.goto(f"/clubs/{club.slug}/stages/")
    expect(page.locator("svg.circuit.small")).to_have_count(8)
    fits(page)
    page.goto(design.get_absolute_url())
    expect(page.locator("svg.circuit")).to_have_accessible_name("Monza")
    page.wait_for_function(ASKED)
    page.wait_for_load_state("networkidle")
    assert answers == [200]
    fits(page)
    window.close()


def test_a_track_is_brought_by_touch(browser: Browser, live_server) -> None:
    monza()
    club = make_club()
    olga = make_member(club, roles=[Role.ORGANISER])
    window = window_of(browser, live_server.url, olga, has_touch=True)
    page = window.new_page()
    page.goto(f"/clubs/{club.slug}/stages/formula_d/build/")
    fits(page)
    page.get_by_role("link", name="Send a file").tap()
    text = file_of("monza")
    page.get_by_label("Or pasted here").fill(text.replace("S1.1.1,straight", "S1.1.1,gravel", 1))
    page.get_by_role("button", name="Put it in the draft").tap()
    expect(page.get_by_text("Line 3, S1.1.1: ").first).to_be_visible()
    fits(page)
    page.get_by_label("Or pasted here").fill(text)
    page.get_by_role("button", name="Put it in the draft").tap()
    expect(page.locator("figure.map svg.circuit")).to_be_visible()
    page.get_by_label("Title of the track").fill("Round the pond")
    page.get_by_role("button", name="Set").tap()
    expect(page.locator("svg.circuit .title")).to_have_text("ROUND THE POND")
    fits(page)
    page.get_by_label("Name of the track").fill("Round the pond")
    page.get_by_role("button", name="Save to the club's library").tap()
    expect(page.get_by_role("heading", name="Round the pond")).to_be_visible()
    fits(page)
    window.close()
