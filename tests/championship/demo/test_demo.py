"""`manage.py demo` from beginning to end, with a separate database and folder."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path

import psutil
import pytest

from championship.demo.persons import DRIVER, PERSONS
from championship.demo.supervisor import MARK
from championship.platform import embedded

ROOT = Path(embedded.__file__).resolve().parents[2]
PATIENCE = 300  # seconds: machines are busy at times
NOT_INHERITED = {"DATABASE_URL", "DJANGO_SETTINGS_MODULE", "CELERY_BROKER_URL", "SECRET_KEY", MARK}


class Demo:
    """A demo started in a terminal, and its output there."""

    def __init__(self, folder: Path) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "demo", "--port", "8400"],
            cwd=ROOT,
            env={**environment, "PARC_FERME_VAR": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said = ""
        deadline = time.monotonic() + PATIENCE
        while "Ctrl-C ends" not in self.said and time.monotonic() < deadline:
            line = self.process.stdout.readline()
            if not line:
                break
            self.said += line
        assert "Ctrl-C ends" in self.said, self.said

    def link(self) -> str:
        """Return the driver's one-click login."""
        return re.search(r"http://\S+/demo/as/nico\S+", self.said)[0]

    def end(self, kind: signal.Signals) -> int:
        self.process.send_signal(kind)
        rest, _ = self.process.communicate(timeout=PATIENCE)
        self.said += rest
        return self.process.returncode


def page(address: str) -> tuple[str, str]:
    """Return the address and text of the page after all redirects, in a browser that keeps cookies."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    with browser.open(address, timeout=120) as response:
        assert response.status == 200
        return response.url, response.read().decode()


def processes_of(folder: Path) -> list[str]:
    """Return the living processes that work in the folder or have its mark."""
    found = []
    for process in psutil.process_iter():
        try:
            marked = process.environ().get(MARK) == str(folder)
            inside = Path(process.cwd()).is_relative_to(folder)
            if process.status() != psutil.STATUS_ZOMBIE and (marked or inside):
                found.append(process.name())
        except psutil.Error:
            continue
    return found


@pytest.fixture
def nobody_left(folder: Path) -> Iterator[None]:
    """End the demo's processes after the test, also when it fails."""
    yield
    for process in psutil.process_iter():
        try:
            if process.environ().get("PARC_FERME_VAR") == str(folder):
                process.kill()
        except psutil.Error:
            continue


@pytest.mark.slow
@pytest.mark.usefixtures("nobody_left")
def test_it_opens_lets_one_in_keeps_its_data_when_killed_and_ends_whole(folder: Path) -> None:
    first = Demo(folder)
    address, home = page(first.link())
    assert DRIVER.name in home
    assert "Rally 4" in home
    first.process.kill()
    first.process.wait()

    second = Demo(folder)
    assert second.link() == first.link()
    assert "Rally 4" in page(second.link())[1]
    _, everybody = page(address.split("/turns")[0].rstrip("/") + "/demo/")
    assert all(person.name in everybody for person in PERSONS)

    assert second.end(signal.SIGINT) == 0
    assert processes_of(folder) == []
