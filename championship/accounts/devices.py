"""Turns a browser's user agent into a short name that its owner recognises."""

from __future__ import annotations

from django.utils.translation import gettext as _

BROWSERS = (  # (mark in the user agent, name); many browsers also carry the marks of those below them
    *(("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox")),
    *(("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chromium/", "Chromium"), ("Chrome/", "Chrome")),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    *(("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"), ("Windows", "Windows")),
    *(("Mac OS X", "macOS"), ("Linux", "Linux")),
)


def browser_and_system(user_agent: str) -> tuple[str, str]:
    """Returns the names of the browser and of the operating system; "" for one that is not known."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    return browser, system


def in_words(user_agent: str) -> str:
    """Returns a name such as "Firefox on Linux"; "Unknown device" where nothing is known."""
    browser, system = browser_and_system(user_agent)
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or _("Unknown device")
