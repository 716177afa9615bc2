"""What every test may ask for: above all a real browser."""

import gc
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests import ordering

if TYPE_CHECKING:
    from django.template import Context, Template
    from playwright.sync_api import Browser, BrowserContext, Page

SWITCHED_OFF = (
    # The menus of the address bar are pages: each window would draw two of its own, which takes longer than our page.
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "AimEnabled", "LensOverlay"),
    # What Playwright switches off: of two such switches the last counts.
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "MediaRouter"),
    *("HttpsFirstBalancedModeAutoEnable", "PaintHolding", "ThirdPartyStoragePartitioning", "OptimizationHints"),
    *("AvoidCorsURLLoaderRestartOnRedirect", "TcpPortRandomizationWin", "NetworkTimeServiceQuerying"),
    "PreconnectToSearch",
)
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(SWITCHED_OFF)}",
]


PATIENCE = 60_000
"""Milliseconds a browser waits for an answer, a press or a sight: on a busy machine everything comes, but late."""

LITTLE_GARBAGE = 50_000
"""New objects below which nobody looks for garbage. A service looks after 700, a hundred times in a test of pages."""

# Machines are slow and noisy at times: no example fails for the time it took.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--keep-durations", action="store_true", help="write down which tests take long")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--keep-durations"):
        config.pluginmanager.register(ordering.Processor())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(ordering.Stopwatch())


def pytest_sessionstart(session: pytest.Session) -> None:
    """Several processes keep for each other what takes long to reckon."""
    if hasattr(session.config, "workerinput") and hasattr(session.config, "cache"):
        from tests import kept_worth

        kept_worth.keep_in(session.config.cache.mkdir("worth"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The second tier is in a few files: those that do not write its mark are not even read."""
    alone = config.option.markexpr == "slow" and collection_path.suffix == ".py"
    return True if alone and not _writes_its_mark(collection_path) else None


@cache
def _writes_its_mark(path: Path) -> bool:
    return "mark.slow" in path.read_text("utf-8")


def pytest_collection() -> None:
    """What is imported and collected stays to the end: nobody looks for garbage in it, now or later."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(LITTLE_GARBAGE)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """On several processes the slowest tests begin, but for those that share a world with others of their module.

    Raises: UsageError for a slow test that no tier would run, as the second reads only files that write its mark.
    """
    for item in items:
        if item.get_closest_marker("slow") and not _writes_its_mark(item.path):
            raise pytest.UsageError(f"{item.nodeid} is slow, but nothing in its file says mark.slow: no tier runs it")
    yield
    if hasattr(config, "workerinput"):
        apart = {ordering.key_of(item.nodeid) for item in items if not ordering.shares_a_world(item)}
        seconds = {key: took for key, took in ordering.timed().items() if key in apart}
        items[:] = ordering.dealt(items, seconds, config.workerinput["workercount"])


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Whoever read the last page of a test, the next test begins in English and UTC."""
    from django.utils import timezone, translation

    translation.deactivate()
    timezone.deactivate()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of Debian's chromium; without one the test is skipped, but fails where CI=true.

    Its headless shell is the same browser without menus, tabs and windows around the page, which take up to half of the
    processor's time.
    """
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if path is None:
        reason = "there is no chromium here to show the pages in"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


def _patient(browser: "Browser") -> "Browser":
    """The same browser, whose windows wait as long for an answer or a press as a busy machine may need."""
    from playwright.sync_api import expect

    open_window = browser.new_context

    def opened(**how: Any) -> "BrowserContext":
        window = open_window(**how)
        window.set_default_timeout(PATIENCE)
        return window

    browser.new_context = opened  # type: ignore[method-assign]
    expect.set_options(timeout=PATIENCE)
    return browser


def _of_whole_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test reads at once, without waiting for something, it reads of a page that has come to its end.

    A browser shows a long page as it comes in: the first card stands there while the last is still on its way.
    """
    from playwright.sync_api import Locator, Page

    def settled(read: Callable[..., Any], page_of: Callable[[Any], "Page"]) -> Callable[..., Any]:
        def whole(where: Any, *what: Any, **how: Any) -> Any:
            page_of(where).wait_for_load_state("domcontentloaded")
            return read(where, *what, **how)

        return whole

    for name in ("all", "all_inner_texts", "all_text_contents", "count", "evaluate_all", "is_visible"):
        monkeypatch.setattr(Locator, name, settled(getattr(Locator, name), lambda locator: locator.page))
    for name in ("content", "evaluate"):
        monkeypatch.setattr(Page, name, settled(getattr(Page, name), lambda page: page))


@pytest.fixture(scope="session")
def started_browsers(chromium: str) -> Iterator[Callable[[], "Browser"]]:
    """Tells the headless browser of this run of the tests, which starts when the first test asks for it.

    Playwright drives it from an event loop in this thread, which stays between two calls as if it ran. The thread is
    told that none runs as soon as a test lets go, so that tests without a browser find Django and asyncio as always.
    """
    import asyncio

    from playwright.sync_api import sync_playwright

    from tests.kept_files import kept_files

    with kept_files(), pytest.MonkeyPatch.context() as patches, sync_playwright() as playwright:
        _of_whole_pages(patches)
        loop = asyncio.get_running_loop()
        running: list[Browser] = []

        def browser() -> "Browser":
            asyncio._set_running_loop(loop)
            if not running or not running[-1].is_connected():
                launched = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_OPTIONS, headless=True)
                running.append(_patient(launched))
            return running[-1]

        asyncio._set_running_loop(None)
        yield browser
        asyncio._set_running_loop(loop)
        for launched in running:
            launched.close()


@pytest.fixture
def browser(started_browsers: Callable[[], "Browser"], monkeypatch: pytest.MonkeyPatch) -> Iterator["Browser"]:
    """A headless browser without windows. Its event loop runs in this thread: Django must be told that it is safe."""
    import asyncio

    from django.db import connections

    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    browser = started_browsers()
    yield browser
    for window in browser.contexts:
        window.close()
    connections.close_all()  # beside an event loop Django opens connections of their own
    asyncio._set_running_loop(None)


@pytest.fixture
def browser_window(browser: "Browser", live_server) -> Iterator["BrowserContext"]:
    """A window of its own, cookies and all, on the live server; a script error fails the test."""
    window = browser.new_context(base_url=live_server.url, locale="en-GB", timezone_id="UTC")
    errors: list[str] = []
    window.on("weberror", lambda error: errors.append(str(error.error)))
    yield window
    window.close()
    assert errors == []


@pytest.fixture(scope="session", autouse=True)
def remembered_templates(django_test_environment: None) -> Iterator[None]:
    """What Django's client remembers of a page leaves out the parts of form fields.

    It copies the context of each template, and each of the five hundred options of the time zone is one.
    """
    from django.test import client

    remember = client.store_rendered_templates

    def remembered(
        store: dict, signal: object, sender: object, template: "Template", context: "Context", **told: object
    ) -> None:
        if not (template.name or "").startswith("django/forms/"):
            remember(store, signal, sender, template, context, **told)

    client.store_rendered_templates = remembered
    yield
    client.store_rendered_templates = remember


@pytest.fixture(autouse=True)
def nobody_has_asked_before() -> None:
    """What throttles have counted in another test does not count in this one."""
    from django.core.cache import cache

    cache.clear()


@pytest.fixture(autouse=True)
def luck_of_its_own(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has luck of its own, the same whenever it runs, so that what one roll breaks is always seen."""
    luck = random.Random(request.node.nodeid)
    monkeypatch.setattr("secrets.token_bytes", lambda count=None: luck.randbytes(count or 32))
    lots = random.Random(f"lots of {request.node.nodeid}")
    monkeypatch.setattr("random._urandom", lots.randbytes)  # whence SystemRandom draws


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
def django_db_setup(
    django_test_environment: None,
    django_db_blocker: pytest.FixtureRequest,
    django_db_keepdb: bool,
    django_db_modify_db_settings: None,
) -> Iterator[None]:
    """The test database, copied from a migrated template.

    Its append-only tables may be emptied between tests, but not within one: their triggers against TRUNCATE are off,
    since that is how a test with several connections is cleared up after. A test of such a trigger switches it on.
    """
    from django.db import connection
    from django.test import TransactionTestCase

    from tests import databases

    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        before, name = connection.settings_dict["NAME"], connection.creation._get_test_db_name()
        databases.create(name)
        with connection.cursor() as cursor:
            cursor.execute("SELECT tgname, tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE '%%_no_truncate'")
            for trigger, table in cursor.fetchall():
                cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {trigger}")
    TransactionTestCase._fixture_teardown = lambda _self: databases.empty()  # type: ignore[method-assign]
    yield
    if not django_db_keepdb:
        with django_db_blocker.unblock():  # type: ignore[attr-defined]
            databases.drop(name, before)
