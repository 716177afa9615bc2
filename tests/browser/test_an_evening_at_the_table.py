"""An evening with the printed game: sixteen drivers at two tables, from a new rally to the podium, with phones only.

One phone, a marshal's, has no network for ten minutes while results are entered on others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.platform import clock
from championship.rallies.models import Entry, Rally, StageTime
from championship.rallies.results.selectors import results_of
from championship.runs.models import Run
from championship.tabletop import links
from championship.tabletop.models import Evening, Score
from tests.browser.test_at_the_table import UNSENT, taps, waits
from tests.browser.test_first_turn import sign_in
from tests.browser.wire import Wire
from tests.championship.rallies.factories import ready_made
from tests.championship.tabletop.factories import fresh, table_path
from tests.factories import make_club, make_member, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PHONE = {"width": 390, "height": 844}  # CSS pixels
AGENT = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0"
    " Mobile Safari/537.36"
)
MEMBERS, GUESTS = 10, 6
PRESSES = 5
"""What an organiser presses from an empty club to the first stage: docs/at-the-table.md says it too."""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


class Phone:
    """Somebody's phone. Every page must be as wide as it; an error of a script is kept."""

    def __init__(self, browser: Browser, url: str, **how: Any) -> None:
        self.window = browser.new_context(
            base_url=url, viewport=PHONE, user_agent=AGENT, has_touch=True, is_mobile=True, locale="en-GB",
            timezone_id="UTC", reduced_motion="reduce", **how,
        )  # fmt: skip
        self.errors: list[str] = []
        self.presses = 0
        self.window.on("weberror", lambda error: self.errors.append(str(error.error)))
        self.page: Page = self.window.new_page()

    def open(self, address: str) -> None:
        """Open an address: a code that was scanned."""
        answer = self.page.goto(address, wait_until="domcontentloaded")
        assert answer is not None and answer.ok, address
        assert self.page.evaluate(SIDEWAYS) <= 0, f"{address} scrolls sideways"

    def press(self, name: str | re.Pattern[str], role: Any = "button") -> None:
        """Tap what leads to another page."""
        self.presses += 1
        with self.page.expect_navigation(wait_until="domcontentloaded"):
            self.page.get_by_role(role, name=name, exact=isinstance(name, str)).first.tap()
        assert self.page.evaluate(SIDEWAYS) <= 0, f"{self.page.url} scrolls sideways"

    def looks_again(self) -> None:
        """Load the page again, as the phone does by itself within twenty seconds."""
        self.press("Look again", "link")

    def sees(self, text: str | re.Pattern[str]) -> None:
        expect(self.page.locator("body")).to_contain_text(text)


@pytest.fixture
def wire(live_server: Any) -> Iterator[Wire]:
    """The network of the phone that goes to a cellar."""
    wire = Wire(live_server.url)
    yield wire
    wire.close()


@pytest.fixture
def phones(browser: Browser, live_server: Any) -> Iterator[Callable[..., Phone]]:
    """A function that hands out a new phone."""
    made: list[Phone] = []

    def new(url: str = live_server.url, **how: Any) -> Phone:
        made.append(Phone(browser, url, **how))
        return made[-1]

    yield new
    errors = [error for phone in made for error in phone.errors]
    for phone in made:
        phone.window.close()
    assert errors == []


def new_rally(olga: Phone, club: Club) -> Rally:
    """The organiser of an empty club makes a rally of three stages at the table, and opens its evening for two
    tables.
    """
    olga.open(club.get_absolute_url())
    olga.press("New rally", "link")
    olga.page.get_by_label("Name").fill("Thursday")
    olga.page.get_by_label(re.compile("At the table")).check()
    olga.presses += 1
    olga.press("Make the rally")
    olga.page.get_by_label("Tables").fill("2")
    olga.press("Open the evening")
    return Rally.objects.get()


def sign_on_all(phones: Callable[..., Phone], evening: Evening, members: list[User]) -> dict[int, Phone]:
    """Everybody scans the code on the wall, and signs on by name or as a guest. Returns their phones by entry."""
    wall = links.wall_path(fresh(evening))
    found = {}
    for name in [*(member.name for member in members), *(f"Guest {n}" for n in range(1, GUESTS + 1))]:
        phone = phones()
        phone.open(wall)
        if name.startswith("Guest"):
            phone.page.get_by_label("Your name").fill(name)
            phone.press("Sign on")
        else:
            phone.press(name)
        phone.sees("You are here.")
        found[Entry.objects.get(crew=name).pk] = phone
    return found


def seconds_of(entry: Entry, stage: int) -> int:
    """The result that a car has on a stage: another one for each car."""
    return 180 + 10 * stage + (entry.start_number or 0) * (7 if stage == 2 else 3)


def digits(seconds: int) -> str:
    """The three taps of a time."""
    return f"{seconds // 60}{seconds % 60:02}"


def enters(phone: Phone, entry: Entry, stage: int) -> None:
    """A driver enters the time of the own car."""
    taps(phone.page, digits(seconds_of(entry, stage)))
    expect(phone.page.locator(".said")).to_contain_text("counts")


def opens(marshal: Phone, entry: Entry) -> Any:
    """The marshal unfolds the pad of a car."""
    pad = marshal.page.locator(f"#car-{entry.pk}")
    if pad.get_attribute("open") is None:
        pad.locator("summary").first.tap()
    return pad


def calls(marshal: Phone, entry: Entry, seconds: int) -> None:
    """The marshal enters the time of a car of the table."""
    pad = opens(marshal, entry)
    for digit in digits(seconds):
        pad.locator(f'.taps [data-number="{digit}"]').tap()


def counts_cards(phone: Phone) -> None:
    """A driver counts four cards of gear 3 and damage of a coast die."""
    page = phone.page
    page.locator(".counts > summary").tap()
    for _ in range(4):
        page.locator('.tally:has([name="n_card_3"]) .up').tap()
    page.locator('.tally:has([name="n_damage_coast"]) .up').tap()
    expect(page.locator(".sum")).to_have_text("2:00")
    page.get_by_role("button", name="Enter the result").tap()
    expect(page.locator(".said")).to_contain_text("2:00 counts")


def hands_in(marshal: Phone, number: int) -> None:
    """The marshal hands in the results of the table."""
    marshal.looks_again()
    marshal.press("Hand in the results")
    marshal.sees(f"{number} results are handed in.")


def test_sixteen_drivers_at_two_tables(
    phones: Callable[..., Phone], wire: Wire, live_server: Any, at: Callable[[datetime], datetime]
) -> None:
    ready_made()
    organiser = make_user("Olga Organiser")
    club = make_club(owner=organiser)
    members = [make_member(club, name=f"Member {n:02}") for n in range(1, MEMBERS + 1)]
    olga = phones()
    sign_in(olga.window, organiser, live_server.url)
    rally = new_rally(olga, club)
    evening = Evening.objects.get(rally=rally)
    drivers = sign_on_all(phones, evening, members)
    tables: list[list[Entry]] = [
        list(Entry.objects.filter(sign_on__table__number=number).order_by("start_number")) for number in (1, 2)
    ]
    assert [len(table) for table in tables] == [8, 8]
    marshals = [phones(), phones(wire.url, service_workers="allow")]
    for number, marshal in enumerate(marshals, 1):
        marshal.open(table_path(evening, number))
        marshal.press("All of them are here")
        marshal.sees("names are confirmed.")

    start(olga)
    first_stage(drivers, tables, marshals)
    close_control(olga)
    second_stage(drivers, tables, marshals, wire, at)
    close_control(olga)
    third_stage(drivers, tables, marshals)
    podium(drivers[tables[0][1].pk], rally, tables)


def start(olga: Phone) -> None:
    """The organiser starts on the page of the evening: five presses since the club was empty. Then the desk is open."""
    olga.page.reload(wait_until="domcontentloaded")
    olga.press("Start stage 1")
    assert olga.presses == PRESSES
    olga.press("Desk", "link")


def close_control(olga: Phone) -> None:
    """The organiser closes time control; the next stage opens."""
    olga.page.reload(wait_until="domcontentloaded")
    olga.press("Close time control")


def first_stage(drivers: dict[int, Phone], tables: list[list[Entry]], marshals: list[Phone]) -> None:
    """Every driver enters the own result on the own phone; one counts cards, and hands in a time card."""
    counting = tables[0][0]
    for entry in [*tables[0], *tables[1]]:
        phone = drivers[entry.pk]
        phone.looks_again()
        if entry == counting:
            counts_cards(phone)
        else:
            enters(phone, entry, 1)
    for marshal in marshals:
        hands_in(marshal, 8)
    phone = drivers[counting.pk]
    phone.looks_again()
    phone.press("Seal the card and hand it in")
    phone.sees("is in and sealed")


def second_stage(
    drivers: dict[int, Phone], tables: list[list[Entry]], marshals: list[Phone], wire: Wire, at: Any
) -> None:
    """At table 1 the marshal enters half of the results. The phone of table 2's marshal is in a cellar."""
    for marshal in marshals:
        marshal.looks_again()
    in_a_cellar(drivers, tables[1], marshals[1], wire, at)
    for entry in tables[0][:4]:
        calls(marshals[0], entry, seconds_of(entry, 2))
    for entry in tables[0][4:]:
        drivers[entry.pk].looks_again()
        enters(drivers[entry.pk], entry, 2)
    hands_in(marshals[0], 8)


def in_a_cellar(drivers: dict[int, Phone], cars: list[Entry], marshal: Phone, wire: Wire, at: Any) -> None:
    """The marshal enters eight results without a network, one of them twice, one of them wrong. Meanwhile two drivers
    enter their own. After ten minutes all of it arrives.
    """
    page, left = marshal.page, clock.now()
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    waits(page, f"caches.match('{page.url}').then(copy => !!copy)")
    waits(page, "caches.match(document.querySelector('script[src*=\"js/pad\"]').src).then(copy => !!copy)")
    marshal.window.clock.set_fixed_time(left)
    wire.cut()
    for entry in cars:
        calls(marshal, entry, seconds_of(entry, 2) + (5 if entry in (cars[5], cars[6]) else 0))
    calls(marshal, cars[5], seconds_of(cars[5], 2))
    page.reload()
    expect(page.locator("#net")).to_contain_text("9 entries wait")
    at(left + timedelta(minutes=10))
    for entry in (cars[0], cars[6]):
        drivers[entry.pk].looks_again()
        enters(drivers[entry.pk], entry, 2)
    scores = Score.objects.filter(special_stage__number=2, entry__in=cars)
    assert scores.count() == 2

    wire.mend()
    page.evaluate("window.dispatchEvent(new Event('online'))")
    waits(page, f"{UNSENT} === 0")

    late = scores.exclude(tapped_at=clock.now()).order_by("pk")
    assert [score.entry for score in late] == [*cars, cars[5]]
    assert {score.tapped_at for score in late} == {left} and {score.at for score in late} == {clock.now()}
    expected = ["double", "stands", "stands", "stands", "stands", "replaced", "conflict", "stands", "stands"]
    assert [score.standing for score in late] == expected
    marshal.looks_again()
    opens(marshal, cars[6])
    marshal.press("Drop it")
    hands_in(marshal, 8)


def third_stage(drivers: dict[int, Phone], tables: list[list[Entry]], marshals: list[Phone]) -> None:
    """The marshals enter all results. One driver has rolled with the phone; one car has retired."""
    roller = drivers[tables[1][0].pk]
    roller.looks_again()
    roller.page.locator(".throws > summary").tap()
    roller.page.locator('.tally:has([name="t_brake"]) .up').tap()
    roller.press("Roll")
    roller.sees("Roll 1 of this car")
    roller.press("Back to the pad", "link")
    for cars, marshal in zip(tables, marshals, strict=True):
        marshal.looks_again()
        for entry in cars[:7]:
            calls(marshal, entry, seconds_of(entry, 3))
        if marshal is marshals[0]:
            calls(marshal, cars[7], seconds_of(cars[7], 3))
        else:
            pad = opens(marshal, cars[7])
            pad.get_by_label("The car has retired").tap()
            pad.get_by_label("Why").fill("in the river")
            pad.get_by_role("button", name="Enter the result").tap()
            expect(pad.locator(".said")).to_contain_text("in the river")
        waits(marshal.page, f"{UNSENT} === 0")
        hands_in(marshal, 8)


def podium(driver: Phone, rally: Rally, tables: list[list[Entry]]) -> None:
    """The rally is over: nobody has driven a run, every result is the one that was entered, and phones show it."""
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED and not Run.objects.exists()
    counting, retired = tables[0][0], tables[1][7]
    expected = {entry.crew: sum(seconds_of(entry, n) for n in (1, 2, 3)) for entry in [*tables[0], *tables[1]]}
    expected[counting.crew] += 120 - seconds_of(counting, 1)
    lines = results_of(rally).overall
    totals = {line.entry.crew: line.total for line in lines if line.entry != retired}
    del expected[retired.crew]
    assert totals == expected and StageTime.objects.count() == 48
    assert Score.objects.filter(standing="stands").count() == 48

    driver.looks_again()
    driver.sees("It is over.")
    driver.press("To the results", "link")
    driver.press("Podium", "link")
    driver.sees(lines[0].entry.crew)
    driver.press("By hand", "link")
    driver.sees("in the river")
