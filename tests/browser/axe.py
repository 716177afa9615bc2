"""What axe has against a page. Its script goes into a page once, however often it looks; it is as long as a novel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

GRAVE = ("serious", "critical")
"""Impacts of faults that keep somebody out."""
WHOLE: Mapping[str, Any] = {"resultTypes": ["violations"]}
LOOK = "([part, options]) => axe.run(part || document, options).then(found => found.violations)"


def violations(page: Page, part: str = "", options: Mapping[str, Any] = WHOLE) -> list[dict[str, Any]]:
    """The faults that axe finds on the page as it stands, or in the part of it with that selector."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[dict[str, Any]] = page.evaluate(LOOK, [part, dict(options)])
    return found
