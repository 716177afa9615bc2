"""What every test may ask for: above all a real browser."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# Machines are slow and noisy at times: no example fails for the time it took.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of Debian's chromium; without one the test is skipped, but fails where CI=true."""
    path = shutil.which("chromium")
    if path is None:
        reason = "there is no chromium here to show the pages in"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


@pytest.fixture
def browser(chromium: str, monkeypatch: pytest.MonkeyPatch) -> Iterator["Browser"]:
    """A headless browser. Its event loop runs in this thread, so Django must be told that it is safe."""
    from django.db import connections
    from playwright.sync_api import sync_playwright

    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_OPTIONS, headless=True)
        yield browser
        browser.close()
        connections.close_all()  # beside an event loop Django opens connections of their own


@pytest.fixture
def browser_window(browser: "Browser", live_server) -> Iterator["BrowserContext"]:
    """A window of its own, cookies and all, on the live server; a script error fails the test."""
    window = browser.new_context(base_url=live_server.url, locale="en-GB", timezone_id="UTC")
    window.set_default_timeout(30_000)  # milliseconds
    errors: list[str] = []
    window.on("weberror", lambda error: errors.append(str(error.error)))
    yield window
    window.close()
    assert errors == []


@pytest.fixture
def at(settings) -> Callable[[datetime | str], datetime]:
    """Lets it be a moment for everything that asks the clock: at("2026-11-19T12:00"), where it begins, in UTC."""
    from tests import moment

    settings.CLOCK = "tests.moment.told"
    moment.be("2026-11-19T12:00")
    return moment.be


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty folder for a server of the test's own.

    Not pytest's tmp_path, whose parents every run as root closes to others, such as the server's user.
    """
    with tempfile.TemporaryDirectory(prefix="parc-ferme-test-", ignore_cleanup_errors=True) as path:
        yield Path(path)


@pytest.fixture
def page(browser_window: "BrowserContext") -> "Page":
    """An empty page in that window."""
    return browser_window.new_page()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> None:
    """The test database, where append-only tables may be emptied between tests, but not within one.

    Their triggers against TRUNCATE are off, since that is how Django clears up after a test with several
    connections. A test of such a trigger switches it on first.
    """
    from django.db import connection

    with django_db_blocker.unblock(), connection.cursor() as cursor:  # type: ignore[attr-defined]
        cursor.execute("SELECT tgname, tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE '%%_no_truncate'")
        for trigger, table in cursor.fetchall():
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {trigger}")
