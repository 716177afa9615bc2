"""Passkeys in a real browser with a virtual authenticator, under the strict content security policy."""

import json

import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings as django_settings
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client

from tests.factories import freshly_signed_in, mailbox, make_user, signed_in


@pytest.fixture(autouse=True)
def nothing_throttled():
    cache.clear()


@pytest.fixture
def authenticator(page):
    """A virtual phone that approves every request."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    return devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_driver_adds_a_passkey_and_signs_in_with_it(page, browser_window, live_server, authenticator, settings):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    ana = make_user("Ana", email="ana@example.org")
    session = freshly_signed_in(ana).cookies[django_settings.SESSION_COOKIE_NAME].value
    browser_window.add_cookies(
        [{"name": django_settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}]
    )

    page.goto("/account/passkeys/add/")
    page.get_by_label("Name of the key").fill("My phone")
    page.get_by_role("button", name="Make the passkey").click()
    page.wait_for_url("**/account/passkeys/")
    assert "My phone" in page.content()

    browser_window.clear_cookies()
    page.goto("/account/login/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url(lambda url: "/account/" not in url)
    page.goto("/me/")
    assert "ana@example.org" in page.content()

    Session.objects.all().delete()
    stale = signed_in(ana).cookies[django_settings.SESSION_COOKIE_NAME].value
    browser_window.add_cookies([{"name": django_settings.SESSION_COOKIE_NAME, "value": stale, "url": live_server.url}])
    page.goto("/account/email/")
    assert "Is it you?" in page.content()
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(lambda url: "fresh" not in url)
    assert page.get_by_label("New e-mail address").is_visible()
    assert [letter.subject for letter in mailbox().all()] == ["A passkey was added to your account at Parc Fermé"]


@pytest.fixture
def ana_with_a_key(db):
    ana = make_user("Ana", email="ana@example.org")
    Authenticator.objects.create(user=ana, type=Authenticator.Type.WEBAUTHN, data={"name": "Key", "credential": {}})
    return ana


def test_a_person_with_a_passkey_can_still_sign_in_with_a_code(ana_with_a_key, client, settings):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    client.post("/account/login/", {"login": "ana@example.org"})
    code = mailbox().get().subject.split()[0]
    client.post("/account/login/code/confirm/", {"code": code})
    assert client.get("/me/").status_code == 200


def test_a_person_removes_their_own_passkey_and_nobody_elses(ana_with_a_key):
    key = Authenticator.objects.get()
    assert freshly_signed_in(make_user("Ben")).post(f"/account/passkeys/{key.pk}/remove/").status_code == 404
    client = freshly_signed_in(ana_with_a_key)
    assert client.get("/account/passkeys/").status_code == 200
    assert client.get(f"/account/passkeys/{key.pk}/remove/").status_code == 200
    assert client.post(f"/account/passkeys/{key.pk}/remove/").status_code == 302
    assert not Authenticator.objects.exists()


MALFORMED = ["", "x", "{}", "[]", "null", "1", '"x"', '{"id": 1}', "\x00", '{"response": []}', "[" * 5000]
ALMOST = {
    "id": "AAAA",
    "rawId": "AAAA",
    "type": "public-key",
    "response": {"clientDataJSON": "e30", "attestationObject": "oA", "authenticatorData": "AA", "signature": ""},
}


@pytest.mark.django_db
@pytest.mark.parametrize("credential", [*MALFORMED, json.dumps(ALMOST), json.dumps({**ALMOST, "type": "\x00"})])
def test_an_answer_no_browser_would_give_is_refused(credential):
    client = freshly_signed_in(make_user())
    client.get("/account/passkeys/add/")
    assert client.post("/account/passkeys/add/", {"credential": credential, "name": "x"}).status_code == 422

    stranger = Client()
    assert stranger.get("/account/passkeys/login/", headers={"Accept": "application/json"}).json()
    answer = stranger.post("/account/passkeys/login/", {"credential": credential}, follow=True)
    assert answer.redirect_chain == [("/account/login/", 302)]
    assert not Authenticator.objects.exists()
