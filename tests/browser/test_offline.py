"""The installed app, and a driver without a connection: seen pages, orders that are kept, sent once or refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from championship.rallies.models import Entry
from championship.runs.models import Draft, Post, Run
from tests.browser.desk import PHONE, serious_faults, window_of
from tests.browser.test_first_turn import sign_in
from tests.championship.runs.factories import careful_turn, on_the_road, open_turn, play
from tests.factories import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

COPIES = """async () => {
    const name = (await caches.keys()).find(name => name.startsWith("pages "));
    const kept = name ? await (await caches.open(name)).keys() : [];
    return kept.map(each => new URL(each.url).pathname).filter(path => !path.startsWith("/land/")).sort();
}"""


TRIES, PAUSE = 100, 100  # milliseconds


def copies(page: Page) -> list[str]:
    """Return the paths of the pages that the browser keeps."""
    found: list[str] = page.evaluate(COPIES)
    return found


def keeps(page: Page, path: str, *, is_kept: bool = True) -> None:
    """Wait until the browser keeps a page, or no longer keeps it."""
    for _try in range(TRIES):
        if (path in copies(page)) is is_kept:
            return
        page.wait_for_timeout(PAUSE)
    raise AssertionError(f"{path}: {copies(page)}")


@pytest.fixture
def windows(browser: Browser, live_server) -> Iterator[Any]:
    """A function that opens a window, with its service worker, for the driver of an entry. Errors fail the test."""
    errors: list[str] = []

    def opened(entry: Entry) -> BrowserContext:
        look = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "reduced_motion": "reduce"}
        window = window_of(browser, live_server.url, entry, service_workers="allow", **look)
        window.on("weberror", lambda error: errors.append(str(error.error)))
        return window

    yield opened
    assert errors == []


def seen(window: BrowserContext, run: Run, query: str = "") -> Page:
    """Return the stage page in a new tab, after the browser has kept it."""
    page = window.new_page()
    page.goto(f"{run.get_absolute_url()}{query}")
    keeps(page, run.get_absolute_url())
    keeps(page, "/offline/")
    return page


def test_it_can_be_installed(windows, live_server) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = windows(ana)
    page = seen(window, run)
    assert page.evaluate("navigator.serviceWorker.ready.then(found => found.active.state)") in (
        "activating",
        "activated",
    )
    tools = window.new_cdp_session(page)
    found = tools.send("Page.getAppManifest")
    assert (found["errors"], found["url"]) == ([], f"{live_server.url}/app.webmanifest?lang=en")
    assert tools.send("Page.getInstallabilityErrors")["installabilityErrors"] in ([], [IN_PRIVATE])
    window.close()


IN_PRIVATE = {"errorId": "in-incognito", "errorArguments": []}
"""The windows of tests are private ones, in which browsers install nothing."""


def test_a_seen_stage_opens_without_connection_and_says_when_it_was_seen(windows) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = windows(ana)
    page = seen(window, run)
    expect(page.locator("#seen")).to_be_hidden()
    page.goto("/turns/")
    keeps(page, "/turns/")
    window.set_offline(True)
    page.goto(run.get_absolute_url())
    expect(page.locator("#seen")).to_be_visible()
    expect(page.locator("figure.map > svg")).to_be_visible()
    assert page.locator(".button").first.evaluate("each => getComputedStyle(each).fontWeight") > "500", "with its style"
    page.locator("svg a.target").first.tap()
    expect(page.locator(".fan")).to_be_visible()
    page.goto("/turns/")
    expect(page.locator("#seen")).to_be_visible()
    page.goto("/clubs/")
    expect(page.get_by_role("heading", name="No connection")).to_be_visible()
    page.goto(run.get_absolute_url())
    window.set_offline(False)
    expect(page.locator("#seen")).to_be_hidden()
    window.close()


def test_orders_are_kept_without_connection_and_sent_once_when_it_is_back(windows) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = windows(ana)
    page = seen(window, run, "?plan=1:1.2.l+2:1.3.l")
    window.set_offline(True)
    page.get_by_role("button", name="One by one").tap()
    kept = page.get_by_text("Kept here, and sent once when it is back and this page is open")
    expect(kept).to_be_visible()
    expect(page.locator("#lost .ordered")).to_contain_text("One by one 1:1.2.l 2:1.3.l")
    page.goto(run.get_absolute_url())  # a new opening of the page, from its copy
    expect(page.locator("#seen")).to_be_visible()
    expect(kept).to_be_visible()
    page.goto("/offline/")
    window.set_offline(False)
    page.goto("/turns/")
    expect(page.locator("#unsent")).to_contain_text("Not sent yet")
    page.locator("#unsent a").tap()
    expect(page.get_by_role("button", name="Roll")).to_be_visible()
    expect(page.locator("#lost")).to_be_hidden()
    page.reload()
    expect(page.get_by_role("button", name="Roll")).to_be_visible()
    assert Post.objects.filter(run=run, by=ana.driver).count() == 1
    window.close()


def lay_on_the_map(page: Page, *moves: str) -> None:
    """Tap the space of each move, and its die where several lead there."""
    for move in moves:
        space = move.partition(":")[2]
        page.locator(f"svg a.target[data-space='{space}'] .chip").tap()
        page.locator(f".fan button[data-move='{move}']").tap()
        expect(page.locator(f"#panel .plan [data-laid='{move}']")).to_be_attached()


def test_several_dice_are_laid_without_connection_and_sent_as_one_plan(windows) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = windows(ana)
    page = seen(window, run)
    sent: list[str] = []
    page.on("response", lambda answer: sent.append(answer.url) if answer.request.method == "POST" else None)
    window.set_offline(True)
    lay_on_the_map(page, "1:1.2.l", "2:1.3.l", "3:2.1.o1")
    expect(page.locator("#lost summary")).to_have_text("No connection. Kept, not sent yet: 3")
    page.locator("#lost summary").tap()
    steps = page.locator("#lost .unsent-steps li")
    expect(steps).to_have_text(
        [f"Gear {gear} kept, not sent yet" for gear in ("1 1.2 left", "2 1.3 left", "3 2.1 drift 1")]
    )
    assert serious_faults(page) == []
    page.locator("#lost summary").tap()
    page.get_by_role("button", name="Take back").first.tap()
    expect(steps).to_have_count(2)
    page.goto(run.get_absolute_url())  # a new opening of the page, from its copy
    expect(page.locator("#panel .plan li")).to_have_count(2)
    lay_on_the_map(page, "c:2.1.i1")
    window.set_offline(False)
    expect(page.locator("#lost")).to_be_hidden()
    expect(page.locator("#panel .plan li")).to_have_count(3)
    assert Draft.objects.get(run=run).laid == "1:1.2.l 2:1.3.l c:2.1.i1"
    assert len([url for url in sent if url.endswith("/draft/")]) == 1
    assert not Post.objects.filter(run=run).exists()
    window.close()


def test_a_roll_waits_with_its_plan_and_is_withdrawn_before_the_steps(windows) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = windows(ana)
    page = seen(window, run)
    window.set_offline(True)
    lay_on_the_map(page, "1:1.2.l", "2:1.3.l")
    page.get_by_role("button", name="Flat out").tap()
    expect(page.locator("#lost .ordered")).to_have_text("Flat out 1:1.2.l 2:1.3.l")
    expect(page.get_by_text("The dice are rolled when the connection is back.")).to_be_visible()
    expect(page.locator("svg a.target")).to_have_count(0)
    page.get_by_role("button", name="Withdraw it").tap()
    expect(page.locator("#lost summary")).to_have_text("No connection. Kept, not sent yet: 2")
    page.locator("#lost summary").tap()
    page.get_by_role("button", name="Withdraw it").tap()
    expect(page.locator("#lost")).to_be_hidden()
    expect(page.locator("#panel .plan")).to_have_count(0)
    lay_on_the_map(page, "1:1.2.l")
    page.get_by_role("button", name="Flat out").tap()
    window.set_offline(False)
    expect(page.locator("#lost")).to_be_hidden()
    page.reload()
    posts = Post.objects.filter(run=run, by=ana.driver)
    assert [post.orders["plan"] for post in posts] == ["1:1.2.l"]
    window.close()


def test_a_plan_that_no_longer_fits_is_refused_with_the_move(windows) -> None:
    run, (ana, bo) = on_the_road("Ana", "Bo")
    window = windows(bo)
    page = window.new_page()
    page.goto(run.get_absolute_url(), wait_until="load")
    window.set_offline(True)
    page.get_by_text("Lay your next plan now").tap()
    page.locator("#panel button[name=move][value='1:1.2.r']").tap()
    expect(page.locator("#lost summary")).to_be_visible()
    page.locator("#panel button[name=move]").first.tap()
    play(run, ana, do="lay", plan="1:1.2.r", roll="flat out", sisu=False)
    window.set_offline(False)
    expect(page.get_by_text("has arrived, and was not carried out")).to_be_visible()
    expect(page.locator("#panel .notice.bad").first).to_contain_text("Move 1:")
    expect(page.locator("#lost .ordered code")).to_contain_text("1:1.2.r")
    assert not Draft.objects.filter(run=run, person=bo.driver).exists()
    window.close()


def test_a_typed_plan_is_kept_and_laid_when_the_connection_is_back(windows) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = windows(ana)
    page = seen(window, run)
    window.set_offline(True)
    page.get_by_text("Write the plan").tap()
    page.get_by_label("Moves, separated by blanks").fill("1:1.2.l 2:1.3.l")
    page.get_by_role("button", name="Lay it").tap()
    expect(page.locator("#lost .ordered")).to_contain_text("Lay it 1:1.2.l 2:1.3.l")
    window.set_offline(False)
    expect(page.locator("#panel .plan li")).to_have_count(2)
    expect(page.locator("#lost")).to_be_hidden()
    window.close()


def test_orders_that_come_too_late_are_told_with_what_was_ordered(windows) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = windows(ana)
    page = seen(window, run, "?plan=1:1.2.l+2:1.3.l")
    window.set_offline(True)
    page.get_by_role("button", name="One by one").tap()
    expect(page.locator("#lost .ordered")).to_be_visible()
    play(run, ana, **careful_turn(run))  # on another device
    posts = Post.objects.filter(run=run).count()
    window.set_offline(False)
    refused = page.get_by_text("has arrived, and was not carried out")
    expect(refused).to_be_visible()
    expect(page.get_by_text("The situation has changed meanwhile.")).to_be_visible()
    page.reload()
    expect(refused).to_be_visible()
    expect(page.locator("#lost .ordered")).to_contain_text("One by one 1:1.2.l 2:1.3.l")
    page.get_by_role("button", name="Close", exact=True).first.tap()
    page.reload()
    expect(page.get_by_role("heading", name="Chance you can check")).to_be_visible()
    expect(refused).to_be_hidden()
    assert Post.objects.filter(run=run).count() == posts
    window.close()


def test_a_turn_that_is_over_is_not_kept(windows) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = windows(ana)
    page = seen(window, run)
    while open_turn(run).seat.entry == ana:
        play(run, ana, **careful_turn(run))
    page.goto("/turns/")
    keeps(page, run.get_absolute_url(), is_kept=False)
    window.close()


def test_signing_out_deletes_copies_and_asks_before_orders_are_lost(windows) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = windows(ana)
    page = seen(window, run, "?plan=1:1.2.l+2:1.3.l")
    page.route("**/turn/", lambda route: route.abort())
    page.get_by_role("button", name="One by one").tap()
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    page.goto("/turns/")
    keeps(page, "/turns/")
    asked: list[str] = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    page.get_by_role("button", name="Sign out").tap()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    assert asked == ["Orders in this browser are not sent yet. Sign out and delete them?"]
    assert copies(page) == []
    assert page.evaluate("Object.keys(localStorage).filter(name => name.startsWith('unsent:'))") == []
    window.close()


def test_orders_of_somebody_signed_out_meanwhile_are_kept_until_the_next_sign_in(windows, live_server) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = windows(ana)
    page = seen(window, run, "?plan=1:1.2.l+2:1.3.l")
    window.clear_cookies(name="sessionid")
    page.get_by_role("button", name="One by one").tap()
    expect(page.get_by_text("You are not signed in any more.")).to_be_visible()
    expect(page.locator("figure.map > svg")).to_be_visible()
    page.goto("/turns/")
    keeps(page, run.get_absolute_url(), is_kept=False)
    sign_in(window, ana.driver, live_server.url)
    page.goto(run.get_absolute_url())
    expect(page.get_by_role("button", name="Roll")).to_be_visible()
    assert Post.objects.filter(run=run, by=ana.driver).count() == 1
    window.close()


def test_a_new_worker_deletes_the_copies_of_another_release(windows) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = windows(ana)
    page = seen(window, run)
    page.evaluate(
        """async () => {
            await (await caches.open("files 0.0.1")).put("/static/x.css", new Response("old"));
            await (await caches.open("pages 0.0.1")).put("/runs/x/", new Response("old"));
            await (await navigator.serviceWorker.getRegistration("/")).unregister();
        }"""
    )
    page.goto("/clubs/")
    for _try in range(TRIES):
        names = page.evaluate("navigator.serviceWorker.ready.then(() => caches.keys())")
        if not any("0.0.1" in name for name in names):
            break
        page.wait_for_timeout(PAUSE)
    assert not any("0.0.1" in name for name in names)
    window.close()


def test_another_account_sees_nothing_of_the_first(windows, live_server) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = windows(ana)
    page = seen(window, run, "?plan=1:1.2.l+2:1.3.l")
    window.set_offline(True)
    page.get_by_role("button", name="One by one").tap()
    expect(page.locator("#lost .ordered")).to_be_visible()
    page.goto("about:blank")
    window.set_offline(False)
    sign_in(window, make_user("Cem"), live_server.url)
    page.goto("/turns/")
    keeps(page, run.get_absolute_url(), is_kept=False)
    expect(page.locator("#unsent")).to_be_hidden()
    page.goto(run.get_absolute_url())
    expect(page.locator("#lost")).to_be_hidden()
    window.set_offline(True)
    page.goto(run.get_absolute_url())
    expect(page.locator("#run")).to_have_count(0)
    assert not Post.objects.filter(run=run).exists()
    window.close()


def test_a_tab_that_slept_says_that_its_turn_is_out_of_date(windows) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = windows(ana)
    page = seen(window, run, "?plan=1:1.2.l+2:1.3.l")
    page.route("**/changes/**", lambda route: route.abort())  # a tab that sleeps does not ask
    play(run, ana, **careful_turn(run))
    posts = Post.objects.filter(run=run).count()
    page.get_by_role("button", name="One by one").tap()
    expect(page.get_by_text("The situation has changed meanwhile.")).to_be_visible()
    assert Post.objects.filter(run=run).count() == posts
    window.close()


def test_a_tab_that_wakes_polls_at_once(windows) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    window = windows(ana)
    page = seen(window, run)
    with page.expect_response(lambda answer: "/changes/" in answer.url and "/runs/" in answer.url, timeout=3000):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    window.close()
