"""Moves the clock of a page, so that no test waits for the minute after which a page polls for news."""

from __future__ import annotations

from playwright.sync_api import Page

A_WHILE = 61_000
"""Milliseconds, longer than any page waits between two polls."""
A_MOMENT = 1_000
"""Milliseconds in which a page looks again whether it may show what has come."""


def ticking(page: Page) -> Page:
    """Give the page, still empty, a clock that a test can move. Until then it runs normally."""
    page.clock.install()
    return page


def later(page: Page) -> None:
    """Move the clock of such a page: each part of it that polls for news polls now."""
    page.clock.fast_forward(A_WHILE)
