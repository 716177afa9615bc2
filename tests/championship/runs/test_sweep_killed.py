"""A real process is killed in the middle of a sweep: nothing is half done, and the next sweep does the work once."""

import json
import os
import select
import subprocess
import sys
from datetime import timedelta

import pytest
from django.conf import settings as django_settings
from django.db import connection, transaction

from championship.deadlines.services.sweeping import remind
from championship.notices.models import Notice
from championship.runs.models import Run, Turn
from championship.runs.play import act_on_deadlines, rebuild
from tests.championship.runs.factories import all_of, on_the_road, open_turn, play
from tests.championship.runs.threads import lose_patience

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = 240
"""Seconds a process may take to start on a busy machine."""


@pytest.fixture
def doomed(tmp_path):
    """Returns a function that starts a sweep on the test's database, which stops after a statement.

    Kills the processes at the end.
    """
    processes = []
    scene = {
        "database": {key: connection.settings_dict[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")},
        "mailbox": "championship.notices.stored_mail.Backend",
        "folder": str(tmp_path),
    }
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.championship.notices.worker_settings",
        "WORKER_SCENE": json.dumps(scene),
    }

    def start(what, moment, behind):
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.championship.runs.held_sweep", what, moment.isoformat(), behind],
            cwd=django_settings.BASE_DIR,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        processes.append(process)
        assert select.select([process.stdout], [], [], PATIENCE)[0], "never came so far"
        assert os.read(process.stdout.fileno(), 100) == b"held\n", "ended before it came so far"
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def kill_and_wait(process):
    """Kill the process with SIGKILL, and wait until PostgreSQL has released its row locks."""
    process.kill()
    process.wait()
    with transaction.atomic():
        list(Run.objects.select_for_update())
        list(Turn.objects.select_for_update())


@pytest.mark.slow
@pytest.mark.parametrize(
    "behind",
    ["INSERT INTO runs_event", "UPDATE runs_run", 'UPDATE "runs_turn" SET "missed"'],
    ids=["events written", "state saved", "turn marked"],
)
def test_a_missed_turn_is_driven_once_though_the_first_to_drive_it_was_killed(doomed, behind, caplog):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    late = open_turn(run).deadline + timedelta(seconds=1)
    before = all_of(run)
    lose_patience()

    process = doomed("drive", late, behind)
    assert act_on_deadlines(now=late) == 0, "the run is in the hands of the other process"
    assert "failed" not in caplog.text, "and is left there"
    kill_and_wait(process)
    assert all_of(run) == before

    assert act_on_deadlines(now=late) == 1
    assert act_on_deadlines(now=late) == 0
    run.refresh_from_db()
    assert list(run.turns.values_list("number", "missed")) == [(1, True), (2, False)]
    assert run.events.filter(kind="end of turn").count() == 1
    assert Notice.objects.filter(kind="turn driven for you").count() == 1
    assert rebuild(run=run) == run.state


@pytest.mark.slow
def test_a_reminder_is_written_once_though_the_first_to_write_it_was_killed(doomed):
    run, _drivers = on_the_road("Ana", "Bo")
    soon = open_turn(run).remind_at
    before = all_of(run)
    lose_patience()

    process = doomed("remind", soon, 'INSERT INTO "notices_notice"')
    assert remind(now=soon) == 0, "the turn is in the hands of the other process"
    kill_and_wait(process)
    assert all_of(run) == before

    assert remind(now=soon) == 1
    assert remind(now=soon) == 0
    assert Notice.objects.filter(kind="turn closes soon").count() == 1
