"""Rate limits stop guessing and flooding, and allow a club night."""

import re
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client

from championship.accounts.models import User
from tests.factories import mailbox, make_user, signed_in

pytestmark = pytest.mark.django_db
HALL = {"HTTP_X_FORWARDED_FOR": "198.51.100.1"}
DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "signing-in.md"


@pytest.fixture(autouse=True)
def entrance(settings):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    cache.clear()


def code_sent_to(address):
    mail = mailbox().filter(to=address).first()
    return re.search(r"^ {4}(\S+)$", mail.body, re.MULTILINE)[1]


@pytest.mark.slow
def test_sixty_people_sign_up_and_sixty_more_sign_in_from_one_hall():
    for number in range(60):
        client, address = Client(**HALL), f"driver.{number}@example.org"
        form = {"email": address, "name": f"Driver {number}", "language": "en", "time_zone": "UTC"}
        assert client.post("/account/signup/", {**form, "name": ""}).status_code == 422, "a first try with a mistake"
        if number >= 30:  # the other half has already signed up at home
            make_user(form["name"], email=address)
            assert client.post("/account/login/", {"login": address}).status_code == 302
            client.post("/account/login/code/confirm/", {"code": code_sent_to(address)})
        else:
            assert client.post("/account/signup/", form).status_code == 302
            client.post("/account/confirm-email/", {"code": code_sent_to(address)})
        assert client.get("/me/").status_code == 200, number
    assert User.objects.count() == 60


def ask(number):
    return Client(HTTP_X_FORWARDED_FOR=f"203.0.113.{number}").post("/account/login/", {"login": "ana@example.org"})


def test_an_address_gets_ten_codes_an_hour_from_all_clients_together(monkeypatch):
    make_user("Ana", email="ana@example.org")
    began, passed = 1_800_000_000.0, 0
    monkeypatch.setattr("time.time", lambda: began + passed)
    answers = []
    for number in range(12):
        passed = number * 61
        answers.append(ask(number))
    assert [answer.status_code for answer in answers] == [302] * 10 + [429] * 2
    assert mailbox().count() == 10
    assert "Try again in 50 minutes." in answers[10].text, "when the first code is an hour old"
    assert answers[10]["Retry-After"] == str(3600 - 610)
    passed = 3601
    assert ask(13).status_code == 302


def test_fresh_codes_count_with_those_to_sign_in():
    ana = make_user("Ana", email="ana@example.org")
    client = signed_in(ana)
    assert [client.post("/account/fresh-code/", {"do": "send"}).status_code for _time in range(4)] == [302] * 3 + [429]
    assert ask(1).status_code == 429
    assert mailbox().count() == 3


@pytest.mark.slow
def test_one_address_cannot_ask_for_codes_to_everybody():
    most = 120
    answers = [Client(**HALL).post("/account/login/", {"login": f"x{each}@example.org"}) for each in range(most + 1)]
    assert {answer.status_code for answer in answers[:most]} == {302}
    assert answers[most].status_code == 429
    assert (
        Client(HTTP_X_FORWARDED_FOR="198.51.100.2").post("/account/login/", {"login": "y@example.org"}).status_code
        == 302
    )


def test_the_document_has_the_numbers_in_force(settings):
    told = DOCUMENT.read_text(encoding="utf-8")
    for action, limits in {**settings.ACCOUNT_RATE_LIMITS, **settings.MFA_RATE_LIMITS}.items():
        assert f"| `{action}` |" in told
        [line] = [line for line in told.splitlines() if line.startswith(f"| `{action}` |")]
        assert line.count(f"`{limits}`") == 1, line
