"""Time that passes on a page as a test wants it: no test waits for the minute in which a page asks for news."""

from __future__ import annotations

from playwright.sync_api import Page

A_WHILE = 61_000
"""Milliseconds, longer than any page waits between two questions whether something is new."""


def ticking(page: Page) -> Page:
    """The page, still empty, with a clock that a test can put on; until then it goes like any other."""
    page.clock.install()
    return page


def later(page: Page) -> None:
    """A while has passed on a ticking page: each part of it that watches for news asks now."""
    page.clock.fast_forward(A_WHILE)
