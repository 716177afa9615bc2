"""Sweeps on real workers, with every broker that is reachable here: two beats, and one worker for each queue."""

import json
import os
import subprocess
import sys
import time
import uuid
from datetime import timedelta

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.utils import timezone
from kombu import Connection

from championship.notices.models import Notice, SentMail
from championship.platform import broker
from championship.runs.models import Run, Turn
from championship.runs.play import rebuild
from tests.championship.runs.factories import on_the_road

pytestmark = pytest.mark.django_db(transaction=True)

BROKERS = {
    "folder": "folder://",
    "redis": os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/14"),
    "rabbitmq": os.environ.get("TEST_AMQP_URL", "amqp://guest:guest@127.0.0.1:5672//"),
}
PATIENCE = 240
"""Seconds that workers may take on a busy machine."""
BEAT = "import django; django.setup(); from championship.deadlines import tasks; tasks.sweep.delay()"


@pytest.fixture(params=BROKERS)
def start(request, tmp_path):
    """Returns a function that starts a process with the test's database and this broker.

    Kills the processes and deletes their queues at the end.
    """
    address, options = BROKERS[request.param], {}
    if request.param == "folder":
        folder = str(tmp_path / "messages")
        options = {"data_folder_in": folder, "data_folder_out": folder, "control_folder": f"{folder}-control"}
        options["polling_interval"] = 0.05
    elif not answers(address):
        pytest.skip(f"no {request.param} answers here")
    else:
        options = broker.transport_options(address, folder=tmp_path, seconds=django_settings.BROKER_SECONDS)
    started = []
    scene = {
        "database": {key: connection.settings_dict[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")},
        "broker": address,
        "options": options,
        "queues": f"test-{uuid.uuid4()}-",
    }
    settings_name = "tests.championship.runs.broker_settings"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": settings_name, "WORKER_SCENE": json.dumps(scene)}

    def begin(*command):
        process = subprocess.Popen(
            [sys.executable, *[part.replace("{ours}", scene["queues"]) for part in command]],
            cwd=django_settings.BASE_DIR,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()
    if request.param != "folder":
        with Connection(address) as there:
            channel = there.default_channel
            for name in ("clock", "mail", "posts"):
                channel.queue_delete(scene["queues"] + name)


def answers(address):
    """Whether this broker is reachable."""
    try:
        with Connection(address, connect_timeout=2) as there:
            there.ensure_connection(max_retries=1, timeout=2)
            return True
    except Exception:
        return False


def worker(start, queue):
    """Start a worker of that queue. Its name is unique, since RabbitMQ does not accept two workers of the same name."""
    quiet = ("--loglevel", "ERROR", "--without-gossip", "--without-mingle", "--without-heartbeat")
    alone = ("--pool", "solo", "--queues", f"{{ours}}{queue}", "--hostname", f"{{ours}}{queue}@%h")
    return start("-m", "celery", "-A", "championship", "worker", *alone, *quiet)


def wait_until(there, what):
    end = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < end, what
        time.sleep(0.1)


@pytest.mark.slow
def test_two_beats_and_two_workers_drive_each_due_turn_once_and_notify_each_driver_once(start):
    on_the_road("Ana", "Bo", "Cem", mode="open road")
    Notice.objects.all().delete()
    now = timezone.now()
    Turn.objects.update(since=now - timedelta(days=2), deadline=now, terms={})

    beats = [start("-c", BEAT), start("-c", BEAT)]
    assert [beat.wait(PATIENCE) for beat in beats] == [0, 0]
    worker(start, "clock")
    wait_until(lambda: Turn.objects.filter(missed=True).count() == 3, "nobody drove the turns")
    assert not SentMail.objects.exists(), "mail is not the clock's worker's business"
    worker(start, "mail")
    wait_until(lambda: not Notice.objects.filter(status__in=["queued", "sending"]).exists(), "nobody sent the mail")

    assert start("-c", BEAT).wait(PATIENCE) == 0
    for run in Run.objects.all():
        assert run.turns.count() == 2
        assert rebuild(run=run) == run.state
    assert (
        SentMail.objects.filter(subject__contains="codriver drove").count()
        + SentMail.objects.filter(body__contains="codriver drove").exclude(subject__contains="codriver drove").count()
        == 3
    )
