"""A mail server that fails is visible within minutes: in metrics, the log, `manage.py health`, and as an alert."""

from __future__ import annotations

import logging
import smtplib
import socket
from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO

import pytest
from django.core.mail import EmailMessage
from django.core.management import call_command

from championship.accounts.models import EntranceLetter, MailServer
from championship.accounts.services import mail_server as state
from championship.accounts.services import sign_in_mail
from championship.deadlines.tasks import sweep
from championship.health import selectors
from championship.notices import kinds, services
from championship.notices.models import Notice
from championship.notices.tasks import deliver
from championship.platform import clock
from tests.championship.health.alert_rules import firing
from tests.championship.health.test_metrics import measured
from tests.championship.notices.mail_server import Server, mail_server
from tests.factories import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

CODE = "account/email/login_code"


@pytest.fixture
def smtp(settings, monkeypatch) -> None:
    settings.EMAIL_BACKEND = "championship.notices.smtp.Backend"
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_TIMEOUT = 0.2
    monkeypatch.setattr(kinds, "_kinds", {})
    kinds.register("turn waits", subject="Your turn", body_template="notices/mail/base.txt", switch="a", urgent=True)


@pytest.fixture
def frozen_server(smtp, settings) -> Iterator[None]:
    """A mail server that accepts connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as frozen:
        settings.EMAIL_PORT = frozen.getsockname()[1]
        yield


@pytest.fixture
def working_server(smtp, settings) -> Iterator[Server]:
    settings.EMAIL_TIMEOUT = 20
    with mail_server() as (server, port):
        settings.EMAIL_PORT = port
        yield server


def ask_for_code(address: str = "ana@example.org") -> None:
    sign_in_mail.write(EmailMessage("Your code", "123456", to=[address]), template=CODE)


def write_notice() -> Notice:
    return Notice.objects.create(
        recipient=make_user(), kind="turn waits", subject_key="run 7", context={}, next_try_at=clock.now()
    )


def pass_minutes(at: Callable, count: int) -> list[dict[str, float]]:
    """Let minutes pass, each with the work of the mail worker. Return what a monitor reads before each."""
    read = []
    for _minute in range(count):
        sign_in_mail.send_due()
        services.deliver_due()
        read.append(measured())
        at(clock.now() + timedelta(minutes=1))
    return read


def health() -> str:
    """Return what `manage.py health --check` prints. The sweep is not what is tested."""
    sweep.delay()
    out = StringIO()
    try:
        call_command("health", "--check", stdout=out)
    except SystemExit:
        out.write("exit 1")
    return out.getvalue()


def test_a_frozen_server_is_an_alert_within_ten_minutes(frozen_server, at, tmp_path, caplog):
    ask_for_code()
    write_notice()
    with caplog.at_level(logging.WARNING):
        read = pass_minutes(at, 10)
    seconds = firing("ParcFermeMailFails", read, tmp_path)
    assert seconds is not None and seconds <= 600
    ages = [minute['parc_ferme_notice_age_seconds{channel="mail",state="queued"}'] for minute in read]
    assert ages == [60 * minute for minute in range(10)], "no retry makes the age smaller"
    assert read[8]['parc_ferme_notice_age_seconds{channel="sign_in",state="queued"}'] == 480
    assert read[9]["parc_ferme_mail_failing_seconds"] == 540
    assert read[9]["parc_ferme_mail_failures_total"] > 5
    assert read[9]["parc_ferme_mail_sent_total"] == 0
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert any("did not take a letter: SMTPServerDisconnected" in line or "timed out" in line for line in warnings)
    assert "taken no letter since 2026" in health() and "exit 1" in health()

    at(clock.now() + timedelta(minutes=5))
    sign_in_mail.send_due()
    assert measured()["parc_ferme_sign_in_letters_expired_total"] == 1


def test_an_answer_ends_it_also_when_no_letter_is_left(frozen_server, settings, at):
    ask_for_code()
    pass_minutes(at, 12)
    assert not EntranceLetter.objects.filter(outcome="").exists()
    assert measured()["parc_ferme_mail_failing_seconds"] > 600, "nobody can sign in still"
    deliver()
    assert measured()["parc_ferme_mail_failing_seconds"] > 600, "it is frozen still"
    with mail_server() as (_server, port):
        settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = port, 20
        deliver()
    assert measured()["parc_ferme_mail_failing_seconds"] == 0


def test_while_a_letter_waits_a_connection_alone_does_not_end_it(frozen_server, settings, at):
    notice = write_notice()
    pass_minutes(at, 5)
    with mail_server() as (_server, port):
        settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = port, 20
        Notice.objects.update(next_try_at=clock.now() + timedelta(minutes=5))
        deliver()
        assert measured()["parc_ferme_mail_failing_seconds"] == 300
        at(clock.now() + timedelta(minutes=5))
        deliver()
        assert measured()["parc_ferme_mail_failing_seconds"] == 0
    notice.refresh_from_db()
    assert notice.status == "sent"


def test_one_full_mailbox_is_no_failure_of_the_server_but_three_are(working_server, at, tmp_path):
    working_server.at_recipient = lambda address: "452 4.2.2 Mailbox full"
    write_notice()
    read = pass_minutes(at, 15)
    assert firing("ParcFermeMailFails", read, tmp_path) is None
    assert read[-1]['parc_ferme_notice_age_seconds{channel="mail",state="queued"}'] == 14 * 60
    write_notice()
    write_notice()
    assert firing("ParcFermeMailFails", pass_minutes(at, 10), tmp_path) is not None
    working_server.at_recipient = lambda address: None
    write_notice()
    assert pass_minutes(at, 1)[0]["parc_ferme_mail_failing_seconds"] == 0


def test_a_worker_that_does_not_run_is_an_alert_within_ten_minutes(smtp, at, tmp_path):
    ask_for_code()
    read = []
    for _minute in range(11):
        read.append(measured())
        at(clock.now() + timedelta(minutes=1))
    seconds = firing("ParcFermeNoticesWait", read, tmp_path)
    assert seconds is not None and seconds <= 600


def test_a_collected_letter_that_is_not_due_yet_is_not_old(working_server, at):
    notice = write_notice()
    Notice.objects.update(next_try_at=clock.now() + timedelta(hours=20))
    at(clock.now() + timedelta(hours=21))
    working_server.at_recipient = lambda address: "451 4.7.1 Greylisted, come back"
    services.deliver_due()
    at(clock.now() + timedelta(minutes=1))
    assert measured()['parc_ferme_notice_age_seconds{channel="mail",state="queued"}'] == 60
    notice.refresh_from_db()
    assert notice.attempts == 1


def test_mail_that_goes_out_is_good(working_server, at):
    ask_for_code()
    write_notice()
    pass_minutes(at, 1)
    assert measured()["parc_ferme_mail_sent_total"] == 2
    assert measured()["parc_ferme_mail_last_sent_age_seconds"] == 60
    [mail, *_others] = selectors.of_database(clock.now())
    assert (mail.name, mail.is_problem) == ("mail", False) and "0:01:00 ago" in mail.text


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            smtplib.SMTPRecipientsRefused({"ana@x.example": (451, b"4.2 <ana@x.example> later")}),
            "451 4.2 <(address)> later",
        ),
        (smtplib.SMTPAuthenticationError(535, b"bad s3cret\r\nfor me@x.example"), "535 bad (password) for (address)"),
        (TimeoutError("timed out"), "TimeoutError: timed out"),
        (smtplib.SMTPDataError(554, "5.7.1 \x00no"), "554 5.7.1 no"),
    ],
)
def test_an_answer_is_told_without_addresses_and_passwords(settings, error, text):
    settings.EMAIL_HOST_PASSWORD = "s3cret"
    assert state.answer(error) == text


def test_the_first_letter_makes_the_row():
    assert not MailServer.objects.exists()
    state.record_failure(now=clock.now(), reason="451 later", for_everybody=True)
    state.record_failure(now=clock.now() + timedelta(minutes=1), reason="452 full", for_everybody=True)
    found = MailServer.objects.get()
    assert (found.failures, found.failing_since, found.last_answer) == (2, clock.now(), "452 full")
