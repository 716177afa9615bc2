"""Tasks go through the configured broker: the folder, or the server in CELERY_BROKER_URL."""

import os
import subprocess
import sys
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
    """Send tasks to the broker, instead of running them immediately."""
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


AS_BEAT = """
import sys
sys.argv, sys.orig_argv = ["background.py", "beat"], ["python", "-m", "championship.platform.background", "beat"]
from championship import celery_app
celery_app.loader.import_default_modules()
ours = ("championship.", "engine")
print(*(name for name in sys.modules if name.startswith(ours) and name.rpartition(".")[2] in ("models", "engine")))
print(*(entry["task"] for entry in celery_app.conf.beat_schedule.values()))
print(*celery_app.tasks)
"""


def test_beat_knows_the_names_of_tasks_alone() -> None:
    told = subprocess.run([sys.executable, "-c", AS_BEAT], capture_output=True, text=True, timeout=240, check=True)
    models, called, known = (line.split() for line in told.stdout.split("\n")[:3])

    app.loader.import_default_modules()
    assert models == []
    assert not any(name.startswith("championship.") for name in known)
    assert called and set(called) <= set(app.tasks), "a name that no worker knows is called for nothing"


AS_WORKER = """
from championship.platform import background
worker = background.worker("mail")
import sys
print(*sorted({"championship.urls", "click_repl", "prompt_toolkit"} & set(sys.modules)))
print(worker.hostname.partition("@")[0], *worker.app.amqp.queues.consume_from)
"""


@pytest.mark.slow
def test_a_worker_of_an_installation_keeps_neither_pages_nor_a_shell_in_memory() -> None:
    told = subprocess.run([sys.executable, "-c", AS_WORKER], capture_output=True, text=True, timeout=240, check=True)

    assert told.stdout.splitlines() == ["", "mail mail"]


@pytest.mark.slow
def test_a_worker_for_a_queue_that_is_none_ends_at_once() -> None:
    line = [sys.executable, "-m", "championship.platform.background"]
    for wrong in (["male"], [], ["mail", "posts"]):
        told = subprocess.run([*line, *wrong], capture_output=True, text=True, timeout=240, check=False)
        assert told.returncode == os.EX_USAGE
        assert "clock|mail|posts|simulation|seconds|beat" in told.stderr


AS_WEB = """
import runpy, sys
import django
django.setup()
runpy.run_path("gunicorn.conf.py")["when_ready"](None)
from django.utils.translation import trans_real
import gc
print("championship.urls" in sys.modules, sorted(trans_real._translations))
print(gc.get_freeze_count() > 100_000, gc.get_threshold()[0])
from django.template import engines
[loader] = engines["django"].engine.template_loaders
print({"runs/run.html", "dirt/panel.html"} <= set(loader.get_template_cache))
"""


@pytest.mark.slow
def test_gunicorn_loads_what_all_its_workers_need_before_it_makes_them() -> None:
    told = subprocess.run([sys.executable, "-c", AS_WEB], capture_output=True, text=True, timeout=240, check=True)

    assert told.stdout.splitlines() == ["True ['de', 'en', 'pl']", "True 50000", "True"]
