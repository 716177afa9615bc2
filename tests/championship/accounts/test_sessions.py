"""Sessions of a user: listed, ended one by one or all at once, and ended by a new address."""

import re
import time

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from championship.accounts import devices
from championship.accounts.models import SignIn
from championship.accounts.services import sessions
from tests.factories import freshly_signed_in, mailbox, make_user, signed_in

pytestmark = pytest.mark.django_db
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture(autouse=True)
def entrance(settings):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    cache.clear()


@pytest.fixture
def ana():
    return make_user("Ana", email="ana@example.org")


def code_sent_to(address):
    mail = mailbox().filter(to=address).first()
    return re.search(r"^ {4}(\S+)$", mail.body, re.MULTILINE)[1]


def is_in(client):
    return client.get("/me/").status_code == 200


def make_old(client, seconds=sessions.SECONDS_BETWEEN_RECORDS + 1):
    session = client.session
    session[sessions.NOTED] = int(time.time()) - seconds
    session.save()


def test_signing_in_is_noted_with_device_and_address(ana):
    phone = Client(HTTP_USER_AGENT=FIREFOX, HTTP_X_FORWARDED_FOR="198.51.100.1")
    phone.post("/account/login/", {"login": "ana@example.org"})
    phone.post("/account/login/code/confirm/", {"code": code_sent_to("ana@example.org")})
    page = phone.get("/me/sign-ins/").text
    assert "Firefox on Linux" in page
    assert "198.51.100.1" in page
    assert "(this one)" in page
    assert phone.session.session_key not in page, "a session's key is a secret"


def test_a_session_is_noted_again_after_a_while_and_not_before(ana):
    client = signed_in(ana)
    at = SignIn.objects.get().last_seen
    with CaptureQueriesContext(
        connection,
    ) as asked:
        client.get("/me/", headers={"X-Forwarded-For": "198.51.100.9"})
    assert not [each for each in asked if "accounts_signin" in each["sql"]], "most requests cost nothing"
    make_old(client)
    client.get("/me/", headers={"X-Forwarded-For": "198.51.100.9"})
    seen = SignIn.objects.get()
    assert seen.address == "198.51.100.9"
    assert seen.last_seen > at
    assert seen.since == at


def test_a_session_of_before_appears_when_it_is_next_used(ana):
    client = signed_in(ana)
    SignIn.objects.all().delete()
    session = client.session
    del session[sessions.NOTED]
    session.save()
    client.get("/me/")
    assert SignIn.objects.get().session_id == client.session.session_key


def test_one_sign_in_is_ended_and_nobody_elses(ana):
    here, there, ben = signed_in(ana), signed_in(ana), signed_in(make_user("Ben"))
    number = SignIn.objects.get(session_id=there.session.session_key).pk
    assert ben.post("/me/sign-ins/", {"end": number}).status_code == 404
    assert is_in(there)
    assert here.post("/me/sign-ins/", {"end": number}).status_code == 302
    assert (is_in(here), is_in(there), is_in(ben)) == (True, False, True)
    assert here.post("/me/sign-ins/", {"end": number}).status_code == 404, "it is gone"


@pytest.mark.parametrize("nonsense", ["", "x", "-1", "9" * 30, "²", "\x00"])
def test_nonsense_for_a_sign_in_is_not_found(ana, nonsense):
    client = signed_in(ana)
    assert client.post("/me/sign-ins/", {"end": nonsense}).status_code == 404
    assert is_in(client)


def test_all_others_are_ended_at_once_those_too_that_were_never_noted(ana):
    here, there, unseen, ben = signed_in(ana), signed_in(ana), signed_in(ana), signed_in(make_user("Ben"))
    SignIn.objects.filter(session_id=unseen.session.session_key).delete()
    since = SignIn.objects.get(session_id=here.session.session_key).since
    here.post("/me/sign-ins/", {"do": "end-others"})
    assert (is_in(here), is_in(there), is_in(unseen), is_in(ben)) == (True, False, False, True)
    assert [each.since for each in sessions.of(ana)] == [since]


def test_a_new_address_ends_all_others(ana):
    here, there = freshly_signed_in(ana), freshly_signed_in(ana)
    here.post("/account/email/", {"action_add": "1", "email": "ana@club.example"})
    assert is_in(there), "not before the code is typed"
    answer = here.post("/account/confirm-email/", {"code": code_sent_to("ana@club.example")}, follow=True)
    assert "You are signed out on all other devices." in answer.text
    assert (is_in(here), is_in(there)) == (True, False)


def test_signing_out_takes_the_entry_along(ana):
    client = signed_in(ana)
    client.post("/account/logout/")
    assert not SignIn.objects.exists()
    assert not is_in(client)


def test_the_page_asks_one_question_for_any_number(ana):
    clients = [signed_in(ana) for _each in range(5)]
    with CaptureQueriesContext(connection) as asked:
        clients[0].get("/me/sign-ins/")
    assert len([each for each in asked if "accounts_signin" in each["sql"]]) == 1


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/130.0 Safari/537.36 Edg/130.0", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/130.0 Mobile Safari/537.36", "Chrome on Android"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari on iPhone"),
        ("curl/8.5.0", "Unknown device"),
        ("", "Unknown device"),
    ],
)
def test_a_device_is_described_in_two_words(agent, words):
    assert devices.in_words(agent) == words
