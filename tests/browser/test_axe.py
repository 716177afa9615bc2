"""axe checks every page on a desktop and a phone, in the light and the dark theme: no serious or critical fault."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from tests.browser import axe
from tests.browser.every_page import FRESH, NOBODY, NOT_PAGES, Address, Season, named_addresses, season
from tests.factories import freshly_signed_in, signed_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1366, "height": 900}
LOOKS: tuple[tuple[str, ViewportSize, Literal["light", "dark"], bool], ...] = (
    ("phone, day", PHONE, "light", True),
    ("phone, night", PHONE, "dark", False),
    ("desk, night", DESK, "dark", True),
    ("desk, day", DESK, "light", False),
)
"""The window sizes and themes, and whether axe runs the rules that are not about colours. The themes differ only in
colours, so those rules run once for each size. In the second size they run only if it shows parts that no page has
shown in that size: the rules see no other difference between sizes.
"""

GROUPS = ((NOBODY,), ("driver", FRESH), ("organiser", "steward", "operator"))
"""Everybody whose pages are checked, in groups with one club and one list of what was checked already."""


@dataclass(slots=True)
class Seen:
    """What axe has checked on all pages so far: the appearances of words, and the parts that only one size shows.

    scheme: the theme that the window shows now.
    """

    appearances: set[str] = field(default_factory=set)
    parts: set[str] = field(default_factory=set)
    scheme: str = ""


@pytest.fixture
def house() -> Season:
    """The club and its pages."""
    return season()


@pytest.fixture
def window(browser: Browser, live_server) -> Iterator[BrowserContext]:
    """A window on the live server. A script error fails the test."""
    errors: list[str] = []
    made = browser.new_context(base_url=live_server.url, locale="en-GB", timezone_id="UTC", reduced_motion="reduce")
    made.on("weberror", lambda error: errors.append(str(error.error)))
    yield made
    made.close()
    assert errors == []


def faults_of(page: Page, address: Address, seen: Seen) -> list[str]:
    """Return the faults that axe finds on a page in any size and theme, in lines that say where.

    The colour rules run only on words with an appearance that is not in `seen`. The other rules run in the second size
    only if it shows parts that are not in `seen`. Both are added to `seen`.
    """
    found = []
    for look, size, scheme, all_else in LOOKS:
        _turn_to(page, size, scheme, seen)
        shown = axe.appearances(page)
        parts = axe.new_parts(page) if all_else else set()
        first = size == LOOKS[0][1]
        faults = axe.violations(page, options=axe.BUT_COLOURS) if all_else and (first or parts - seen.parts) else []
        faults += axe.faults_of_colour(page, shown - seen.appearances) if shown - seen.appearances else []
        for fault in faults:
            if fault["impact"] in axe.GRAVE:
                where = "; ".join(f"{node['target']} {node['html'][:160]}" for node in fault["nodes"][:4])
                found.append(f"{address.name} ({look}): {fault['id']}: {fault['help']}: {where}")
        seen.appearances |= shown
        seen.parts |= set() if first else parts
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        if wide > 0:
            found.append(f"{address.name} ({look}): the page is {wide} pixels wider than the window")
    return found


def _turn_to(page: Page, size: ViewportSize, scheme: Literal["light", "dark"], seen: Seen) -> None:
    """Change the size and the theme of the window, if they differ: each change lays out the page again."""
    if page.viewport_size != size:
        page.set_viewport_size(size)
    if seen.scheme != scheme:
        page.emulate_media(color_scheme=scheme)
        seen.scheme = scheme


@pytest.mark.slow
@pytest.mark.parametrize("people", GROUPS, ids=lambda people: people[0])
def test_axe_finds_nothing_grave_on_any_page(
    house: Season, window: BrowserContext, live_server, people: tuple[str, ...]
) -> None:
    page = window.new_page()
    found: list[str] = []
    seen = Seen()
    for who in people:
        if who != NOBODY:
            client = (freshly_signed_in if who == FRESH else signed_in)(house.people[who])
            key = client.cookies["sessionid"].value
            window.add_cookies([{"name": "sessionid", "value": key, "url": live_server.url}])
        looked_at = [address for address in house.pages if address.who == who]
        assert looked_at
        for address in looked_at:
            found += faults_at(page, address, seen)
    assert not found, "\n".join(found)


def faults_at(page: Page, address: Address, seen: Seen) -> list[str]:
    """Open the page, and return its faults. An answer other than 200, or another page, is a fault."""
    answer = page.goto(address.path)
    assert answer is not None
    if address.route and answer.status != 200:
        return [f"{address.name}: {answer.status} at {address.path}"]
    if address.who == FRESH and urlsplit(page.url).path != address.path:
        return [f"{address.name} is another page: {page.url}"]
    return faults_of(page, address, seen)


@pytest.mark.slow
def test_no_page_is_left_out(house: Season) -> None:
    """Each URL is checked, or a reason is given."""
    looked_at = {address.route for address in house.pages}
    assert named_addresses() - looked_at - NOT_PAGES == set()
    assert NOT_PAGES & looked_at == set()
    assert {address.who for address in house.pages} == {who for people in GROUPS for who in people}


def test_a_look_finds_what_is_wrong(window: BrowserContext) -> None:
    """A page with faults in the light theme, in the dark theme, in one size and theme only, and in its width: each is
    found.
    """
    page = window.new_page()
    page.set_content("""<!doctype html><html lang="en"><title>Faults</title><main><h1>Faults</h1>
        <style>:root { color-scheme: light dark; } body { background: Canvas; } #both { color: #777; }
        #phone, #desk { display: none; }
        @media (prefers-color-scheme: dark) { #both { color: #333; } #phone { color: #222; } }
        @media (prefers-color-scheme: light) { #desk { color: #ccc; } }
        @media (max-width: 400px) { div { width: 600px; } #phone { display: block; } }
        @media (min-width: 401px) { #desk { display: block; } }</style>
        <p id="both">Hard to read by night, a shade too light by day.</p><p id="phone">On phones, by night.</p>
        <p id="desk">At desks, by day. <img src="data:,"></p><div><img src="data:,"></div></main></html>""")
    found = faults_of(page, Address("faults", "", NOBODY, "/"), Seen())
    contrast = [line for line in found if "color-contrast" in line]
    assert [line.partition(": ")[0] for line in contrast] == [
        f"faults ({look})" for look in ("phone, day", "phone, night", "desk, day")
    ]
    assert "#phone" not in contrast[0] and "#phone" in contrast[1] and "#desk" in contrast[2]
    images = [line for line in found if "image-alt" in line]
    assert [line.partition(": ")[0] for line in images] == ["faults (phone, day)", "faults (desk, night)"]
    assert "#desk" not in images[0] and "#desk" in images[1]
    wide = [line.partition(": ")[0] for line in found if "wider" in line]
    assert wide == ["faults (phone, day)", "faults (phone, night)"]


def test_colours_seen_before_are_not_checked_again(window: BrowserContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second page shows no new colours, so axe checks colours on the first only. It checks all else on both."""
    page = window.new_page()
    page.set_content("""<!doctype html><html lang="en"><title>Fine</title><style>:root { color-scheme: light dark; }
        body { background: Canvas; color: CanvasText; }</style><main><h1>Fine</h1><p>Words.</p></main></html>""")
    structure: list[object] = []
    colours: list[int] = []
    look, look_at_colours, seen = axe.violations, axe.faults_of_colour, Seen()
    monkeypatch.setattr(
        axe, "violations", lambda page, options: structure.append(options) or look(page, options=options)
    )
    monkeypatch.setattr(
        axe, "faults_of_colour", lambda page, shown: colours.append(len(shown)) or look_at_colours(page, shown)
    )
    assert faults_of(page, Address("fine", "", NOBODY, "/"), seen) == []
    assert structure == [axe.BUT_COLOURS], "the desk shows nothing that the phone does not"
    assert len(colours) == 2, "once by day, once by night"
    page.locator("p").evaluate("part => part.insertAdjacentHTML('afterend', '<img src=data:,>')")
    found = faults_of(page, Address("the next", "", NOBODY, "/"), seen)
    assert structure == [axe.BUT_COLOURS] * 2
    assert len(colours) == 2
    assert [line[: line.index(" alternative")] for line in found] == [
        "the next (phone, day): image-alt: Images must have"
    ]


@pytest.mark.parametrize(
    "passed",
    ["<button disabled>Words.</button>", "<div class=laid><button>Words.</button></div>"],
    ids=["disabled", "below a part that a style lays"],
)
def test_words_that_axe_passes_over_count_as_seen_by_no_look(window: BrowserContext, passed: str) -> None:
    """Words that axe cannot judge in the dark theme, and the same words on the next page, where it can: they are found
    there.
    """
    style = """<style>:root { color-scheme: light dark; } body { background: Canvas; } .laid { position: relative; }
        button { color: #000; background: #fff; border: 0; }
        .laid::before { content: ""; position: absolute; inset: 0; background: linear-gradient(#888, #999); }
        @media (prefers-color-scheme: dark) { button { color: #333; background: #222; } }</style>"""
    page = window.new_page()
    seen = Seen()
    found = []
    for part in (passed, "<div><button>Words.</button></div>"):
        page.set_content(f'<!doctype html><html lang="en"><title>A</title>{style}<main><h1>A</h1>{part}</main></html>')
        found.append([line for line in faults_of(page, Address("a", "", NOBODY, "/"), seen) if "contrast" in line])
    assert found[0] == []
    assert [line.partition(": ")[0] for line in found[1]] == ["a (phone, night)"]
