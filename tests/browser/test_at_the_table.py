"""A phone as the pad of a car: three taps, counting, ten minutes in a cellar, and the plain form without a script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from championship.tabletop.models import Score
from tests.browser.desk import PHONE
from tests.browser.wire import Wire
from tests.championship.tabletop.factories import car_path, table_pass, under_way, writes

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
UNSENT = "JSON.parse(localStorage.getItem('pad:' + location.pathname) || '[]').length"


@pytest.fixture
def wire(live_server: Any) -> Iterator[Wire]:
    """The network of the phone."""
    wire = Wire(live_server.url)
    yield wire
    wire.close()


@pytest.fixture
def phone(browser: Browser, wire: Wire) -> Iterator[Page]:
    """A phone with its service worker. An error of a script fails the test."""
    errors: list[str] = []
    window = browser.new_context(
        base_url=wire.url, viewport=PHONE, has_touch=True, is_mobile=True, service_workers="allow",
        locale="en-GB", reduced_motion="reduce",
    )  # fmt: skip
    window.on("weberror", lambda error: errors.append(str(error.error)))
    yield window.new_page()
    window.close()
    assert errors == []


def waits(page: Page, true: str) -> None:
    """Wait until an expression is true. The policy of the pages allows no evaluation inside them."""
    for _try in range(150):
        if page.evaluate(true):
            return
        page.wait_for_timeout(100)
    raise AssertionError(true)


def taps(page: Page, digits: str) -> None:
    """Tap minutes, tens of seconds, seconds."""
    for digit in digits:
        page.locator(f'.taps [data-number="{digit}"]').tap()


def test_a_time_takes_three_taps_and_cards_are_counted_with_a_thumb(phone: Page) -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    phone.goto(car_path(evening, ana))

    taps(phone, "325")
    expect(phone.locator(".said")).to_contain_text("3:25 counts")
    phone.locator(".counts > summary").tap()
    for _ in range(4):
        phone.locator('.tally:has([name="n_card_3"]) .up').tap()
    expect(phone.locator(".sum")).to_have_text("2:00")
    phone.get_by_role("button", name="Enter the result").tap()
    expect(phone.locator(".said")).to_contain_text("2:00 counts")

    assert [(score.measure, score.typed) for score in Score.objects.order_by("pk")] == [(205, True), (120, False)]


def test_ten_minutes_in_a_cellar_lose_nothing(phone: Page, wire: Wire) -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    path = car_path(evening, ana)
    phone.goto(path)
    phone.evaluate("navigator.serviceWorker.ready.then(() => null)")
    phone.reload()
    waits(phone, f"caches.match('{path}').then(copy => !!copy)")
    waits(phone, "caches.match(document.querySelector('script[src*=\"js/pad\"]').src).then(copy => !!copy)")

    wire.cut()
    taps(phone, "325")
    expect(phone.locator("#net")).to_contain_text("One entry waits")
    phone.reload()
    expect(phone.locator("#net")).to_contain_text("One entry waits")
    taps(phone, "320")
    expect(phone.locator("#net")).to_contain_text("2 entries wait")
    assert not Score.objects.exists()
    writes(table_pass(evening), ana, 199)  # the marshal has entered something else meanwhile
    wire.mend()
    phone.evaluate("window.dispatchEvent(new Event('online'))")
    waits(phone, f"{UNSENT} === 0")

    assert list(Score.objects.order_by("pk").values_list("measure", "standing")) == [
        (199, "stands"),
        (205, "conflict"),
        (200, "conflict"),
    ]
    expect(phone.locator(".said")).to_contain_text("Another entry counts")


def test_no_pad_is_wider_than_the_smallest_phone(phone: Page) -> None:
    evening, (ana, _bo) = under_way("Ana", "Bo")
    phone.set_viewport_size({"width": 320, "height": 640})
    phone.goto(car_path(evening, ana))
    phone.locator(".counts > summary").tap()
    phone.locator(".throws > summary").tap()

    assert phone.evaluate("document.documentElement.scrollWidth") <= 320
    small = (
        "[...document.querySelectorAll('.pad button, .pad summary')].filter(e => e.offsetHeight && e.offsetHeight < 43)"
    )
    assert phone.evaluate(f"{small}.map(e => e.outerHTML)") == []
