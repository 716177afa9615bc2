"""The pages about notices, on a phone, in both themes, and how a browser handles a push."""

from __future__ import annotations

import json
import os
from base64 import urlsafe_b64encode
from http import HTTPStatus
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import Browser, BrowserContext, Page, expect

from championship.accounts.models import User
from championship.notices import kinds, services
from championship.notices.models import Notice, PushSubscription, Webhook
from championship.notices.selectors import switches_of
from championship.notices.unsubscribing import token_for
from tests.browser.desk import serious_faults
from tests.browser.test_first_turn import sign_in
from tests.factories import make_club, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

SCREENSHOTS = os.environ.get("SCREENSHOTS", "")
"""A folder for pictures of the pages. No pictures are taken when it is empty."""

SHOWN = """navigator.serviceWorker.ready.then(worker => worker.getNotifications())
    .then(all => all.map(one => [one.title, one.body, one.tag, one.data.path]))"""


@pytest.fixture
def service_workers() -> str:
    """These tests need the worker."""
    return "allow"


@pytest.fixture
def operator() -> User:
    """An operator with a browser, a webhook, an address that accepts no mail, and letters that could not be sent."""
    person = make_user("Aleksandra Wiśniewska-Kowalczyk")
    reason = "550 5.1.1 The account that you tried to reach does not exist"
    services.refuse_address(address=person.email, reason=reason)
    User.objects.filter(pk=person.pk).update(is_staff=True)
    PushSubscription.objects.create(
        person=person, endpoint="https://push.example/1", p256dh="x", auth="y", browser="Firefox, Android"
    )
    Webhook.objects.create(
        person=person,
        url="https://chat.example/" + "x" * 120,
        last_at="2026-11-20T12:00Z",
        last_answer="204 " + "y" * 90,
        off_because="410 Gone",
    )
    for number, status in enumerate(("dead", "unsure", "dead")):
        Notice.objects.create(
            recipient=make_user(f"Reader {number}"),
            kind="turn waits",
            subject_key=f"run 12 turn {number}",
            status=status,
            attempts=12,
            error="SMTPDataError: (554, b'5.6.0 Looks like spam to " + "a-very-long-host-name" * 6 + "')",
        )
    return person


@pytest.mark.parametrize("width", [320, 360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_fit_and_axe_finds_nothing_serious(
    browser: Browser, live_server, operator: User, width: int, scheme: str
) -> None:
    window = browser.new_context(
        base_url=live_server.url, viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    sign_in(window, operator, live_server.url)
    page = window.new_page()
    off = f"/mail/off/{token_for(operator, [kind.name for kind in kinds.switchable()])}/"
    club = make_club(owner=operator)
    hook = Webhook.objects.create(club=club, url="https://chat.example/" + "x" * 120, name="y" * 60)
    Notice.objects.create(
        club=club, channel="webhook", webhook=hook, kind="club: rally over", subject_key="rally 1",
        context={"rally": "z" * 80}, status="dead", answer="500 " + "w" * 100,
    )  # fmt: skip
    pages = {
        "notices": "/me/notices/",
        "letters": "/operator/letters/",
        "club": f"/clubs/{club.slug}/webhook/",
        "webhook": f"/clubs/{club.slug}/webhook/{hook.pk}/",
        "me": "/me/",
        "off": off,
    }
    for name, path in pages.items():
        page.goto(path)
        page.evaluate("document.querySelectorAll('details').forEach(box => { box.open = true; })")
        if SCREENSHOTS:
            page.screenshot(path=Path(SCREENSHOTS) / f"{name}-{width}-{scheme}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert serious_faults(page) == [], path
    window.close()


def test_choices_are_made_by_keyboard_and_without_script(browser: Browser, live_server) -> None:
    ana = make_user("Ana")
    window = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    sign_in(window, ana, live_server.url)
    page = window.new_page()
    page.goto("/me/notices/")
    expect(page.get_by_role("button", name="Show my notices in this browser")).to_be_hidden()
    waits = page.get_by_role("group", name="A turn waits for me")
    waits.get_by_label("Mail").focus()
    page.keyboard.press("Space")
    page.get_by_label("Once an hour, together").check()
    page.get_by_role("button", name="Save", exact=True).press("Enter")
    expect(page.get_by_text("Your choices are saved.")).to_be_visible()
    expect(waits.get_by_label("Mail")).not_to_be_checked()
    assert switches_of(ana)["turn waits", "mail"] is False
    window.close()


def test_a_browser_shows_a_push_once_and_opens_its_page(
    browser_window: BrowserContext, page: Page, live_server
) -> None:
    """The test cannot use a real push service. Chromium passes its worker a push as if it came from there."""
    sign_in(browser_window, make_user("Ana"), live_server.url)
    browser_window.grant_permissions(["notifications"])
    tools = browser_window.new_cdp_session(page)
    registrations: list[str] = []
    tools.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: registrations.extend(each["registrationId"] for each in told["registrations"]),
    )
    tools.send("ServiceWorker.enable")
    page.goto("/me/notices/")
    expect(page.get_by_role("button", name="Show my notices in this browser")).to_be_visible()
    page.evaluate(
        "navigator.serviceWorker.register('/push-worker.js', {scope: '/'}).then(() => navigator.serviceWorker.ready)"
    )
    while not registrations:
        page.wait_for_timeout(50)  # milliseconds, in which the reports of the developer tools arrive
    told = {"title": "Monte: your turn", "body": "It is your turn.", "path": "/runs/abc/", "tag": "one", "lang": "en"}
    for body in ("It is your turn.", "It is still your turn."):
        data = json.dumps(told | {"body": body})
        push = {"origin": live_server.url, "registrationId": registrations[-1], "data": data}
        tools.send("ServiceWorker.deliverPushMessage", push)
        # The browser removes the earlier copy and then shows this one.
        alone = json.dumps([["Monte: your turn", body, "one", "/runs/abc/"]], separators=(",", ":"))
        page.wait_for_function(f"alone => {SHOWN}.then(all => JSON.stringify(all) === alone)", arg=alone)


def test_a_browser_that_renews_its_subscription_tells_the_service(
    browser_window: BrowserContext, page: Page, live_server, settings
) -> None:
    """The test cannot use a real push service, so it gives the worker what the browser would give it."""
    settings.WEBHOOK_ALLOWED_ADDRESSES = ["127.0.0.1:9"]
    ana = make_user("Ana")
    sign_in(browser_window, ana, live_server.url)
    point = generate_private_key(SECP256R1()).public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    keys = {"p256dh": in_base64(point), "auth": in_base64(b"sixteen secrets!")}
    first, second, third = ({"endpoint": f"http://127.0.0.1:9/{number}", "keys": keys} for number in range(3))
    PushSubscription.objects.create(person=ana, endpoint=first["endpoint"], **keys)
    page.goto("/me/notices/")
    with browser_window.expect_event("serviceworker") as begun:
        page.evaluate("navigator.serviceWorker.register('/push-worker.js', {scope: '/'})")
    told = """([oldSubscription, newSubscription]) => new Promise(waitUntil => self.dispatchEvent(Object.assign(
        new ExtendableEvent("pushsubscriptionchange"), {oldSubscription, newSubscription, waitUntil}
    ))).then(answer => answer.status)"""
    assert begun.value.evaluate(told, [first, second]) == HTTPStatus.NO_CONTENT
    assert PushSubscription.objects.get().endpoint == second["endpoint"]
    assert begun.value.evaluate(told, [None, third]) == HTTPStatus.NO_CONTENT
    assert PushSubscription.objects.filter(person=ana, endpoint=third["endpoint"]).exists()


def in_base64(number: bytes) -> str:
    return urlsafe_b64encode(number).rstrip(b"=").decode()


def test_signing_out_takes_the_browser_off_and_unsubscribes_it(
    browser_window: BrowserContext, page: Page, live_server
) -> None:
    """The test cannot use a real push service, so the browser gets the response that one would have sent."""
    ana = make_user("Ana")
    sign_in(browser_window, ana, live_server.url)
    endpoint = "https://push.example/here"
    for address in (endpoint, "https://push.example/elsewhere"):
        PushSubscription.objects.create(person=ana, endpoint=address, p256dh="x", auth="y")
    page.add_init_script(
        """PushManager.prototype.getSubscription = () => Promise.resolve({
            endpoint: "https://push.example/here",
            unsubscribe: () => { sessionStorage.setItem("unsubscribed", "yes"); return Promise.resolve(true); }
        });"""
    )
    page.goto("/me/notices/")
    page.evaluate(
        "navigator.serviceWorker.register('/push-worker.js', {scope: '/'}).then(() => navigator.serviceWorker.ready)"
    )
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    assert page.evaluate("sessionStorage.getItem('unsubscribed')") == "yes"
    assert [kept.endpoint for kept in PushSubscription.objects.all()] == ["https://push.example/elsewhere"]
