"""Sign-in methods can be changed only after a fresh sign-in, and their owner gets a notice."""

import re
import time

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.test import Client

from championship.accounts import reauthentication
from tests.factories import freshly_signed_in, mailbox, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def entrance(settings):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    cache.clear()


@pytest.fixture
def ana():
    return make_user("Ana", email="ana@example.org")


@pytest.fixture
def key(ana):
    return with_a_key(ana)


def with_a_key(ana):
    return Authenticator.objects.create(user=ana, type="webauthn", data={"name": "Key", "credential": {}})


def found(path, ana):
    """Return the path, with the number of one of her passkeys where it needs one."""
    return path.format(key=with_a_key(ana).pk) if "{key}" in path else path


def code_sent_to(address):
    mail = mailbox().filter(to=address).first()
    return re.search(r"^ {4}(\S+)$", mail.body, re.MULTILINE)[1]


def state(ana):
    addresses = EmailAddress.objects.filter(user=ana).order_by("pk").values_list("email", "primary", "verified")
    return list(addresses), list(Authenticator.objects.values_list("pk", flat=True)), mailbox().count()


ADD = {"action_add": "1", "email": "ana@club.example"}
SECOND = {"email": "second@example.org"}
ACTS = [  # address, data, and address of the redirect after a fresh sign-in
    ("/account/email/", ADD, "/account/confirm-email/"),
    ("/account/email/", {"action_remove": "1", **SECOND}, "/account/email/"),
    ("/account/email/", {"action_primary": "1", **SECOND}, "/account/email/"),
    ("/account/email/", {"action_send": "1", **SECOND}, "/account/confirm-email/"),
    ("/account/passkeys/{key}/remove/", {}, "/account/passkeys/"),
    ("/account/passkeys/add/", {"name": "New", "credential": "{}"}, None),  # the passkey itself is invalid: 422
]


@pytest.mark.parametrize(("path", "sent", "leads_to"), ACTS)
def test_without_a_fresh_sign_in_nothing_changes_and_after_it_the_act_continues(ana, path, sent, leads_to):
    EmailAddress.objects.create(user=ana, email="second@example.org", verified=True)
    path = found(path, ana)
    before, client = state(ana), signed_in(ana)

    answer = client.post(path, sent)
    assert (answer.status_code, answer["Location"]) == (302, f"/account/fresh-code/?next={path}")
    assert state(ana) == before

    page = client.get(answer["Location"])
    assert page.status_code == 200
    assert "ana@example.org" in page.text
    client.post("/account/fresh-code/", {"do": "send", "next": path})
    assert "Somebody who is signed in as you" in mailbox().get().body
    wrong = client.post("/account/fresh-code/", {"code": "WRONG", "next": path})
    assert wrong.status_code == 422
    assert 'value="WRONG"' in wrong.text
    assert state(ana)[:2] == before[:2]

    answer = client.post("/account/fresh-code/", {"code": code_sent_to("ana@example.org"), "next": path})
    assert (answer.status_code, answer.get("Location")) == ((302, leads_to) if leads_to else (422, None))
    if leads_to:
        assert state(ana) != (*before[:2], 1), "more has happened than that a code was sent"


@pytest.mark.parametrize("path", ["/account/email/", "/account/passkeys/add/", "/account/passkeys/{key}/remove/"])
def test_the_pages_themselves_ask_first_and_then_open(ana, path):
    client, path = signed_in(ana), found(path, ana)
    assert client.get(path)["Location"] == f"/account/fresh-code/?next={path}"
    client.post("/account/fresh-code/", {"do": "send", "next": path})
    answer = client.post("/account/fresh-code/", {"code": code_sent_to("ana@example.org"), "next": path})
    assert answer["Location"] == path
    assert client.get(path).status_code == 200


def test_proof_grows_old(ana):
    path = "/account/email/"
    assert freshly_signed_in(ana, reauthentication.FRESH_FOR - 5).get(path).status_code == 200
    assert freshly_signed_in(ana, reauthentication.FRESH_FOR + 1).get(path).status_code == 302
    assert freshly_signed_in(ana, -60).get(path).status_code == 302, "a moment that has not come proves nothing"


def test_after_a_sign_in_by_code_no_second_code_is_required(ana):
    client = Client()
    client.post("/account/login/", {"login": "ana@example.org"})
    client.post("/account/login/code/confirm/", {"code": code_sent_to("ana@example.org")})
    assert client.get("/account/email/").status_code == 200


def test_after_signing_up_a_passkey_can_be_added_without_another_code():
    client = Client()
    new = {"email": "bo@example.org", "name": "Bo", "language": "en", "time_zone": "UTC"}
    client.post("/account/signup/", new)
    client.post("/account/confirm-email/", {"code": "WRONG"})
    client.post("/account/confirm-email/", {"code": code_sent_to("bo@example.org")})
    assert client.get("/account/passkeys/add/").status_code == 200


def test_a_code_from_a_further_address_proves_nothing(ana):
    client = freshly_signed_in(ana)
    client.post("/account/email/", ADD)
    session = client.session
    session["account_authentication_methods"] = []  # the earlier proof has expired
    session.save()
    client.post("/account/confirm-email/", {"code": code_sent_to("ana@club.example")})
    assert EmailAddress.objects.get(user=ana).email == "ana@club.example"
    assert client.get("/account/email/").status_code == 302


def test_three_wrong_codes_end_the_code(ana):
    client = signed_in(ana)
    client.post("/account/email/", ADD)
    client.post("/account/fresh-code/", {"do": "send", "next": "/account/email/"})
    for _time in range(3):
        client.post("/account/fresh-code/", {"code": "WRONG", "next": "/account/email/"})
    answer = client.post("/account/fresh-code/", {"code": code_sent_to("ana@example.org"), "next": "/account/email/"})
    assert answer["Location"] == "/account/fresh-code/?next=/account/email/"
    assert client.get("/account/email/").status_code == 302


def test_an_act_that_was_given_up_does_not_come_back(ana):
    client = signed_in(ana)
    client.post("/account/email/", ADD)
    client.get("/account/email/")
    client.post("/account/fresh-code/", {"do": "send", "next": "/account/email/"})
    code = code_sent_to("ana@example.org")
    answer = client.post("/account/fresh-code/", {"code": code, "next": "/account/email/"})
    assert answer["Location"] == "/account/email/", "the page, not the act"
    assert not mailbox().filter(to="ana@club.example").exists()


@pytest.mark.parametrize(("seconds", "done"), [(5, True), (reauthentication.ACT_WAITS_FOR + 1, False), (-60, False)])
def test_an_act_waits_for_its_proof_only_so_long(ana, seconds, done):
    client = signed_in(ana)
    client.post("/account/email/", ADD)
    session = client.session
    session[reauthentication.ACT] = {**session[reauthentication.ACT], "at": time.time() - seconds}
    session.save()
    client.post("/account/fresh-code/", {"do": "send", "next": "/account/email/"})
    code = code_sent_to("ana@example.org")
    answer = client.post("/account/fresh-code/", {"code": code, "next": "/account/email/"})
    assert answer["Location"] == ("/account/confirm-email/" if done else "/account/email/")
    assert mailbox().filter(to="ana@club.example").exists() is done
    assert ("That took too long" in client.get("/account/email/").text) is not done
    assert reauthentication.ACT not in client.session, "it does not come back"


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", ""])
def test_proof_leads_nowhere_else(ana, elsewhere):
    client = signed_in(ana)
    client.post("/account/fresh-code/", {"do": "send"})
    answer = client.post("/account/fresh-code/", {"code": code_sent_to("ana@example.org"), "next": elsewhere})
    assert answer["Location"] == "/me/"


def test_strangers_are_sent_to_sign_in(client):
    for path in ("/account/email/", "/account/fresh-code/", "/account/fresh-passkey/", "/me/sign-ins/"):
        assert client.get(path)["Location"] == f"/account/login/?next={path}"


@pytest.mark.parametrize("credential", ["", "x", "{}", "[]", "null", '{"id": 1}', "\x00", "[" * 5000])
def test_a_passkey_no_browser_would_send_proves_nothing(ana, credential):
    client = signed_in(ana)
    assert client.get("/account/fresh-passkey/", headers={"Accept": "application/json"}).json()["request_options"]
    answer = client.post("/account/fresh-passkey/", {"credential": credential, "next": "/account/email/"}, follow=True)
    assert answer.redirect_chain == [("/account/fresh-code/?next=/account/email/", 302)]
    assert client.get("/account/email/").status_code == 302


def test_the_old_address_gets_a_notice_of_the_change_in_its_owners_language(ana, settings, tmp_path):
    words = tmp_path / "account" / "email"
    words.mkdir(parents=True)
    (words / "email_changed_subject.txt").write_text("{% get_current_language as now %}{{ now }}")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path, *settings.TEMPLATES[0]["DIRS"]]}]
    type(ana).objects.filter(pk=ana.pk).update(language="de")
    client = freshly_signed_in(ana)
    client.post("/account/email/", ADD)
    assert not mailbox().filter(to="ana@example.org").exists(), "nothing has changed yet"
    code = code_sent_to("ana@club.example")
    client.post("/account/confirm-email/", {"code": code}, headers={"X-Forwarded-For": "198.51.100.1"})
    letter = mailbox().get(to="ana@example.org")
    assert letter.subject == "de"
    assert "ana@club.example" in letter.body
    assert "198.51.100.1" in letter.body


def test_removing_a_passkey_sends_a_letter(ana, key):
    freshly_signed_in(ana).post(f"/account/passkeys/{key.pk}/remove/")
    assert mailbox().get().to == "ana@example.org"
    assert mailbox().get().subject == "A passkey was removed from your account at Parc Fermé"


@pytest.mark.parametrize(
    "odd", ["me", "account_login", "accounts:me", "//evil.example/", "https://evil.example", "/\n", "?"]
)
def test_a_redirect_after_the_act_stays_on_this_site(ana, odd):
    answer = freshly_signed_in(ana, 5).get("/account/fresh-code/", {"next": odd})
    assert answer.status_code == 302
    assert "evil" not in answer["Location"]
