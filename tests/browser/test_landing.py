"""The landing page in a real browser: narrow, by keyboard, under the content policy."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_sticks_out_sideways(page: "Page", width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/")

    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_first_tab_skips_to_the_content(page: "Page") -> None:
    page.goto("/")
    page.keyboard.press("Tab")

    assert page.evaluate("document.activeElement.className") == "skip"

    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "content"


def test_the_content_policy_has_nothing_to_refuse(page: "Page") -> None:
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)

    page.goto("/", wait_until="networkidle")

    assert refused == []


def test_the_language_is_changed_without_leaving_the_page(page: "Page") -> None:
    page.goto("/account/login/")
    page.get_by_role("button", name="Deutsch").click()

    assert page.url.endswith("/account/login/")
    assert page.locator("html").get_attribute("lang") == "de"
