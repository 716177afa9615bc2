"""Somebody at a desk in the drill's house: signs in by a code from a letter, or drives, all through TLS.

`python -m tests.deploy.desk sign-in HOST ADDRESS` prints the cookies of the one who signed in.
`python -m tests.deploy.desk drive HOST STEPS` reads seats from the standard input, as `tests.load.world.seed` makes
them, and rolls that many times at each; it prints what was answered. `drive-until HOST FILE` drives on, at the pace of
somebody who plays fast, until that file is there.
The certificate of the house's own authority stands in the file that HOUSE_CA names.
"""

from __future__ import annotations

import http.client
import json
import os
import queue
import re
import socket
import ssl
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from email import message_from_bytes, policy
from pathlib import Path
from urllib.parse import quote_plus, urlencode

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.load.browser import Browser
from tests.load.driver import Driver
from tests.load.pages import Page

PATIENCE = 150
"""Seconds that a letter may take: a sweep each minute sends what the web could not hand over at once."""
PACE = 0.5
"""Seconds between two steps of somebody who drives until something has happened."""
REQUESTS = 40
"""Answers after which a driver gets up, whatever was taken."""
CODE = re.compile(r"^ {4}(\S+)\s*$", re.M)


class ToTheHouse(http.client.HTTPSConnection):
    """A connection to the proxy on this machine, whatever the host's name is."""

    def connect(self) -> None:
        line = socket.create_connection(("127.0.0.1", self.port), self.timeout, self.source_address)
        context = ssl.create_default_context(cafile=os.environ["HOUSE_CA"])
        self.sock = context.wrap_socket(line, server_hostname=self.host)


class SecureBrowser(Browser):
    """A browser that believes the house's own authority alone."""

    def _open(self) -> http.client.HTTPConnection:
        if self._line is None:
            self._line = ToTheHouse(self.host, self.port, timeout=120)
        return self._line


class QuickDriver(Driver):
    """Drives without thinking, and measures nothing."""

    def _pause(self, seconds: tuple[float, float]) -> None:
        del seconds

    def _ask_badge(self) -> None:
        pass

    def one_step(self) -> None:
        """Load the stage page where there is none, and take a step of what it offers."""
        if self.page is None:
            self._show(self.browser.get("stage page", self.run_path))
        if self.page is not None:
            self._step(self.page)


class Letters:
    """A mail server's post."""

    def __init__(self) -> None:
        self.taken: queue.Queue[str] = queue.Queue()

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Take a letter."""
        letter = message_from_bytes(envelope.content or b"", policy=policy.default)
        body = letter.get_body(("plain",))
        self.taken.put(body.get_content() if body else "")
        return "250 2.0.0 Taken"


def sign_in(host: str, address: str) -> dict[str, str]:
    """The cookies of an operator who asked for a code and typed it."""
    browser = SecureBrowser(host, 443, {})
    come_in(browser, address, mail_port=25)
    page = browser.get("operator", "/operator/letters/")
    assert page is not None and page.status == 200, "the operator does not see the letters"
    return browser.cookies


def come_in(browser: SecureBrowser, address: str, *, mail_port: int) -> None:
    """Ask for a code, take it from the letter, type it."""
    letters = Letters()
    server = Controller(letters, hostname="127.0.0.1", port=mail_port)
    server.start()
    try:
        asked = _send(browser, "/account/login/", login=address)
        code = CODE.search(letters.taken.get(timeout=PATIENCE))
        assert code, "the letter holds no code"
        answer = _send(browser, asked, code=code.group(1))
        assert "__Host-sessionid" in browser.cookies, f"not signed in; sent on to {answer}"
    finally:
        server.stop(no_assert=True)


def _send(browser: SecureBrowser, path: str, **fields: str) -> str:
    """Open a page and send its form; where the answer leads."""
    page = browser.get("form", path)
    assert page is not None and page.status == 200, f"{path}: {page and page.status}"
    form = next(form for form in Page(page.text).forms if "csrfmiddlewaretoken" in form.hidden)
    line = browser._open()
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    headers = {"Cookie": cookie, "Referer": f"https://{browser.host}{path}", "Origin": f"https://{browser.host}"}
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    line.request("POST", form.action or path, urlencode({**form.hidden, **fields}, quote_via=quote_plus), headers)
    response = line.getresponse()
    text = response.read().decode("utf-8", "replace")
    browser._keep_cookies(response)
    assert response.status in (302, 303), f"{path}: {response.status} {text[:2000]}"
    return response.headers["Location"]


def drive(host: str, seats: list[dict[str, object]], go_on: Callable[[list[str]], bool]) -> dict[str, object]:
    """Drive at each seat, one seat after the other, while `go_on` says so of the kinds of requests that were answered
    there; how often which status came, the longest answer in milliseconds, and what went wrong.
    """
    statuses: Counter[str] = Counter()
    errors: list[str] = []
    refusals: list[str] = []
    longest = 0.0
    for number, seat in enumerate(seats):
        browser = SecureBrowser(host, 443, dict(seat["cookies"]))  # type: ignore[call-overload]
        driver = QuickDriver(browser, str(seat["run"]), str(seat["rally"]), done=threading.Event(), seed=number)
        while go_on([seen.kind for seen in browser.seen]):
            driver.one_step()
        statuses.update(f"{seen.kind} {seen.status}" for seen in browser.seen)
        longest = max(longest, *(seen.round_trip for seen in browser.seen))
        errors += browser.errors
        refusals += browser.refusals
        browser.close()
    return {"statuses": dict(statuses), "errors": errors, "refusals": refusals, "longest": round(longest)}


def until(over: Path) -> Callable[[list[str]], bool]:
    """Whether that file is not there yet, asked at the pace of somebody who plays."""

    def go_on(_answered: list[str]) -> bool:
        time.sleep(PACE)
        return not over.exists()

    return go_on


def for_steps(count: int) -> Callable[[list[str]], bool]:
    """Whether so many rolls are not taken yet; who waits for others is not kept waiting."""
    return lambda answered: answered.count("step") < count and len(answered) < REQUESTS


def main(what: str, host: str, third: str) -> dict[str, object]:
    if what == "sign-in":
        return dict(sign_in(host, third))
    seats = json.load(sys.stdin)
    if what == "drive-until":
        return drive(host, seats, until(Path(third)))
    return drive(host, seats, for_steps(int(third)))


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
