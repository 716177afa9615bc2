"""Checks pages with axe. Its long script is added to each page only once, even for several checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

GRAVE = ("serious", "critical")
"""Impacts of faults that keep people from using a page."""
WHOLE: Mapping[str, Any] = {"resultTypes": ["violations"]}
OF_COLOURS = ("color-contrast", "link-in-text-block")
"""Rules that compute what is behind each word. They take three times as long as all other rules together."""
COLOURS: Mapping[str, Any] = {**WHOLE, "runOnly": list(OF_COLOURS)}
BUT_COLOURS: Mapping[str, Any] = {**WHOLE, "rules": {rule: {"enabled": False} for rule in OF_COLOURS}}
LOOK = "([part, options]) => axe.run(part || document, options).then(found => found.violations)"
NEW_PARTS = """() => {
    const before = window.partsSeen || new Map(), now = window.partsSeen = new Map(), found = [];
    for (const part of document.body.querySelectorAll("*")) {
        if (!part.checkVisibility({ visibilityProperty: true })) continue;
        const cut = part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight;
        const scrolls = cut && getComputedStyle(part).overflow !== "visible";
        now.set(part, scrolls);
        if (before.get(part) !== scrolls) found.push(part.cloneNode(false).outerHTML + (scrolls ? " scrolls" : ""));
    }
    return found;
}"""
LOOK_AT_WORDS = """([shown, options]) => {
    const include = shown.flatMap(way => window.shownSo.get(way));
    return axe.run({ include }, options).then(found => found.violations);
}"""


def violations(page: Page, part: str = "", options: Mapping[str, Any] = WHOLE) -> list[dict[str, Any]]:
    """Return the faults that axe finds on the page in its present state, or in the part that the selector names."""
    return _found(page, LOOK, [part, dict(options)])


def faults_of_colour(page: Page, shown: set[str]) -> list[dict[str, Any]]:
    """Return the colour faults that axe finds in words with one of these appearances. `appearances` must have run just
    before.
    """
    return _found(page, LOOK_AT_WORDS, [sorted(shown), dict(COLOURS)])


def _found(page: Page, look: str, what: list[Any]) -> list[dict[str, Any]]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[dict[str, Any]] = page.evaluate(look, what)
    return found


# Returns one text for each appearance of words: their colour, whether they are large, whether they are a link and how
# it differs from the words around it, and everything behind them: colours, pictures, opacities up to the page. Words
# that axe skips or cannot judge have separate texts: words of disabled controls, and words near generated content with
# a position of its own.
APPEARANCES = """() => {
    const grounds = new Map();
    const ground = element => {
        if (!element) return "";
        if (!grounds.has(element)) {
            const style = getComputedStyle(element);
            const own = [style.backgroundColor, style.backgroundImage, style.opacity, style.filter].join(" ");
            const apart = ["static", "relative"].includes(style.position) ? "" : style.position;
            const laid = ["::before", "::after"].some(part => {
                const added = getComputedStyle(element, part);
                return added.content !== "none" && ["absolute", "fixed"].includes(added.position);
            });
            const away = element.matches(":disabled, [aria-disabled=true], [inert]");
            const plain = own === "rgba(0, 0, 0, 0) none 1 none" && !apart && !laid && !away;
            const passed = (laid ? " laid over" : "") + (away ? " disabled" : "");
            grounds.set(element, ground(element.parentElement) + (plain ? "" : `${apart} ${own}${passed}; `));
        }
        return grounds.get(element);
    };
    const shown = window.shownSo = new Map();
    for (const element of [document.body, ...document.body.querySelectorAll("*")]) {
        const words = [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
        if (!words && !element.matches("input, select, textarea, button")) continue;
        if (!element.checkVisibility({ visibilityProperty: true })) continue;
        const style = getComputedStyle(element), size = parseFloat(style.fontSize), bold = style.fontWeight >= 700;
        const link = element.closest("a"), around = link && link.parentElement && getComputedStyle(link.parentElement);
        const apart = around ? [style.textDecorationLine, style.borderBottomStyle, around.color].join(" ") : "";
        const large = size >= 24 || (bold && size >= 18.66);
        const way = [style.color, style.textShadow, large, bold, apart, ground(element)].join(" | ");
        if (!shown.has(way)) shown.set(way, []);
        shown.get(way).push(element);
    }
    return [...shown.keys()];
}"""


def appearances(page: Page) -> set[str]:
    """Return each present appearance of words on the page: everything that their contrast depends on, as one text."""
    return set(page.evaluate(APPEARANCES))


def new_parts(page: Page) -> set[str]:
    """Return the tag of each visible element that was not visible, or did not scroll, at the last call on this page."""
    return set(page.evaluate(NEW_PARTS))
