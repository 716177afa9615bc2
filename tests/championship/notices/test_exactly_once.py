"""Delivered exactly once: by processes that are killed, and by several at the same time."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings as django_settings
from django.db import connection

from championship.notices import kinds, services
from championship.notices.models import Notice, SentMail
from tests.factories import make_user

PATIENCE = 60  # seconds

pytestmark = pytest.mark.django_db(transaction=True)

SLOW_DELIVERER = """
import json, os
from django.conf import settings
settings.DATABASES["default"].update(json.loads(os.environ["TEST_DATABASE"]))
settings.EMAIL_BACKEND = "tests.championship.notices.slow_mailbox.Backend"
import django
django.setup()
from championship.notices import kinds, services
kinds.register("turn waits", subject="Your turn", body_template="notices/mail/base.txt")
services.deliver_due()
"""


@pytest.fixture(autouse=True)
def mailbox(settings, monkeypatch):
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    monkeypatch.setattr(kinds, "_kinds", dict(kinds._kinds))


def register(still_wanted=None):
    kinds.register(
        "turn waits",
        subject="Your turn",
        body_template="notices/mail/base.txt",
        still_wanted=still_wanted,
    )


def queue(number):
    """Create so many queued notices to as many people, none of them offered to a deliverer yet."""
    return [
        Notice.objects.create(recipient=make_user(), kind="turn waits", subject_key=f"run 7 turn {turn}")
        for turn in range(number)
    ]


@pytest.fixture
def one_queued():
    register()
    return queue(1)


@pytest.fixture
def slow_deliverer(one_queued):
    """A real process that has sent one mail without storing that, and stops there."""
    database = {key: connection.settings_dict[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")}
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_DELIVERER],
        cwd=django_settings.BASE_DIR,
        env={**os.environ, "TEST_DATABASE": json.dumps(database)},
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def deliver_until_nothing_is_in_doubt():
    """Deliver until no notice is in doubt. PostgreSQL releases the lock of a dead process when it notices the death,
    which takes a while.
    """
    end = time.monotonic() + PATIENCE
    while Notice.objects.filter(status="sending").exists():
        assert services.deliver_due() == 0, "it has arrived: nothing is sent a second time"
        assert time.monotonic() < end, "nobody settled it"
        time.sleep(0.05)


@pytest.mark.slow
def test_a_deliverer_killed_between_sending_and_keeping_account_leaves_one_mail(slow_deliverer):
    assert slow_deliverer.stdout.readline() == "sent\n"

    assert services.deliver_due() == 0, "the row is held by the process that is sending it"
    slow_deliverer.send_signal(signal.SIGKILL)
    assert slow_deliverer.wait(60) == -signal.SIGKILL

    assert Notice.objects.get().status == "sending", "nobody knows yet that it has arrived"
    deliver_until_nothing_is_in_doubt()
    assert Notice.objects.get().status == "sent"
    assert SentMail.objects.count() == 1


def in_threads(work, number):
    """Run `work` in so many threads with separate connections. Return their results."""

    def run(_number):
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(run, range(number)))


def test_two_deliverers_at_once_share_the_work_and_send_each_notice_once():
    both_hold_a_row = threading.Barrier(2, timeout=60)
    firsts = threading.Semaphore(2)

    def meet_the_other(notice):
        if firsts.acquire(blocking=False):
            both_hold_a_row.wait()
        return True

    register(still_wanted=meet_the_other)
    queue(20)

    sent = in_threads(services.deliver_due, 2)

    assert sum(sent) == 20
    assert min(sent) >= 1
    assert SentMail.objects.count() == 20
    assert set(Notice.objects.values_list("status", "attempts")) == {("sent", 1)}


def test_the_same_notice_written_by_two_at_once_is_one_notice():
    register()
    ana = make_user("Ana")
    together = threading.Barrier(2, timeout=60)

    def tell():
        together.wait()
        return services.enqueue(recipient=ana, kind="turn waits", subject_key="run 7 turn 1", context={}, link="/")

    written = in_threads(tell, 2)

    assert sorted(notice is None for notice in written) == [False, True]
    assert SentMail.objects.count() == 1


def test_a_driver_who_moves_does_not_wait_for_a_mail_server():
    sending, moved = threading.Event(), threading.Event()

    def slow(notice):
        sending.set()
        return moved.wait(60)

    register(still_wanted=slow)
    [notice] = queue(1)
    with ThreadPoolExecutor(1) as pool:
        delivery = pool.submit(in_threads, services.deliver_due, 1)
        assert sending.wait(60)
        assert services.drop(kind="turn waits", subject_key=notice.subject_key) == 0
        moved.set()
        assert delivery.result(60) == [1]


def test_a_copy_of_a_message_bears_the_same_message_id_and_the_mailbox_keeps_one():
    register()
    queue(1)
    services.deliver_due()
    Notice.objects.update(status="queued", sent_at=None)
    services.deliver_due()
    notice = Notice.objects.get()
    assert notice.status == "sent"
    assert SentMail.objects.count() == 1
    assert SentMail.objects.get().message_id == f"<{notice.pk}@localhost>"
