"""The landing page in a real browser: narrow, with the keyboard, under the content security policy."""

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_sticks_out_sideways(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/")

    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_first_tab_skips_to_the_content(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("Tab")

    expect(page.locator("a.skip")).to_be_focused()

    page.keyboard.press("Enter")

    expect(page.locator("#content")).to_be_focused()


def test_the_content_policy_has_nothing_to_refuse(page: Page) -> None:
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)

    page.goto("/", wait_until="networkidle")

    assert refused == []


def test_the_language_is_changed_without_leaving_the_page(page: Page) -> None:
    page.goto("/account/login/")
    page.get_by_role("button", name="Deutsch").click()

    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page).to_have_url(re.compile("/account/login/$"))
