"""Real SMTP sessions with a real mail server: what it refuses, when it dies, and which process is killed in between."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from io import StringIO

import psycopg
import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.db import connection

from championship.notices import kinds, selectors, services
from championship.notices.models import Notice
from tests.championship.notices.mail_server import free_port, mail_server
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db
PATIENCE = 240  # seconds: machines are busy at times
NOON = datetime(2020, 11, 20, 12, tzinfo=UTC)
"""Far in the past: separate processes use the machine's clock, and the letters must be due at any time."""


@pytest.fixture
def post_office(settings, monkeypatch):
    settings.EMAIL_BACKEND = "championship.notices.smtp.Backend"
    settings.EMAIL_HOST = "127.0.0.1"
    settings.SITE_URL = "https://rally.example"
    monkeypatch.setattr(kinds, "_kinds", {})
    words = "notices/mail/base.txt"
    kinds.register("turn waits", subject="Your turn in %(rally)s", body_template=words, switch="a", urgent=True)
    with mail_server() as (server, port):
        settings.EMAIL_PORT = port
        yield server


def tell(person, about="run 7 turn 1", rally="Monte"):
    return Notice.objects.create(
        recipient=person, kind="turn waits", subject_key=about, context={"rally": rally}, next_try_at=NOON
    )


def status_of(notice):
    notice.refresh_from_db()
    return notice.status


def test_letters_to_many_people_go_over_one_connection(post_office):
    for _number in range(20):
        tell(make_user())
    assert services.deliver_due(now=NOON) == 20
    assert len(post_office.taken) == 20
    assert post_office.connections == 1
    letter = post_office.taken[0]
    assert letter.get_content_type() == "multipart/alternative"
    assert letter["X-Notices"] in {str(pk) for pk in Notice.objects.values_list("pk", flat=True)}


def test_a_refusing_server_is_asked_again_until_it_takes_the_letter(post_office):
    notice = tell(make_user())
    post_office.at_recipient = lambda address: "451 4.7.1 Greylisted, come back"
    assert services.deliver_due(now=NOON) == 0
    assert status_of(notice) == "queued"
    assert "Greylisted" in notice.error

    post_office.at_recipient = lambda address: None
    post_office.at_end = lambda letter: "452 4.3.1 Disk full"
    assert services.deliver_due(now=notice.next_try_at) == 0
    assert status_of(notice) == "queued"

    post_office.at_end = lambda letter: None
    assert services.deliver_due(now=notice.next_try_at) == 1
    assert (status_of(notice), notice.attempts, len(post_office.taken)) == ("sent", 3, 1)


@pytest.mark.slow
def test_an_hour_without_a_mail_server_loses_nothing_and_sends_nothing_twice(settings, post_office):
    """Nobody listens on the port. Each sweep tries to connect once, not once for each letter."""
    port, settings.EMAIL_PORT = settings.EMAIL_PORT, free_port()
    people = [make_user() for _number in range(30)]
    for person in people:
        tell(person)
    for minute in range(60):
        assert services.deliver_due(now=NOON + timedelta(minutes=minute)) == 0
    assert Notice.objects.filter(status="queued").count() == 30

    settings.EMAIL_PORT = port
    for minute in range(60, 180):
        services.deliver_due(now=NOON + timedelta(minutes=minute))
    assert set(Notice.objects.values_list("status", flat=True)) == {"sent"}
    assert sorted(letter["To"] for letter in post_office.taken) == sorted(person.email for person in people)


def test_one_sweep_gives_up_on_a_server_that_is_not_there(settings, post_office):
    settings.EMAIL_PORT = free_port()
    for _number in range(10):
        tell(make_user())
    services.deliver_due(now=NOON)
    assert Notice.objects.filter(attempts__gt=0).count() == 3


# Addresses that accept no mail ------------------------------------------------------------------------


def test_an_unknown_address_gets_one_letter_and_its_owner_a_note_on_every_page(post_office):
    ana = make_user("Ana", email="ana@example.org")
    notice = tell(ana)
    post_office.at_recipient = lambda address: "550 5.1.1 No such mailbox here"
    assert services.deliver_due(now=NOON) == 0
    assert status_of(notice) == "dropped"

    ana.refresh_from_db()
    assert ana.takes_no_mail
    client = signed_in(ana)
    for path in ("/me/", "/turns/", "/clubs/"):
        page = client.get(path).text
        assert "Mail to <strong>ana@example.org</strong> came back" in page
        assert "No such mailbox here" in page
    told = services.enqueue(recipient=ana, kind="turn waits", subject_key="x", context={"rally": "Monte"}, link="")
    assert told is None, "nothing is written to an address that takes no mail"


def test_the_owner_has_it_tried_again(post_office):
    ana = make_user("Ana")
    services.refuse_address(address=ana.email.upper(), reason="550 \x00 no\nsuch mailbox")
    client = signed_in(ana)
    assert client.post("/me/notices/address/")["Location"] == "/me/notices/"
    assert "came back" not in client.get("/me/").text
    tell(ana)
    assert services.deliver_due(now=NOON) == 1


def test_another_address_ends_it_too(post_office):
    ana = make_user("Ana")
    services.refuse_address(address=ana.email, reason="gone")
    ana.refresh_from_db()
    ana.email = "ana.new@example.org"
    ana.save()
    assert "came back" not in signed_in(ana).get("/me/").text
    assert not ana.takes_no_mail


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("554 5.7.1 Relay access denied", "dead"),
        ("550 5.7.26 Unauthenticated sender", "dead"),
        ("552 5.2.2 Mailbox full", "queued"),
        ("550 5.1.8 Sender address rejected: domain not found", "dead"),
        ("550 Requested action not taken: mailbox unavailable", "dead"),
        ("550 Sender address rejected: user not found", "dead"),
        ("550 Administrative prohibition", "dead"),
        ("550 Unknown user", "dropped"),
        ("550 sorry, no mailbox here by that name", "dropped"),
        ("551 User not local", "dropped"),
        ("550 <ana@example.org>: recipient does not exist", "dropped"),
        ("553 5.1.3 Bad address", "dropped"),
        ("550 5.2.1 Mailbox disabled", "dropped"),
    ],
)
def test_a_server_that_is_set_up_wrongly_costs_nobody_their_mail(post_office, said, status):
    ana = make_user("Ana")
    notice = tell(ana)
    post_office.at_recipient = lambda address: said
    services.deliver_due(now=NOON)
    assert status_of(notice) == status
    ana.refresh_from_db()
    assert ana.takes_no_mail == (status == "dropped")
    assert said[4:9] in notice.error


def test_a_letter_refused_for_what_it_says_is_a_dead_letter_and_its_reader_stays(post_office):
    ana = make_user("Ana")
    notice = tell(ana)
    post_office.at_end = lambda letter: "554 5.6.0 Looks like spam"
    services.deliver_due(now=NOON)
    assert status_of(notice) == "dead"
    ana.refresh_from_db()
    assert not ana.takes_no_mail


def test_a_late_bounce_is_recorded_with_a_command():
    ana = make_user("Ana", email="ana@example.org")
    call_command("bounced", "Ana@Example.org", "--reason", "552 mailbox gone", stdout=StringIO())
    ana.refresh_from_db()
    assert ana.takes_no_mail
    assert ana.refused_because == "552 mailbox gone"
    with pytest.raises(CommandError, match=r"nobody@example\.org"):
        call_command("bounced", "nobody@example.org", stdout=StringIO())


# Between the end of the letter and the response -------------------------------------------------------


def test_a_letter_taken_without_an_answer_is_held_and_not_sent_again(settings, post_office):
    settings.EMAIL_TIMEOUT = 0.5
    post_office.silent = True
    notice = tell(make_user())
    assert services.deliver_due(now=NOON) == 0
    assert status_of(notice) == "unsure"
    for minute in range(30):
        services.deliver_due(now=NOON + timedelta(minutes=minute))
    assert len(post_office.taken) == 1
    assert selectors.dead_count() == 1


def test_it_is_sent_again_where_the_mail_server_drops_copies(settings, post_office):
    settings.EMAIL_TIMEOUT = 0.5
    settings.MAIL_SERVER_DROPS_COPIES = True
    post_office.silent = True
    notice = tell(make_user())
    services.deliver_due(now=NOON)
    assert status_of(notice) == "queued"
    post_office.silent = False
    services.deliver_due(now=notice.next_try_at)
    first, second = post_office.taken
    assert first["Message-ID"] == second["Message-ID"] == f"<{notice.pk}@rally.example>"


KILLED_DELIVERER = """
import json, os
from django.conf import settings
settings.DATABASES["default"].update(json.loads(os.environ["TEST_DATABASE"]))
settings.EMAIL_BACKEND = "championship.notices.smtp.Backend"
settings.SITE_URL = "https://rally.example"
settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", int(os.environ["TEST_MAIL_PORT"])
import django
django.setup()
from championship.notices import kinds, services
kinds.register("turn waits", subject="Your turn", body_template="notices/mail/base.txt")
services.deliver_due()
"""


@pytest.fixture
def deliverer(post_office, settings):
    """A real process that delivers. It is killed at the end, if not before."""
    database = {key: connection.settings_dict[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")}
    environment = {**os.environ, "TEST_DATABASE": json.dumps(database), "TEST_MAIL_PORT": str(settings.EMAIL_PORT)}
    started = []

    def start():
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED_DELIVERER], cwd=django_settings.BASE_DIR, env=environment
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)


def deliver_until(notice, status):
    """Deliver until the notice has the status. PostgreSQL releases the lock of a dead process when it notices the
    death, which takes a while.
    """

    def so_far():
        services.deliver_due()
        return status_of(notice) == status

    wait_for(so_far)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_deliverer_killed_before_the_end_of_the_letter_has_sent_nothing_and_it_is_sent_once(post_office, deliverer):
    notice = tell(make_user())
    doomed = []

    def kill_while_it_waits(address):
        if doomed:
            os.kill(doomed.pop().pid, signal.SIGKILL)
        return None

    post_office.at_recipient = kill_while_it_waits
    process = deliverer()
    doomed.append(process)
    assert process.wait(PATIENCE) == -signal.SIGKILL
    assert status_of(notice) == "sending"
    assert post_office.taken == []

    deliver_until(notice, "sent")
    assert len(post_office.taken) == 1


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_letter_whose_deliverer_was_killed_after_its_end_is_held_until_the_operator_decides(post_office, deliverer):
    notice = tell(make_user())
    process = deliverer()
    post_office.before_answering = lambda: os.kill(process.pid, signal.SIGKILL)
    assert process.wait(PATIENCE) == -signal.SIGKILL
    assert status_of(notice) == "sending"
    assert notice.handed_over_at is not None

    deliver_until(notice, "unsure")
    assert len(post_office.taken) == 1, "it was taken, and nobody sends it again"

    post_office.before_answering = None
    assert services.retry_undelivered(ids=[str(notice.pk)]) == 1
    deliver_until(notice, "sent")
    first, second = post_office.taken
    assert first["Message-ID"] == second["Message-ID"]


@pytest.mark.django_db(transaction=True)
def test_a_letter_of_a_slow_but_living_deliverer_is_not_taken_over(post_office):
    """The time does not matter, by any clock: the lock shows that the process is alive."""
    notice = tell(make_user())
    sending, go_on = threading.Event(), threading.Event()

    def hold_up(address):
        sending.set()
        assert go_on.wait(PATIENCE)

    def deliver():
        try:
            return services.deliver_due()
        finally:
            connection.close()

    post_office.at_recipient = hold_up
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(deliver)
        assert sending.wait(PATIENCE)
        assert services.deliver_due(now=NOON + timedelta(days=30)) == 0
        assert status_of(notice) == "sending"
        go_on.set()
        assert slow.result(30) == 1
    assert status_of(notice) == "sent"
    assert len(post_office.taken) == 1


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_letter_sent_during_a_database_restart_is_recorded_afterwards(post_office, monkeypatch):
    """Every connection of ours is cut after the end of the letter. The result is stored when there is a connection
    again.
    """
    monkeypatch.setattr("championship.notices.services.delivery.RECONNECTS", (0, 0.1, 0.2, 0.5))
    notice = tell(make_user())
    ours = connection.connection.info.backend_pid
    known = connection.get_connection_params()
    place = {name: known[name] for name in ("dbname", "host", "port", "user", "password") if name in known}

    def cut():
        with psycopg.connect(**place) as another:
            another.execute("SELECT pg_terminate_backend(%s)", [ours])

    post_office.before_answering = cut
    assert services.deliver_due() == 1
    assert status_of(notice) == "sent"
    assert connection.connection.info.backend_pid != ours
    assert services.deliver_due() == 0
    assert len(post_office.taken) == 1
