"""Every page looked at by axe, at the desk and on the phone, by day and by night: nothing serious, nothing critical."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser import axe
from tests.browser.every_page import FRESH, NOBODY, NOT_PAGES, Address, Season, named_addresses, season
from tests.factories import freshly_signed_in, signed_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1366, "height": 900}
COLOURS = {"resultTypes": ["violations"], "runOnly": ["color-contrast", "link-in-text-block"]}
LOOKS = (
    ("phone, day", PHONE, "light", axe.WHOLE),
    ("phone, night", PHONE, "dark", COLOURS),
    ("desk, night", DESK, "dark", axe.WHOLE),
    ("desk, day", DESK, "light", COLOURS),
)
"""What axe looks for by night and by day differs in colours only, so each size is looked at as a whole once."""

WHO = ("nobody", "driver", FRESH, "organiser", "steward", "operator")


@pytest.fixture
def house() -> Season:
    """The club and its pages."""
    return season()


@pytest.fixture
def window(browser: Browser, live_server) -> Iterator[BrowserContext]:
    """A window whose pages may fail at scripts only loudly."""
    errors: list[str] = []
    made = browser.new_context(base_url=live_server.url, locale="en-GB", timezone_id="UTC", reduced_motion="reduce")
    made.on("weberror", lambda error: errors.append(str(error.error)))
    yield made
    made.close()
    assert errors == []


def faults_of(page: Page, address: Address) -> list[str]:
    """What axe has against a page in any of its looks, in lines that say where."""
    found = []
    for look, size, scheme, options in LOOKS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        for fault in axe.violations(page, options=options):
            if fault["impact"] in axe.GRAVE:
                where = "; ".join(f"{node['target']} {node['html'][:160]}" for node in fault["nodes"][:4])
                found.append(f"{address.name} ({look}): {fault['id']}: {fault['help']}: {where}")
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        if wide > 0:
            found.append(f"{address.name} ({look}): the page is {wide} pixels wider than the window")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("who", WHO)
def test_axe_finds_nothing_grave_on_any_page(house: Season, window: BrowserContext, live_server, who: str) -> None:
    if who != NOBODY:
        client = (freshly_signed_in if who == FRESH else signed_in)(house.people[who])
        window.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
    page = window.new_page()
    found: list[str] = []
    looked_at = [address for address in house.pages if address.who == who]
    for address in looked_at:
        answer = page.goto(address.path)
        assert answer is not None
        if address.route and answer.status != 200:
            found.append(f"{address.name}: {answer.status} at {address.path}")
            continue
        if who == FRESH and urlsplit(page.url).path != address.path:
            found.append(f"{address.name} is another page: {page.url}")
            continue
        found += faults_of(page, address)
    assert looked_at
    assert not found, "\n".join(found)


def test_no_page_is_left_out(house: Season) -> None:
    """A new address is looked at, or it is said why not."""
    looked_at = {address.route for address in house.pages}
    assert named_addresses() - looked_at - NOT_PAGES == set()
    assert NOT_PAGES & looked_at == set()
    assert {address.who for address in house.pages} == set(WHO)


def test_a_look_finds_what_is_wrong(window: BrowserContext) -> None:
    """Given a page with faults by day, by night and in its width, each is found where it is."""
    page = window.new_page()
    page.set_content("""<!doctype html><html lang="en"><title>Faults</title><main><h1>Faults</h1>
        <style>:root { color-scheme: light dark; } body { background: Canvas; } p { color: #777; }
        @media (prefers-color-scheme: dark) { p { color: #333; } }
        @media (max-width: 400px) { div { width: 600px; } }</style>
        <p>Hard to read by night.</p><div><img src="data:,"></div></main></html>""")
    found = "\n".join(faults_of(page, Address("faults", "", NOBODY, "/")))
    assert "(phone, day): image-alt" in found
    assert "(phone, night): color-contrast" in found
    assert "(desk, night): color-contrast" in found
    assert "(desk, day): color-contrast" in found, "#777 on white is a shade too light"
    assert "(phone, day): the page is" in found
    assert "(desk, day): the page is" not in found
