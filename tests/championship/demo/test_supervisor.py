"""The demo's processes end together, whatever ends them."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from championship.demo import supervisor
from championship.platform import embedded

ROOT = Path(embedded.__file__).resolve().parents[2]
SCENE = """
from championship.demo import supervisor
supervisor.COMMANDS = {"one": "sleep 600", "two": "sleep 600"}
supervisor.Supervisor(port=1, when_ready=print).loop()
"""


def eventually(condition: Callable[[], bool], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return condition()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A separate demo folder for the test."""
    monkeypatch.setattr(supervisor, "VAR_DIR", tmp_path)
    monkeypatch.setattr(supervisor, "STATE", tmp_path / "demo.json")
    return tmp_path


@pytest.fixture
def running(folder: Path) -> Iterator[subprocess.Popen]:
    """A supervisor with two children that sleep."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCENE],
        cwd=ROOT,
        env={**os.environ, "PARC_FERME_VAR": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert eventually(lambda: len(children(folder)) == 2)
    yield process
    if process.poll() is None:
        process.kill()
    process.wait()
    supervisor.end_leftovers()


def children(folder: Path) -> list[psutil.Process]:
    return [
        process
        for process in psutil.process_iter()
        if supervisor._is_marked(process) and process.status() != psutil.STATUS_ZOMBIE
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_sigterm_ends_it_with_all_its_children(folder: Path, running: subprocess.Popen, kind: signal.Signals) -> None:
    running.send_signal(kind)

    running.wait(timeout=60)
    assert children(folder) == []


@pytest.mark.slow
def test_killed_it_takes_its_children_along(folder: Path, running: subprocess.Popen) -> None:
    running.kill()
    running.wait()

    assert eventually(lambda: children(folder) == [])


@pytest.mark.slow
def test_a_child_that_ends_ends_the_others(folder: Path, running: subprocess.Popen) -> None:
    children(folder)[0].kill()

    running.wait(timeout=60)
    assert children(folder) == []


def test_what_a_killed_demo_left_is_ended_before_the_next(folder: Path) -> None:
    left = subprocess.Popen(["sleep", "600"], env={**os.environ, supervisor.MARK: str(folder)})
    elsewhere = subprocess.Popen(["sleep", "600"], env={**os.environ, supervisor.MARK: "/another/folder"})

    assert supervisor.end_leftovers() == 1

    assert left.wait(timeout=60) is not None
    assert elsewhere.poll() is None
    elsewhere.kill()
    elsewhere.wait()


def test_a_taken_port_is_passed_over() -> None:
    with socket.socket() as door:
        door.bind((supervisor.HOST, 0))
        door.listen()
        taken = door.getsockname()[1]

        assert supervisor.free_port(taken) > taken


def test_a_running_demo_is_known_until_it_ends(folder: Path) -> None:
    assert supervisor.running_demo() is None

    supervisor.record_running("http://localhost:8000")
    assert supervisor.running_demo() == "http://localhost:8000"

    supervisor.record_stopped()
    assert supervisor.running_demo() is None


def test_a_killed_demo_does_not_count_as_running(folder: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    supervisor.STATE.write_text(f'{{"pid": {ended.pid}, "started": 1.0, "address": "http://localhost:8000"}}')

    assert supervisor.running_demo() is None
