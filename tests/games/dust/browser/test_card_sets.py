"""A club imports a card set on a phone: the errors are readable, the cards can be viewed, and nothing overflows."""

from __future__ import annotations

import os
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from championship.accounts.models import User
from championship.clubs.models import Club, Role
from championship.games.dust.services.sets import import_set
from championship.stages.services import load_library
from engine.dust.cards.card_set_reading import own_text
from tests.browser.desk import DESK, serious_faults
from tests.browser.test_first_turn import sign_in
from tests.factories import make_club, make_member

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

NARROW = {"width": 320, "height": 700}  # CSS pixels
SHOTS = os.environ.get("SHOTS", "")


def page_of(browser: Browser, url: str, person: User, **how: Any) -> Page:
    window = browser.new_context(base_url=url, locale="en-GB", timezone_id="UTC", reduced_motion="reduce", **how)
    sign_in(window, person, url)
    return window.new_page()


def shot(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


@pytest.fixture
def club() -> Club:
    load_library()
    return make_club()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_set_is_brought_on_a_phone(browser: Browser, live_server: Any, club: Club, scheme: Any) -> None:
    olga = make_member(club, roles=[Role.ORGANISER])
    page = page_of(browser, live_server.url, olga, viewport=NARROW, color_scheme=scheme)
    page.goto(f"/dust/clubs/{club.slug}/sets/")
    shot(page, f"sets-{scheme}")
    page.get_by_role("link", name="Bring a card set").click()
    page.get_by_label("Name of the set").fill("The box")
    page.get_by_role("textbox", name="The card set").fill(
        own_text().replace('do = "nudge"', 'do = "fly"').replace("hand = 5", "hand = -5")
    )
    page.get_by_role("button", name="Save the card set").click()
    expect(page.get_by_role("row", name="engine-tuning")).to_contain_text("'fly' is not an operation")
    expect(page.get_by_role("row", name="limits")).to_contain_text("hand is less than 0")
    assert fits(page) and serious_faults(page) == []
    shot(page, f"faults-{scheme}")
    page.get_by_role("textbox", name="The card set").fill(own_text())
    page.get_by_role("button", name="Check it and look at the cards").click()
    expect(page.get_by_role("status").filter(has_text="no faults")).to_be_visible()
    expect(page.locator(".playcard")).to_have_count(34 + 55)
    assert fits(page) and serious_faults(page) == []
    shot(page, f"preview-{scheme}")
    page.get_by_role("button", name="Save the card set").click()
    expect(page.get_by_role("heading", name="The box", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Saltwind Coast · The box 1")).to_be_visible()
    assert fits(page) and serious_faults(page) == []
    page.get_by_role("link", name="Saltwind Coast · The box 1").click()
    expect(page.locator("svg.card-strip")).to_be_visible()
    expect(page.get_by_role("button", name="Closer")).to_have_count(0)  # nothing covers the cards
    assert fits(page) and serious_faults(page) == []
    shot(page, f"design-{scheme}")


def test_icons_are_drawn_and_every_effect_has_words_at_a_desk(browser: Browser, live_server: Any, club: Club) -> None:
    olga = make_member(club, roles=[Role.ORGANISER])
    key = import_set(by=olga, club=club, name="The box", text=own_text()).card_set.key
    page = page_of(browser, live_server.url, olga, viewport=DESK)
    page.goto(f"/dust/clubs/{club.slug}/sets/{key}/")
    effects = page.locator(".playcard-effects > li")
    words = effects.locator(".playcard-words").all_inner_texts()
    assert len(words) == effects.count() and all(word.strip() for word in words)
    drawn = page.locator(".glyph use").first.evaluate("use => use.getBBox().width")
    assert drawn > 0, "the sheet of icons has come"
    assert serious_faults(page) == []
    shot(page, "set-desk")
    page.goto(f"/clubs/{club.slug}/stages/")
    assert fits(page)
    shot(page, "library-desk")
