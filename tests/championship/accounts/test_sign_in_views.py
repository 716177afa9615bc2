"""Signing up, in and out with a code by e-mail, without a password."""

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import get_resolver

from championship.accounts.models import User
from tests.factories import freshly_signed_in, mailbox, make_user, signed_in

pytestmark = pytest.mark.django_db

ANA = {"email": "ana@example.org", "name": "Ana", "language": "pl", "time_zone": "Europe/Warsaw"}


@pytest.fixture(autouse=True)
def entrance(settings):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    cache.clear()  # rate limits count in the cache


def code_sent_to(address):
    mail = mailbox().filter(to=address).first()
    return re.search(r"^ {4}(\S+)$", mail.body, re.MULTILINE)[1]


def test_somebody_new_signs_up_with_a_code_and_is_signed_in(client):
    answer = client.post("/account/signup/", ANA)
    assert (answer.status_code, answer["Location"]) == (302, "/account/confirm-email/")
    answer = client.post("/account/confirm-email/", {"code": code_sent_to("ana@example.org")})
    assert answer.status_code == 302

    ana = User.objects.get()
    assert (ana.name, ana.language, ana.time_zone) == ("Ana", "pl", "Europe/Warsaw")
    assert not ana.has_usable_password()
    assert client.get("/me/").status_code == 200


def test_an_invitations_address_survives_signing_up(client):
    client.post("/account/signup/?next=/join/abc/", {**ANA, "next": "/join/abc/"})
    answer = client.post("/account/confirm-email/", {"code": code_sent_to("ana@example.org")})
    assert answer["Location"] == "/join/abc/"


def test_somebody_known_signs_in_with_a_code_and_out_again(client):
    make_user("Ana", email="ana@example.org")
    answer = client.post("/account/login/", {"login": "Ana@Example.org", "next": "/me/"})
    assert answer["Location"].startswith("/account/login/code/confirm/")
    assert "ana@example.org" in client.get(answer["Location"]).text
    answer = client.post(answer["Location"], {"code": code_sent_to("ana@example.org"), "next": "/me/"})
    assert answer["Location"] == "/me/"
    assert client.get("/me/").status_code == 200

    assert client.get("/account/logout/").status_code == 200
    client.post("/account/logout/")
    assert client.get("/me/").status_code == 302


def test_the_code_comes_in_the_readers_language_whatever_browser_asks(client, settings, tmp_path):
    words = tmp_path / "account" / "email"
    words.mkdir(parents=True)
    (words / "login_code_subject.txt").write_text("{% get_current_language as language %}{{ language }}")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path, *settings.TEMPLATES[0]["DIRS"]]}]
    make_user("Jan", email="jan@example.org", language="de")
    client.post("/account/login/", {"login": "jan@example.org"}, headers={"Accept-Language": "pl"})
    assert mailbox().get().subject == "de"


def test_a_wrong_code_is_refused_and_kept_and_three_of_them_end_it(client):
    make_user("Ana", email="ana@example.org")
    client.post("/account/login/", {"login": "ana@example.org"})
    for _attempt in range(2):
        answer = client.post("/account/login/code/confirm/", {"code": "WRONG"})
        assert answer.status_code == 422
        assert "That is not the code we sent" in answer.text
        assert 'value="WRONG"' in answer.text
    answer = client.post("/account/login/code/confirm/", {"code": "WRONG"})
    assert answer.status_code == 302
    assert "_auth_user_id" not in client.session


def test_nobody_learns_whether_an_address_has_an_account(client):
    answers = [Client().post("/account/login/", {"login": who}) for who in ("ana@example.org", "ben@example.org")]
    make_user("Ana", email="ana@example.org")
    answers.append(Client().post("/account/login/", {"login": "ana@example.org"}))
    answers.append(Client().post("/account/signup/", {**ANA, "email": "ana@example.org"}))
    assert {answer.status_code for answer in answers} == {302}
    assert mailbox().filter(subject="You have an account already").count() == 1
    assert User.objects.count() == 1


NONSENSE = ["", "   ", "nobody", "a\x00b@example.org", "x" * 300 + "@example.org", "a@b", "ana@example.org\nBcc: b"]


@pytest.mark.parametrize("address", NONSENSE)
def test_nonsense_for_an_address_names_the_field(client, address):
    for url, field in (("/account/login/", "login"), ("/account/signup/", "email")):
        answer = client.post(url, {**ANA, field: address})
        assert answer.status_code == 422, url
        assert f'id="id_{field}_error"' in answer.text


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "x" * 61),
        ("name", "A\x00na"),
        ("name", "A\nna"),
        ("language", "xx"),
        ("language", ""),
        ("time_zone", "Mars/Olympus"),
        ("time_zone", "../../etc/passwd"),
        ("time_zone", "\x00"),
    ],
)
def test_nonsense_about_oneself_names_the_field_and_makes_no_account(client, field, value):
    answer = client.post("/account/signup/", {**ANA, field: value})
    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in answer.text
    assert 'value="ana@example.org"' in answer.text, "what was typed is kept"
    assert not User.objects.exists()


@pytest.mark.parametrize("code", ["", "\x00", "x" * 5000, "ąę"])
def test_nonsense_for_a_code_is_a_wrong_code(client, code):
    make_user("Ana", email="ana@example.org")
    client.post("/account/login/", {"login": "ana@example.org"})
    answer = client.post("/account/login/code/confirm/", {"code": code})
    assert answer.status_code == 422
    assert 'id="id_code_error"' in answer.text


def test_asking_for_codes_again_and_again_is_throttled(client):
    make_user("Ana", email="ana@example.org")
    answers = [Client().post("/account/login/", {"login": "ana@example.org"}) for _time in range(5)]
    assert [answer.status_code for answer in answers] == [302, 302, 302, 429, 429]
    assert re.search(r"Too many attempts\. Try again in \d+ seconds\.", answers[-1].text)
    assert 'value="ana@example.org"' in answers[-1].text, "what was typed is kept"
    assert 0 < int(answers[-1]["Retry-After"]) <= 60


def test_the_first_guess_of_a_zone_follows_the_language(client):
    page = client.get("/account/signup/", headers={"Accept-Language": "pl,en"}).text
    assert re.search(r'value="Europe/Warsaw"\s+selected', page)
    page = client.get("/account/signup/", headers={"Accept-Language": "en"}).text
    assert re.search(r'value="UTC"\s+selected', page)


def test_a_new_address_counts_once_its_code_is_typed():
    ana = make_user("Ana", email="ana@example.org")
    client = freshly_signed_in(ana)
    assert client.post("/account/email/", {"action_add": "1", "email": "nonsense"}).status_code == 422
    client.post("/account/email/", {"action_add": "1", "email": "ana@club.example"})
    ana.refresh_from_db()
    assert ana.email == "ana@example.org"
    client.post("/account/confirm-email/", {"code": code_sent_to("ana@club.example")})
    ana.refresh_from_db()
    assert ana.email == "ana@club.example"


def test_pages_that_come_too_early_lead_to_the_beginning(client):
    assert client.get("/account/login/code/confirm/").status_code == 302
    assert client.get("/account/confirm-email/").status_code == 302
    assert client.get("/account/login/code/", follow=True).redirect_chain == [("/account/login/", 302)]


def test_no_page_asks_for_a_password(client):
    names = [name for name in get_resolver().reverse_dict if isinstance(name, str)]
    assert not [name for name in names if name.startswith("account") and "password" in name]
    for url in ("/account/login/", "/account/signup/"):
        assert 'type="password"' not in client.get(url).text


def test_signing_in_to_a_closed_account_says_so(client):
    ana = make_user("Ana", email="ana@example.org")
    User.objects.filter(pk=ana.pk).update(is_active=False)
    client.post("/account/login/", {"login": "ana@example.org"})
    assert client.get("/account/inactive/").status_code == 200
    assert "_auth_user_id" not in client.session


@pytest.mark.django_db(transaction=True)
def test_two_forms_at_once_for_one_address_make_one_account():
    together = Barrier(2, timeout=60)

    def sign_up(name):
        client = Client(raise_request_exception=True)
        together.wait()
        try:
            return client.post("/account/signup/", {**ANA, "name": name}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert set(pool.map(sign_up, ["Ana", "Anna"])) <= {302, 429}
    assert User.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_codes_tried_at_once_count_as_three_tries_too(settings):
    settings.ACCOUNT_RATE_LIMITS = {}
    make_user("Ana", email="ana@example.org")
    first = Client()
    place = first.post("/account/login/", {"login": "ana@example.org"})["Location"]
    together = Barrier(8, timeout=60)

    def guess(number):
        client = Client()
        client.cookies = first.cookies
        together.wait()
        try:
            return client.post(place, {"code": f"WRONG{number}"}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(guess, range(8)))
    assert answers.count(422) == 2, "the third wrong code ends it, and nothing is compared afterwards"
    assert answers.count(302) == 6


def test_too_many_attempts_to_sign_in_must_wait(client, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login": "3/10m/ip"}
    answers = [client.post("/account/login/", {"login": "nonsense"}) for _time in range(4)]
    assert [answer.status_code for answer in answers] == [422, 422, 422, 429]
    assert "Try again in 10 minutes." in answers[3].text
    assert 540 < int(answers[3]["Retry-After"]) <= 600


def test_the_operator_signs_in_with_a_code_too(client):
    User.objects.create_superuser("root@example.org", name="Root")
    answer = client.get("/admin/", follow=True)
    assert answer.redirect_chain[-1][0].startswith("/account/login/?next=")
    client.post("/account/login/", {"login": "root@example.org", "next": "/admin/"})
    answer = client.post("/account/login/code/confirm/", {"code": code_sent_to("root@example.org")})
    assert client.get("/me/").status_code == 200
    assert mailbox().count() == 1, "one code is enough"
    assert client.get("/admin/").status_code == 200


def test_the_administration_is_closed_to_everybody_else():
    assert signed_in(make_user()).get("/admin/", follow=True).status_code == 403
