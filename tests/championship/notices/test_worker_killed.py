"""A real Celery worker is killed while it sends. The next one finishes its work, and nobody gets two mails."""

import json
import os
import select
import subprocess
import sys
import time

import pytest
from django.conf import settings as django_settings
from django.db import connection

from championship.notices.models import Notice, SentMail
from tests.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)

SLOW_MAILBOX = "tests.championship.notices.slow_mailbox.Backend"
MAILBOX = "championship.notices.stored_mail.Backend"
PATIENCE = 240
"""Seconds that a worker may take to start on a busy machine."""


@pytest.fixture
def scene(tmp_path):
    """Return a function that starts processes with the test database and one broker folder. They are ended after the
    test.
    """
    started = []
    database = {key: connection.settings_dict[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")}
    folder = tmp_path / "messages"
    folder.mkdir()

    def start(*command, mailbox=MAILBOX):
        scene = {"database": database, "mailbox": mailbox, "folder": str(folder)}
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.championship.notices.worker_settings",
            "WORKER_SCENE": json.dumps(scene),
        }
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=django_settings.BASE_DIR,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def worker(scene, *, mailbox):
    options = ("--pool", "solo", "--include", "tests.championship.notices.worker_kinds")
    quiet = ("--loglevel", "ERROR", "--without-gossip", "--without-mingle", "--without-heartbeat")
    return scene("-m", "celery", "-A", "championship", "worker", *options, *quiet, mailbox=mailbox)


def sweep(scene):
    """Send the task that beat sends each minute."""
    task = "import django; django.setup(); from championship.notices import tasks; tasks.deliver.delay()"
    assert scene("-c", task).wait(PATIENCE) == 0


def wait_for_word(process, word):
    """Wait until the process has printed the word."""
    said, end = b"", time.monotonic() + PATIENCE
    while word not in said:
        assert select.select([process.stdout], [], [], end - time.monotonic())[0], f"never said {word!r}"
        read = os.read(process.stdout.fileno(), 4096)
        assert read, f"ended before it said {word!r}"
        said += read


def wait_until_sent(number=1):
    end = time.monotonic() + PATIENCE
    while Notice.objects.filter(status="sent").count() < number:
        assert time.monotonic() < end, "nobody sent it"
        time.sleep(0.1)


@pytest.mark.slow
def test_the_next_worker_sends_what_a_killed_one_was_sending_and_nobody_sends_it_twice(scene):
    Notice.objects.create(recipient=make_user("Ana"), kind="turn waits", subject_key="run 7 turn 12")

    sweep(scene)
    doomed = worker(scene, mailbox=SLOW_MAILBOX)
    wait_for_word(doomed, b"sent")
    doomed.kill()
    doomed.wait()
    assert Notice.objects.get().status == "sending", "nobody knows yet that it has arrived"

    sweep(scene)
    worker(scene, mailbox=MAILBOX)
    wait_until_sent()
    for _minute in range(2):
        sweep(scene)
    last = Notice.objects.create(recipient=make_user("Bo"), kind="turn waits", subject_key="run 7 turn 13")
    sweep(scene)  # the worker takes tasks one after the other: when this one is done, so are all before it
    wait_until_sent(2)

    assert SentMail.objects.count() == 2
    assert Notice.objects.exclude(pk=last.pk).get().attempts == 1
