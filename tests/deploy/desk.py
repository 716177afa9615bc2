"""A user in the drill's container: signs in with a code from a letter, or drives, always through TLS.

`python -m tests.deploy.desk sign-in HOST ADDRESS` prints the cookies after the sign-in. `python -m tests.deploy.desk
drive HOST STEPS` reads seats from the standard input, as `tests.load.world.seed` creates them, rolls STEPS times for
each and prints a summary of the responses. `drive-until HOST FILE` drives, as fast as a quick player, until that file
exists. The environment variable HOUSE_CA names the file with the certificate of the container's own authority.
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
"""Seconds that a letter may take. Letters that the web process could not queue are sent by the sweep of each minute."""
PACE = 0.5
"""Seconds between two steps of `drive-until`."""
REQUESTS = 40
"""Number of responses after which a driver stops, even if no roll was accepted."""
CODE = re.compile(r"^ {4}(\S+)\s*$", re.M)


class ToTheHouse(http.client.HTTPSConnection):
    """A connection to the proxy on this machine, for any host name."""

    def connect(self) -> None:
        line = socket.create_connection(("127.0.0.1", self.port), self.timeout, self.source_address)
        context = ssl.create_default_context(cafile=os.environ["HOUSE_CA"])
        self.sock = context.wrap_socket(line, server_hostname=self.host)


class SecureBrowser(Browser):
    """A browser that trusts only the container's own authority."""

    def _open(self) -> http.client.HTTPConnection:
        if self._line is None:
            self._line = ToTheHouse(self.host, self.port, timeout=120)
        return self._line


class QuickDriver(Driver):
    """Drives without pauses and measures nothing."""

    def _pause(self, seconds: tuple[float, float]) -> None:
        del seconds

    def _ask_badge(self) -> None:
        pass

    def one_step(self) -> None:
        """Load the stage page if there is none, and take one of the steps that it offers."""
        if self.page is None:
            self._show(self.browser.get("stage page", self.run_path))
        if self.page is not None:
            self._step(self.page)


class Letters:
    """The mailbox of a mail server."""

    def __init__(self) -> None:
        self.taken: queue.Queue[str] = queue.Queue()

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Accept a letter."""
        letter = message_from_bytes(envelope.content or b"", policy=policy.default)
        body = letter.get_body(("plain",))
        self.taken.put(body.get_content() if body else "")
        return "250 2.0.0 Taken"


def sign_in(host: str, address: str) -> dict[str, str]:
    """Sign in an operator with a code, and return the cookies."""
    browser = SecureBrowser(host, 443, {})
    come_in(browser, address, mail_port=25)
    page = browser.get("operator", "/operator/letters/")
    assert page is not None and page.status == 200, "the operator does not see the letters"
    return browser.cookies


def come_in(browser: SecureBrowser, address: str, *, mail_port: int) -> None:
    """Request a code, take it from the letter, and type it."""
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
    """Open a page and send its form. Return the address to which the response redirects."""
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
    """Drive for each seat, one after the other, while `go_on` returns True for the kinds of requests that got responses
    there.

    Return the number of responses by status, the longest response time in milliseconds, and the errors.
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
    """Return a function that returns whether the file does not exist yet. It pauses for PACE before it checks."""

    def go_on(_answered: list[str]) -> bool:
        time.sleep(PACE)
        return not over.exists()

    return go_on


def for_steps(count: int) -> Callable[[list[str]], bool]:
    """Return a function that returns whether fewer than `count` rolls were accepted. A driver who must wait for others
    stops after REQUESTS responses.
    """
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
