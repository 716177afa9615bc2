"""A league moves in by phone: from an empty site to a public club with an old season, a running one and sixty entries.

The test counts the taps of the organiser: requests of sixty people are answered all at once.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Literal

import pytest
from django.urls import get_resolver
from playwright.sync_api import Browser, Page, expect

from championship.accounts.models import User
from championship.clubs.models import Club, JoinRequest, Membership
from championship.clubs.services import public_profile
from championship.notices.models import Preferences, SentMail
from championship.platform import clock
from championship.rallies.models import Entry, Rally
from championship.rallies.services import enter_rally
from championship.runs.models import Turn
from championship.seasons.rally_defaults import LEAGUE_TABLE
from championship.stages.services import load_library
from tests.browser.desk import serious_faults
from tests.browser.test_first_turn import sign_in
from tests.factories import make_club, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PHONE = {"width": 390, "height": 844}  # CSS pixels
SIXTY = 60
TABLES = SIXTY // LEAGUE_TABLE
"""The number of tables. At each of them everybody waits for the car that starts first."""
STRANGERS = ("Ana Berg", "Bo Lind")
OLD = """\
rally;date;name;place
Monte Carlo;2025-01-20;Olga;1
Monte Carlo;;Ana of Old;2
Ypres;2025-06-20;Ana of Old;1
Ypres;;Olga;2
"""
LARGEST = 12_000
"""Most bytes sent for a page that shows sixty people, compressed as in production."""
SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
Role = Literal["button", "link"]


class Hand:
    """A person with a phone. Taps are counted. Each page must fit the phone."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.window = browser.new_context(
            base_url=url, locale="en-GB", timezone_id="UTC", viewport=PHONE, has_touch=True, is_mobile=True
        )
        self.errors: list[str] = []
        self.window.on("weberror", lambda error: self.errors.append(str(error.error)))
        self.page: Page = self.window.new_page()
        self.presses = 0

    def open(self, address: str) -> int:
        """Open an address that somebody has sent. Return the bytes sent for its page."""
        answer = self.page.goto(address)
        assert answer is not None and answer.ok, address
        self.look()
        return len(gzip.compress(answer.body()))

    def press(self, name: str | re.Pattern[str], role: Role = "button", *, exact: bool = False) -> None:
        """Tap the element with this name, and wait for the page that it opens."""
        self.presses += 1
        with self.page.expect_navigation(wait_until="domcontentloaded"):
            self.page.get_by_role(role, name=name, exact=exact).first.tap()
        self.look()

    def unfold(self, name: str) -> None:
        """Tap the element with this name, which shows more of this page."""
        self.presses += 1
        self.page.locator("summary", has_text=name).first.tap()

    def write(self, label: str, text: str) -> None:
        self.page.get_by_label(label).first.fill(text)

    def look(self) -> None:
        """Check that the page is as wide as the phone, and that no script has failed."""
        assert self.page.evaluate(SIDEWAYS) <= 0, f"{self.page.url} scrolls sideways"
        assert self.errors == []

    def sees(self, text: str | re.Pattern[str]) -> None:
        expect(self.page.locator("body")).to_contain_text(text)

    def signs_up(self, name: str) -> None:
        """Fill in the form for a new account, and the code from the mail."""
        address = f"{name.replace(' ', '.').lower()}@example.org"
        self.write("E-mail", address)
        self.write("Name", name)
        self.press("Make my account")
        code = re.search(r"^ {4}(\S+)$", SentMail.objects.filter(to=address).latest("pk").body, re.MULTILINE)
        assert code is not None
        self.write("Code", code[1])
        self.press("Continue")

    def presses_for(self, act: Callable[[], None]) -> int:
        """Return the number of taps that the act takes."""
        before = self.presses
        act()
        return self.presses - before


@pytest.fixture(autouse=True)
def a_site_of_its_own(settings) -> None:
    """A site without the demo. Mail is stored."""
    assert get_resolver().url_patterns  # made now: other tests of this process need the addresses of the demo
    settings.DEMO = False
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"


def asks_to_join(stranger: Hand, name: str, link: str) -> None:
    """A stranger follows the link of the rally, creates an account and requests to join the club."""
    stranger.open(link)
    stranger.press("Make an account", "link")
    stranger.signs_up(name)
    assert "/ask/" in stranger.page.url, "the link leads who is no member to asking"
    stranger.press("Ask to join")
    stranger.sees("You have asked to join.")


def enters(driver: Hand, name: str, link: str) -> None:
    """A member enters the rally by its link."""
    driver.open(link)
    driver.press("Enter the rally", "link")
    driver.write("Crew", name)
    driver.press("Send in the entry")
    driver.sees("Your entry")


def test_a_league_moves_in_by_phone(browser: Browser, live_server, at: Callable[[datetime], datetime]) -> None:
    load_library()
    olga = Hand(browser, live_server.url)
    founds_a_public_club(olga)
    club = Club.objects.get()
    home = club.get_absolute_url()
    takes_over_the_old_season(olga, home)
    rally = makes_a_season(olga, home)
    assert olga.presses <= 32, "from nothing to a league whose rally takes entries"

    olga.window.grant_permissions(["clipboard-read", "clipboard-write"])
    assert olga.presses_for(lambda: to_the_desk(olga, home)) == 2
    olga.page.get_by_role("button", name="Copy the link").tap()
    expect(olga.page.get_by_role("button", name="Copied")).to_be_visible()
    link = olga.page.evaluate("navigator.clipboard.readText()")

    strangers = {name: Hand(browser, live_server.url) for name in STRANGERS}
    for name, stranger in strangers.items():
        asks_to_join(stranger, name, link)
    others = [make_user(f"Crew {number:02}") for number in range(len(STRANGERS), SIXTY)]
    one_letter_a_day(User.objects.get(name="Olga"), *others)
    for person in others:
        public_profile.request_to_join(by=person, club=club, words="I drove with you on paper")

    sizes = {"requests": olga.open(f"{home}requests/")}
    assert serious_faults(olga.page) == []
    olga.open(home)
    let_in = olga.presses_for(lambda: lets_all_in(olga))
    assert Membership.objects.filter(club=club).count() == SIXTY + 1

    for name, stranger in strangers.items():
        enters(stranger, name, link)
    for person in others:
        enter_rally(by=person, rally=rally, crew=person.name)

    sizes["desk"] = olga.open(f"{rally.get_absolute_url()}desk/")
    finds_one_among_sixty(olga)
    confirmed = olga.presses_for(lambda: olga.press("Confirm all"))
    assert rally.entries.filter(status=Entry.Status.CONFIRMED).count() == SIXTY
    begun = olga.presses_for(lambda: starts(olga))
    sizes["desk under way"] = olga.open(f"{rally.get_absolute_url()}desk/")

    late = Turn.objects.filter(run__special_stage__rally=rally, ended_at=None).order_by("deadline").last()
    assert late is not None
    at(late.deadline - timedelta(minutes=30))
    reminded = olga.presses_for(lambda: reminds_all(olga))
    nudged = Turn.objects.filter(run__special_stage__rally=rally, nudged_at=clock.now()).count()
    assert nudged == TABLES
    sizes["all runs"] = olga.open(olga.page.url)

    presses = {"let in": let_in, "confirm": confirmed, "draw and start": begun, "remind": reminded}
    assert presses == {"let in": 2, "confirm": 1, "draw and start": 2, "remind": 2}
    assert max(sizes.values()) < LARGEST, sizes
    a_visitor_looks_around(Hand(browser, live_server.url), club, rally)


def one_letter_a_day(*people: User) -> None:
    """All get one digest a day, so that the test does not wait for hundreds of letters."""
    daily = Preferences.Rhythm.DAILY
    Preferences.objects.bulk_create(Preferences(person=person, rhythm=daily) for person in people)


def founds_a_public_club(olga: Hand) -> None:
    olga.open("/")
    olga.press("Start a club", "link")
    olga.signs_up("Olga")
    olga.write("Name", "Rallyeclub Wiking")
    olga.press("Found the club")
    olga.press("Face of the club", "link")
    olga.presses += 1
    olga.page.get_by_label("Everybody: the club").tap()
    olga.write("About the club", "# Since 2025\n\nWe drive by mail.")
    olga.page.get_by_label("People may ask to join").check()
    olga.press("Save")
    olga.sees("The club is changed.")


def takes_over_the_old_season(olga: Hand, home: str) -> None:
    made_in_the_wizard(olga, home, "2025")
    olga.unfold("Import what you have already")
    olga.press("Past results from a list", "link")
    olga.write("Or pasted lines", OLD)
    olga.press("Read the list")
    olga.sees("Which column is what")
    olga.press("Go on: who is who")
    olga.sees("1 name to settle")
    olga.press("Go on with these people")
    olga.sees("This is what it would do")
    olga.press("Import this list")
    olga.sees("Imported list")


def makes_a_season(olga: Hand, home: str) -> Rally:
    made_in_the_wizard(olga, home, "2026", first=clock.now() + timedelta(days=1))
    rally = Rally.objects.get(status=Rally.Status.ENTRIES)
    assert rally.together and rally.table_size == LEAGUE_TABLE, "what the wizard suggests to a league"
    return rally


def made_in_the_wizard(olga: Hand, home: str, name: str, first: datetime | None = None) -> None:
    """Create a season with this name and one round in the wizard, with a day if one is given. Everything else is the
    suggestion.
    """
    olga.open(home)
    olga.press("New championship", "link")
    olga.write("Name", name)
    olga.press("Save and continue")
    for step in ("Points", "Classes and teams"):
        expect(olga.page.get_by_role("heading", level=1)).to_have_text(step)
        olga.page.get_by_role("button", name="Save and continue").last.scroll_into_view_if_needed()
        goes_on(olga)
    if first is not None:
        olga.write("Rounds", "1")
        olga.write("The first on", f"{first:%Y-%m-%d}")
        olga.press("Fill in")
    goes_on(olga)
    goes_on(olga)
    olga.press("Make the season")
    expect(olga.page.get_by_role("heading", level=1)).to_have_text(name)


def goes_on(olga: Hand) -> None:
    """Press the wizard's button. The first button with its name is invisible: Enter presses it."""
    olga.presses += 1
    with olga.page.expect_navigation(wait_until="domcontentloaded"):
        olga.page.get_by_role("button", name="Save and continue").last.tap()
    olga.look()


def to_the_desk(olga: Hand, home: str) -> None:
    olga.open(home)
    olga.press(re.compile("^2026"), "link")
    olga.press("Desk", "link")


def lets_all_in(olga: Hand) -> None:
    olga.press("Requests to join", "link")
    olga.press(f"Let all {SIXTY} in")
    olga.sees(f"{SIXTY} people are in the club now.")
    olga.sees("Nobody asks.")


def finds_one_among_sixty(olga: Hand) -> None:
    """Find an entry by name, and by status, with one tap each."""
    rows = olga.page.locator(".roll > li")
    expect(rows).to_have_count(SIXTY)
    olga.unfold("Search and list")
    olga.write("Crew, driver, class or number", "berg")
    olga.press("Show")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Ana Berg")
    olga.press("All", "link", exact=True)
    olga.unfold("Search and list")
    olga.page.get_by_label("Status").select_option("requested")
    olga.press("Show")
    expect(rows).to_have_count(SIXTY)


def starts(olga: Hand) -> None:
    olga.press("Draw the start list")
    olga.press("Start stage 1")
    olga.sees("Stage 1 is on the road")


def reminds_all(olga: Hand) -> None:
    olga.press("All runs", "link")
    olga.press(f"Remind all {TABLES} drivers")


def a_visitor_looks_around(visitor: Hand, club: Club, rally: Rally) -> None:
    """A visitor who is not signed in sees the club, its seasons and the rally under way."""
    visitor.open("/open/")
    visitor.press(re.compile(f"^{club.name}"), "link")
    visitor.sees("We drive by mail.")
    visitor.press(re.compile("^2025"), "link")
    standings = visitor.page.get_by_role("table").first
    expect(standings).to_contain_text("Ana of Old")
    expect(standings).to_contain_text("Olga")
    visitor.open(club.get_absolute_url())
    visitor.press(re.compile("^2026"), "link")
    visitor.press(rally.name, "link")
    visitor.sees("Ana Berg")
    expect(visitor.page.get_by_role("link", name="Desk")).to_have_count(0)
    visitor.open(f"{rally.get_absolute_url()}desk/")
    assert "/account/login/" in visitor.page.url


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])
def test_ticked_requests_are_accepted_and_those_that_cannot_join_are_listed(
    browser: Browser, live_server, script: bool
) -> None:
    olga = make_user("Olga")
    club = make_club(owner=olga)
    for name in ("Ana", "olga", "Cy"):
        public_profile.request_to_join(by=make_user(name), club=club)
    window = browser.new_context(
        base_url=live_server.url, java_script_enabled=script, viewport={"width": 320, "height": 640}
    )
    sign_in(window, olga, live_server.url)
    page = window.new_page()
    page.goto(f"/clubs/{club.slug}/requests/")
    page.get_by_role("checkbox", name="Ana").check()
    page.get_by_role("checkbox", name="olga").check()
    page.get_by_role("button", name="Let in ticked people").press("Enter")
    expect(page.get_by_text("1 person is in the club now.")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("A member is called olga")
    assert page.evaluate(SIDEWAYS) <= 0
    if script:
        assert serious_faults(page) == []
    assert set(JoinRequest.objects.filter(accepted=None).values_list("person__name", flat=True)) == {"olga", "Cy"}
    window.close()
