"""Fixtures and hooks for all tests. Most of them serve the tests in a real browser."""

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
from tests.random_examples import LONG, NORMAL

if TYPE_CHECKING:
    from django.template import Context, Template
    from playwright.sync_api import Browser, BrowserContext, Page

DISABLED_FEATURES = (
    # The menus of Chromium's address bar are pages: each window would render two, which takes longer than our page.
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "AimEnabled", "LensOverlay"),
    # Playwright disables these. Chromium obeys only the last --disable-features switch, so ours must repeat them.
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
    f"--disable-features={','.join(DISABLED_FEATURES)}",
]


PATIENCE = 60_000
"""Milliseconds that a browser waits for a response, a click or an element. A busy machine needs that long."""

GARBAGE_THRESHOLD = 50_000
"""Number of new objects that starts a garbage collection. Python's default of 700 starts 100 in a test of pages."""

# No Hypothesis example may fail because it took long: some machines are slow or busy.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=NORMAL
)
settings.register_profile("long", settings.get_profile("any machine"), max_examples=LONG)
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--keep-durations", action="store_true", help="write down which tests take long")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--keep-durations"):
        config.pluginmanager.register(ordering.Processor())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(ordering.Stopwatch())


def pytest_sessionstart(session: pytest.Session) -> None:
    """Share tables that take long to compute between the test processes."""
    if hasattr(session.config, "workerinput") and hasattr(session.config, "cache"):
        from tests import cost_table_cache

        cost_table_cache.keep_in(session.config.cache.mkdir("worth"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip the import of files without the mark "slow" when only slow tests run: few files have them."""
    slow_only = config.option.markexpr == "slow" and collection_path.suffix == ".py"
    return True if slow_only and not _has_slow_mark(collection_path) else None


@cache
def _has_slow_mark(path: Path) -> bool:
    return "mark.slow" in path.read_text("utf-8")


def pytest_collection() -> None:
    """Switch off garbage collection: imported modules and collected tests live until the end of the session."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE_THRESHOLD)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Let each of several processes begin with its slowest tests.

    Tests that share a fixture with others of their module keep their place.

    Raises: UsageError when a test is slow, but its file does not contain the text "mark.slow": no tier would run it.
    """
    for item in items:
        if item.get_closest_marker("slow") and not _has_slow_mark(item.path):
            raise pytest.UsageError(f"{item.nodeid} is slow, but nothing in its file says mark.slow: no tier runs it")
    yield
    if hasattr(config, "workerinput"):
        apart = {ordering.key_of(item.nodeid) for item in items if not ordering.shares_a_world(item)}
        seconds = {key: took for key, took in ordering.timed().items() if key in apart}
        items[:] = ordering.dealt(items, seconds, config.workerinput["workercount"])


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Reset language and time zone: a page that the test rendered for a person has activated theirs."""
    from django.utils import timezone, translation

    translation.deactivate()
    timezone.deactivate()


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of Debian's Chromium. When it is not installed the test is skipped, or fails if CI=true.

    The headless shell is preferred. It is the same browser without menus, tabs and windows, which take up to half of
    the processor time.
    """
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if path is None:
        reason = "there is no chromium here to show the pages in"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


def _with_timeout(browser: "Browser") -> "Browser":
    """Return the browser with the timeout PATIENCE for all its windows and for `expect`. Its windows have no service
    worker unless they are opened with one: a worker reads pages again in the background.
    """
    from playwright.sync_api import expect

    open_window = browser.new_context

    def open_with_timeout(**options: Any) -> "BrowserContext":
        window = open_window(**({"service_workers": "block"} | options))
        window.set_default_timeout(PATIENCE)
        return window

    browser.new_context = open_with_timeout  # type: ignore[method-assign]
    expect.set_options(timeout=PATIENCE)
    return browser


def _read_only_loaded_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the methods that read without waiting wait until the page is loaded completely.

    A browser shows a long page while it loads: a test could see its first card before the last one has arrived.
    """
    from playwright.sync_api import Locator, Page

    def after_load(read: Callable[..., Any], page_of: Callable[[Any], "Page"]) -> Callable[..., Any]:
        def read_loaded(where: Any, *arguments: Any, **options: Any) -> Any:
            page_of(where).wait_for_load_state("domcontentloaded")
            return read(where, *arguments, **options)

        return read_loaded

    for name in ("all", "all_inner_texts", "all_text_contents", "count", "evaluate_all", "is_visible"):
        monkeypatch.setattr(Locator, name, after_load(getattr(Locator, name), lambda locator: locator.page))
    for name in ("content", "evaluate"):
        monkeypatch.setattr(Page, name, after_load(getattr(Page, name), lambda page: page))


@pytest.fixture(scope="session")
def started_browsers(chromium: str) -> Iterator[Callable[[], "Browser"]]:
    """Return a function that returns the headless browser of this session, started at the first call.

    Playwright controls it from an event loop in this thread. Between two calls asyncio still sees that loop as running.
    It is unset after each test, so that Django and asyncio work normally in tests without a browser.
    """
    import asyncio

    from playwright.sync_api import sync_playwright

    from tests.static_file_cache import static_file_cache

    with static_file_cache(), pytest.MonkeyPatch.context() as patches, sync_playwright() as playwright:
        _read_only_loaded_pages(patches)
        loop = asyncio.get_running_loop()
        running: list[Browser] = []

        def browser() -> "Browser":
            asyncio._set_running_loop(loop)
            if not running or not running[-1].is_connected():
                launched = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_OPTIONS, headless=True)
                running.append(_with_timeout(launched))
            return running[-1]

        asyncio._set_running_loop(None)
        yield browser
        asyncio._set_running_loop(loop)
        for launched in running:
            launched.close()


@pytest.fixture
def browser(started_browsers: Callable[[], "Browser"], monkeypatch: pytest.MonkeyPatch) -> Iterator["Browser"]:
    """A headless browser without windows.

    Its event loop runs in this thread, so Django's check against database queries from async code must be switched off.
    """
    import asyncio

    from django.db import connections

    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    browser = started_browsers()
    yield browser
    for window in browser.contexts:
        window.close()
    connections.close_all()  # while an event loop runs, Django opens separate connections
    asyncio._set_running_loop(None)


@pytest.fixture
def service_workers() -> str:
    """Whether `browser_window` has a service worker: "allow" or "block". Modules override it."""
    return "block"


@pytest.fixture
def browser_window(browser: "Browser", live_server, service_workers: Any) -> Iterator["BrowserContext"]:
    """A new window with its own cookies on the live server. A JavaScript error fails the test."""
    window = browser.new_context(
        base_url=live_server.url, locale="en-GB", timezone_id="UTC", service_workers=service_workers
    )
    errors: list[str] = []
    window.on("weberror", lambda error: errors.append(str(error.error)))
    yield window
    window.close()
    assert errors == []


@pytest.fixture(scope="session", autouse=True)
def skip_templates_of_form_fields(django_test_environment: None) -> Iterator[None]:
    """Stop Django's test client from storing the templates of form fields.

    It copies the context of each template that it renders. Each of the 500 options of the time zone is a template.
    """
    from django.test import client

    store_template = client.store_rendered_templates

    def store_other_templates(
        store: dict, signal: object, sender: object, template: "Template", context: "Context", **more: object
    ) -> None:
        if not (template.name or "").startswith("django/forms/"):
            store_template(store, signal, sender, template, context, **more)

    client.store_rendered_templates = store_other_templates
    yield
    client.store_rendered_templates = store_template


@pytest.fixture(scope="session", autouse=True)
def send_responses_at_once(django_test_environment: None) -> None:
    """Disable Nagle's algorithm in the live server, as gunicorn does.

    The live server sends headers and body in two packets. On a connection that stays open, the second would wait 40 ms
    for the acknowledgement of the first.
    """
    from django.core.servers.basehttp import WSGIRequestHandler

    WSGIRequestHandler.disable_nagle_algorithm = True


@pytest.fixture(autouse=True)
def clear_cache() -> None:
    """Clear the cache, so that requests of other tests do not count against rate limits."""
    from django.core.cache import cache

    cache.clear()


@pytest.fixture(autouse=True)
def forget_posts_of_other_tests() -> None:
    """Delete the file with the highest post number. The database is emptied after each test, as if it was set back."""
    from championship.lineage.services import HIGHEST
    from championship.platform import embedded

    (embedded.VAR_DIR / HIGHEST).unlink(missing_ok=True)


@pytest.fixture(autouse=True)
def seed_random_numbers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed the random numbers of each test with its id, so that a failure that depends on a roll repeats."""
    luck = random.Random(request.node.nodeid)
    monkeypatch.setattr("secrets.token_bytes", lambda count=None: luck.randbytes(count or 32))
    system_luck = random.Random(f"lots of {request.node.nodeid}")
    monkeypatch.setattr("random._urandom", system_luck.randbytes)  # the source of SystemRandom


@pytest.fixture
def at(settings) -> Callable[[datetime | str], datetime]:
    """Return a function that sets the time of `championship.platform.clock`: at("2026-11-19T12:00") in UTC.

    The clock stands still. The test begins at that very moment.
    """
    from tests import moment

    settings.CLOCK = "tests.moment.told"
    moment.be("2026-11-19T12:00")
    return moment.be


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty folder for a server that the test starts.

    It is not in pytest's tmp_path: when tests run as root, other users, such as the server's, cannot read its parents.
    """
    with tempfile.TemporaryDirectory(prefix="parc-ferme-test-", ignore_cleanup_errors=True) as path:
        yield Path(path)


@pytest.fixture
def page(browser_window: "BrowserContext") -> "Page":
    """An empty page in `browser_window`."""
    return browser_window.new_page()


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None,
    django_db_blocker: pytest.FixtureRequest,
    django_db_keepdb: bool,
    django_db_modify_db_settings: None,
) -> Iterator[None]:
    """Create the test database as a copy of a migrated template.

    The triggers against TRUNCATE on its append-only tables are disabled, because that statement may empty the tables
    after a test with several connections. A test of such a trigger enables it.
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
