"""Tasks go through the broker that this run was given: the folder, or the server CELERY_BROKER_URL names."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery.contrib.testing.worker import start_worker

from championship.celery import app

QUEUE = "tests"


@app.task(name="tests.write_down")
def write_down(path: str, text: str) -> None:
    Path(path).write_text(text)


@pytest.fixture
def sending() -> Iterator[None]:
    """Tasks are sent to the broker for once, instead of being done on the spot."""
    app.conf.task_always_eager = False
    yield
    app.conf.task_always_eager = True


@pytest.mark.usefixtures("sending")
def test_a_worker_does_what_was_sent_before_and_after_it_started(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"

    write_down.apply_async((str(before), "driven"), queue=QUEUE)
    with start_worker(app, pool="solo", queues=[QUEUE], perform_ping_check=False):
        write_down.apply_async((str(after), "driven"), queue=QUEUE)
        deadline = time.monotonic() + 60
        while not (before.exists() and after.exists()) and time.monotonic() < deadline:
            time.sleep(0.05)

    assert before.read_text() == after.read_text() == "driven"
