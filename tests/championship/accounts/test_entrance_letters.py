"""Letters about signing in, while the mail server is down, silent, or up again: no page waits for it."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command

from championship.accounts import tasks
from championship.accounts.models import EntranceLetter
from championship.accounts.services import sign_in_mail
from championship.platform import clock
from tests.championship.faults import BUSY_SECONDS, HOST, dead_port, sent_to, silent_server, timed
from tests.championship.notices.mail_server import mail_server
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db(transaction=True)

ANA = {"email": "ana@example.org", "name": "Ana", "language": "en", "time_zone": "UTC"}


@pytest.fixture(autouse=True)
def entrance(settings):
    """Mail goes to a real mail server. Tasks are sent, and no worker takes them."""
    settings.EMAIL_BACKEND = "championship.notices.smtp.Backend"
    settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = HOST, 1
    cache.clear()  # rate limits count in the cache
    with dead_port() as port, sent_to(f"redis://{HOST}:{port}/0"):
        yield


def code_in(letter):
    return re.search(r"^ {4}(\S+)\s*$", letter.get_content(), re.MULTILINE)[1]


def sign_in(client):
    """Ana requests a code. Return the response and its seconds."""
    make_user("Ana", email="ana@example.org")
    with timed() as watch:
        answer = client.post("/account/login/", {"login": "ana@example.org", "next": "/me/"})
    return answer, watch.seconds


@pytest.mark.parametrize("host", ["rally.example", f"{'a' * 60}.{'b' * 60}.example"])
def test_a_letter_is_named_by_the_host_of_the_site(client, settings, host):
    settings.SITE_URL = f"https://{host}"
    with mail_server() as (server, settings.EMAIL_PORT):
        sign_in(client)
        tasks.send_entrance_letters()
        [letter] = server.taken
    assert re.fullmatch(r"<\w+@([\w-]+\.)+example>", letter["Message-ID"].strip())
    assert letter["Message-ID"].strip() == EntranceLetter.objects.get().message_id
    assert host.endswith(letter["Message-ID"].strip().rpartition("@")[2].removesuffix(">"))


@pytest.mark.parametrize("away", [dead_port, silent_server], ids=["dead", "silent"])
def test_the_page_answers_and_the_letter_waits_for_the_mail_server(client, settings, at, away):
    with away() as port:
        settings.EMAIL_PORT = port
        answer, seconds = sign_in(client)
        assert answer.status_code == 302
        assert seconds < BUSY_SECONDS
        tasks.send_entrance_letters()  # the worker fails
        waiting = EntranceLetter.objects.get()
        assert (waiting.outcome, waiting.attempts) == ("", 1)
        assert waiting.error
    at(clock.now() + timedelta(minutes=2))
    with mail_server() as (server, settings.EMAIL_PORT):
        tasks.send_entrance_letters()
        [letter] = server.taken
    confirmed = client.post(answer["Location"], {"code": code_in(letter), "next": "/me/"})
    assert confirmed["Location"] == "/me/", "the code that came late signs in"
    sent = EntranceLetter.objects.get()
    assert (sent.outcome, sent.to, sent.subject, sent.body) == ("sent", "", "", ""), "the code is kept no longer"


@pytest.mark.parametrize("away", [dead_port, silent_server], ids=["dead", "silent"])
def test_signing_up_does_not_wait_either(client, settings, away):
    with away() as port:
        settings.EMAIL_PORT = port
        with timed() as watch:
            answer = client.post("/account/signup/", ANA)
    assert answer["Location"] == "/account/confirm-email/"
    assert watch.seconds < BUSY_SECONDS
    with mail_server() as (server, settings.EMAIL_PORT):
        tasks.send_entrance_letters()
        [letter] = server.taken
    assert client.post("/account/confirm-email/", {"code": code_in(letter)}).status_code == 302
    assert client.get("/me/").status_code == 200


def test_a_code_that_has_expired_is_not_sent_late_and_not_kept(client, settings, at):
    with dead_port() as settings.EMAIL_PORT:
        sign_in(client)
        tasks.send_entrance_letters()
    at(clock.now() + timedelta(seconds=settings.ACCOUNT_LOGIN_BY_CODE_TIMEOUT))
    with mail_server() as (server, settings.EMAIL_PORT):
        tasks.send_entrance_letters()
        assert server.taken == []
    letter = EntranceLetter.objects.get()
    assert (letter.outcome, letter.to, letter.body) == ("expired", "", "")


def test_a_code_to_prove_oneself_again_expires_as_one_to_sign_in_does(settings):
    client = signed_in(make_user("Ana", email="ana@example.org"))
    client.post("/account/fresh-code/", {"do": "send", "next": "/account/email/"})
    letter = EntranceLetter.objects.get()
    assert letter.expires_at - letter.asked_at == timedelta(seconds=settings.ACCOUNT_LOGIN_BY_CODE_TIMEOUT)


def test_a_letter_is_tried_again_as_long_as_its_code_holds(client, settings, at):
    with dead_port() as settings.EMAIL_PORT:
        sign_in(client)
        end = EntranceLetter.objects.get().expires_at
        while clock.now() + timedelta(minutes=1) < end:
            sign_in_mail.send_due()
            at(clock.now() + timedelta(minutes=1))  # the next beat
    assert EntranceLetter.objects.get().attempts >= 4
    at(end - timedelta(seconds=1))
    with mail_server() as (_server, settings.EMAIL_PORT):
        EntranceLetter.objects.update(next_try_at=clock.now())
        assert sign_in_mail.send_due() == 1


def test_a_refused_address_is_tried_no_more(client, settings):
    with mail_server() as (server, settings.EMAIL_PORT):
        server.at_recipient = lambda address: "550 5.1.1 No such mailbox"
        sign_in(client)
        assert sign_in_mail.send_due() == 0
    letter = EntranceLetter.objects.get()
    assert (letter.outcome, letter.to, letter.body) == ("refused", "", "")


def test_a_letter_that_another_worker_has_is_left_to_it_and_taken_up_when_that_died(client, settings, at):
    with mail_server() as (server, settings.EMAIL_PORT):
        sign_in(client)
        letter = EntranceLetter.objects.get()
        assert sign_in_mail._claimed(letter.pk, clock.now()) is not None  # a worker takes the letter and dies
        assert sign_in_mail.send_due() == 0
        at(clock.now() + sign_in_mail.CLAIM)
        assert sign_in_mail.send_due() == 1
        assert len(server.taken) == 1


def test_an_operator_without_mail_signs_in_with_the_letter_that_waits(client, settings, at, capsys):
    with dead_port() as port:
        settings.EMAIL_PORT = port
        answer, _seconds = sign_in(client)
        tasks.send_entrance_letters()
        call_command("sign_in_letter", "Ana@Example.org")
        code = re.search(r"^ {4}(\S+)\s*$", capsys.readouterr().out, re.MULTILINE)[1]
        assert client.post(answer["Location"], {"code": code, "next": "/me/"})["Location"] == "/me/"
        with pytest.raises(CommandError, match=r"No letter to bo@example\.org waits"):
            call_command("sign_in_letter", "bo@example.org")
    at(clock.now() + timedelta(minutes=11))
    with pytest.raises(CommandError):
        call_command("sign_in_letter", "ana@example.org")
