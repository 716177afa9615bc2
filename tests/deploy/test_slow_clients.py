"""Clients that send one byte now and then, through our Caddyfile, our nginx.conf, and to gunicorn itself: pages are
answered meanwhile, and slow clients are cut off.

Behind the proxies gunicorn runs with its own worker, which any eight of these clients would stop: so the proxies have
to hold them back.
"""

from __future__ import annotations

import http.client
import os
import socket
import ssl
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from tests.deploy.programs import tool
from tests.deploy.test_files import DEPLOY
from tests.deploy.test_nginx import BehindNginx
from tests.deploy.test_several_machines import HOST, answers, free_port, until

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

BODIES, HEADERS = 24, 32
READERS = 8
"""People who read pages meanwhile, at once."""
WITHIN = 30
"""Seconds in which each of them has an answer, on any machine."""
POST = b"POST /account/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: csrftoken=" + b"a" * 32 + b"\r\n"
"""With the cookie, Django reads the body before it refuses the post."""
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"
BEGUN = {
    "body": POST + FORM + b"Content-Length: 100000\r\n\r\nlogin=",
    "chunks": POST + FORM + b"Transfer-Encoding: chunked\r\n\r\nffff\r\nlogin=",
    "headers": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
}


class House(BehindNginx):
    """A gunicorn with two workers of four threads, and a proxy or none in front of it."""

    def start(self, proxy: str = "") -> None:
        own = ("--worker-class", "gthread") if proxy else ()
        self.port = free_port()
        where = f"unix:{self.socket}" if proxy else f"{HOST}:{self.port}"
        many = ("--workers", "2", "--threads", "4", "--bind", where, *own)
        gunicorn = (sys.executable, "-m", "gunicorn", "championship.wsgi", *many)
        self.begin("web", *gunicorn, environment=self.environment_of(self.scene))
        if proxy == "caddy":
            self.start_caddy()
        elif proxy == "nginx":
            self.start_nginx()
            self.port = self.tls
        until(lambda: answers(self.port) and (not proxy or self.socket.exists()), "nobody answers", self)
        until(lambda: self.page() == 200, "no page", self)

    def start_caddy(self) -> None:
        environment = {
            **os.environ,
            "PARC_FERME_HOST": f"http://{HOST}:{self.port}",
            "PARC_FERME_WEB": f"unix/{self.socket}",
            "PARC_FERME_LOG": str(self.folder / "caddy-access"),
            "XDG_DATA_HOME": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder),
        }
        ours = (DEPLOY / "Caddyfile").read_text()
        assert "{\n\tservers {" in ours
        # Its port may be in use: another Caddy may run on this machine.
        (self.folder / "Caddyfile").write_text(ours.replace("{\n\tservers {", "{\n\tadmin off\n\tservers {", 1))
        command = ("run", "--adapter", "caddyfile", "--config", str(self.folder / "Caddyfile"))
        self.begin("caddy", tool("caddy"), *command, environment=environment)

    def connect(self) -> socket.socket:
        line = socket.create_connection((HOST, self.port), timeout=WITHIN)
        if "nginx" not in self.running:
            return line
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        return trusting.wrap_socket(line, server_hostname="rally.example")

    def page(self) -> int:
        """Return the status of the front page; 0 without an answer."""
        line = http.client.HTTPConnection(HOST, self.port, timeout=WITHIN)
        with suppress(OSError, http.client.HTTPException):
            line.sock = self.connect()
            line.request("GET", "/")
            return line.getresponse().status
        return 0

    def pages(self) -> list[int]:
        with ThreadPoolExecutor(READERS) as threads:
            return list(threads.map(lambda _number: self.page(), range(READERS)))


class Drips:
    """Clients that never complete their requests."""

    def __init__(self, house: House) -> None:
        kinds = ["body", "chunks"] * (BODIES // 2) + ["headers"] * HEADERS
        self.lines = {number: (kind, house.connect()) for number, kind in enumerate(kinds)}
        for kind, line in self.lines.values():
            line.sendall(BEGUN[kind])
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._drip, daemon=True)
        self._thread.start()

    def _drip(self) -> None:
        while not self._over.wait(0.5):
            for number, (_kind, line) in list(self.lines.items()):
                try:
                    line.sendall(b"a")
                except OSError:
                    del self.lines[number]

    def still(self, *kinds: str) -> int:
        """Return how many clients of these kinds are still connected."""
        return sum(kind in kinds for kind, _line in list(self.lines.values()))

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        for _kind, line in self.lines.values():
            line.close()


@pytest.fixture
def house(folder: Path) -> Iterator[House]:
    folder.chmod(0o755)
    made = House(folder)
    try:
        yield made
    finally:
        for name, process in made.running.items():
            if process.poll() is None:
                made.pull_the_plug(name)


@pytest.mark.parametrize("proxy", ["caddy", "nginx", ""], ids=["caddy", "nginx", "gunicorn itself"])
def test_pages_are_answered_while_many_clients_drip(house: House, proxy: str) -> None:
    house.start(proxy)
    drips = Drips(house)
    try:
        assert house.pages() == [200] * READERS, house.told()
        assert drips.still("body", "chunks") >= BODIES // 2, "the clients were still dripping"
        until(lambda: drips.still("headers") == 0, "headers may drip forever", house)
        if not proxy:
            until(lambda: drips.still("body") == 0, "bodies may drip forever", house)
        assert house.pages() == [200] * READERS, house.told()
    finally:
        drips.close()


@pytest.mark.parametrize("proxy", ["caddy", "nginx"])
def test_a_body_that_is_too_large_for_its_page_is_refused(house: House, proxy: str) -> None:
    house.start(proxy)
    line = http.client.HTTPConnection(HOST, house.port, timeout=WITHIN)
    line.sock = house.connect()
    with suppress(OSError):  # the proxy may close the connection before it has read everything
        line.request("POST", "/account/login/", body=b"a" * 6 * 1024 * 1024)
    assert line.getresponse().status in (413, 502)
    assert house.page() == 200
