"""What a round of Dirt & Dust costs a thumb on a phone: taps, requests and bytes."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from championship.rallies.models import Entry
from championship.runs.models import Draft, Run
from tests.browser.desk import AT_REST, window_of
from tests.games.dust.pages.scenes import ended, on_the_road, seat_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

WIDE = {"width": 390, "height": 844}
TAPS, KB = 10, 60
"""The most of a round in which three cards are played and two of their effects ask something. Bytes are compressed, as
in production.
"""
BUSY, NORMAL = 3, 2
# Whether the dice fall, and what is to be done is hidden, when the answer has just been put in.
FALLING = """() => { window.falling = new Promise(done => document.addEventListener("htmx:afterSettle", () => done(
    !!document.querySelector(".board.fresh .above .cube")
        && getComputedStyle(document.querySelector("#lay .now")).opacity === "0"
), { once: true })); }"""


class Round:
    """A round, tapped on the page; what was tapped and what was asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps: list[str] = []
        self.answers: list[Response] = []
        page.on("response", lambda answer: self.answers.append(answer))

    def tap(self, selector: str, what: str, *, asks: bool = True) -> None:
        button = self.page.locator(selector).first
        button.scroll_into_view_if_needed()
        if asks:
            with self.page.expect_response(lambda answer: answer.request.method == "POST"):
                button.tap()
        else:
            button.tap()
        self.page.evaluate(AT_REST)
        self.taps.append(what)

    def play_a_card(self) -> None:
        """Tap a card that a die can use, and its slot; then what the open card asks, until it is closed. Nothing, where
        the dice of this hand fit none.
        """
        card = ".handrow > li:has(.toslots button[data-lit]) [data-pick]"
        if not self.page.locator(card).count():
            return
        self.tap(card, "card", asks=False)
        self.tap(".slot.takes .place", "slot")
        while self.page.locator(".now .do").count():
            self.tap(".now .do", "effect")

    def bytes_asked(self) -> dict[str, int]:
        """The compressed size of each answer but those to polls."""
        found = [answer for answer in self.answers if "/changes/" not in answer.url]
        return {f"{place} {answer.url}": len(gzip.compress(answer.body())) for place, answer in enumerate(found)}


@pytest.fixture
def phone(browser: Browser, live_server) -> Iterator[tuple[Page, Run, Entry]]:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    ended(bo, run)
    window = window_of(browser, live_server.url, ana, viewport=WIDE, has_touch=True, is_mobile=True)
    page = window.new_page()
    page.goto(run.get_absolute_url(), wait_until="networkidle")
    yield page, run, ana
    window.close()


@pytest.mark.parametrize("cards", [NORMAL, BUSY])
def test_a_round_takes_few_taps_and_bytes(phone: tuple[Page, Run, Entry], cards: int) -> None:
    page, run, ana = phone
    played = Round(page)
    played.tap("#send button", "draw")
    for _card in range(cards):
        played.play_a_card()
    played.tap("#send .button", "end")
    expect(page.get_by_role("heading", name="How round 1 ended")).to_be_visible()
    sizes = played.bytes_asked()
    print(f"{cards} cards: {len(played.taps)} taps, {len(sizes)} requests, {sum(sizes.values()) / 1000:.1f} kB")
    assert "slot" in played.taps
    assert len(played.taps) <= TAPS + max(0, played.taps.count("effect") - 2), played.taps
    assert sum(sizes.values()) < KB * 1000, sizes
    assert seat_of(run, ana)["phase"] == "prepare", "the next round has begun"


def test_dice_fall_before_the_eye_sees_what_to_do_with_them(phone: tuple[Page, Run, Entry]) -> None:
    page, _run, _ana = phone
    page.evaluate(FALLING)
    page.locator("#send button").tap()
    assert page.evaluate("window.falling")
    expect(page.locator("#lay .now")).to_have_css("opacity", "1")


def test_cards_are_played_without_connection_and_sent_once(phone: tuple[Page, Run, Entry]) -> None:
    page, run, ana = phone
    played = Round(page)
    played.tap("#send button", "draw")
    page.context.set_offline(True)
    for number in (1, 2):
        page.locator(".handrow > li:has(.toslots button[data-lit]:not(:disabled)) [data-pick]").first.tap()
        page.locator(".slot.takes .place").first.tap()
        expect(page.locator("#lost summary")).to_have_text(f"No connection. Kept, not sent yet: {number}")
    page.get_by_role("button", name="Take back").first.tap()
    expect(page.locator("#lost summary b")).to_have_text("1")
    before = len(played.answers)
    page.context.set_offline(False)
    expect(page.locator("#lost")).to_be_hidden()
    expect(page.locator(".laidsteps li").first).to_be_attached()
    posts = [answer for answer in played.answers[before:] if answer.request.method == "POST"]
    assert [answer.url.endswith("/draft/") for answer in posts] == [True]
    assert Draft.objects.get(run=run, person=ana.driver).laid.startswith("play ")
