"""The browser of one person: cookies, request headers as our pages send them, and a record of the responses."""

from __future__ import annotations

import http.client
import re
import select
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

from tests.load.pages import Page

TIMEOUT = 30
"""Seconds without a response after which a request has failed."""
HTTPS = {"X-Forwarded-Proto": "https", "Accept-Language": "en"}
"""Headers that the proxy in front of a production server adds, and the language of the reader."""
REFUSED = (409, 422)
IN_PLACE = {"HX-Request": "true", "HX-Target": "run"}


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that got a response: its kind, its status, the milliseconds until the response was complete, and the
    server's own times (Server-Timing).
    """

    kind: str
    status: int
    round_trip: float
    app: float
    cpu: float


@dataclass(slots=True)
class Answer:
    """The response to a request."""

    status: int
    text: str

    @property
    def page(self) -> Page:
        return Page(self.text)


@dataclass(slots=True)
class Browser:
    """Keeps its connection open as long as the server does.

    `errors` are recorded, not raised, so that the drive continues. `refusals` are not errors: a driver who plans while
    others move may learn that a space is taken now.
    """

    host: str
    port: int
    cookies: dict[str, str]
    seen: list[Seen] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    _line: http.client.HTTPConnection | None = None

    def get(self, kind: str, path: str, **headers: str) -> Answer | None:
        """Return a page, or None when the request failed. The failure is recorded."""
        return self._ask(kind, "GET", path, None, headers)

    def post(self, kind: str, path: str, data: Mapping[str, str], **sent: str) -> Answer | None:
        """Post a form with the headers that the stage page adds to requests from its scripts."""
        origin = f"https://{self.host}"
        token = next((value for name, value in self.cookies.items() if "csrf" in name), "")
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Origin": origin,
            "Referer": f"{origin}/",
            "X-CSRFToken": token,
            **IN_PLACE,
            **sent,
        }
        return self._ask(kind, "POST", path, urlencode(data), headers)

    def _ask(self, kind: str, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> Answer | None:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {**HTTPS, "Host": self.host, "Cookie": cookie, **headers}
        began = time.monotonic()
        try:
            response, text = self._send(method, path, body, sent)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            self.errors.append(f"{kind}: {method} {path}: {error!r}")
            return None
        seconds = time.monotonic() - began
        if response.will_close:
            self.close()
        self._keep_cookies(response)
        self.seen.append(Seen(kind, response.status, seconds * 1000, *_timing(response)))
        if response.status in REFUSED:
            self.refusals.append(f"{response.status} {_error_text(text)}")
        elif response.status >= 400:
            self.errors.append(f"{kind}: {method} {path} {body or ''}: {response.status} {_error_text(text)}")
        return Answer(response.status, text)

    def _send(
        self, method: str, path: str, body: str | None, headers: Mapping[str, str]
    ) -> tuple[http.client.HTTPResponse, str]:
        """Send one request. When a kept connection closes without a response, open a new one and send again, as
        browsers do. The key of a post makes sure that it is played once.
        """
        kept = self._line is not None
        line = self._open()
        try:
            line.request(method, path, body, dict(headers))
            response = line.getresponse()
        except (ConnectionError, http.client.RemoteDisconnected):
            if not kept:
                raise
            self.close()
            return self._send(method, path, body, headers)
        return response, response.read().decode("utf-8", "replace")

    def _open(self) -> http.client.HTTPConnection:
        """Return the kept connection, or a new one when the server has closed it meanwhile. Browsers check this first
        too.
        """
        if self._line is not None and self._line.sock is not None:
            said_goodbye, _write, _error = select.select([self._line.sock], [], [], 0)
            if said_goodbye:
                self.close()
        if self._line is None:
            self._line = http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT)
        return self._line

    def _keep_cookies(self, response: http.client.HTTPResponse) -> None:
        for header in response.headers.get_all("Set-Cookie") or ():
            name, _equals, rest = header.partition("=")
            self.cookies[name.strip()] = rest.partition(";")[0]

    def close(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None


def _timing(response: http.client.HTTPResponse) -> tuple[float, float]:
    """`app` and `cpu` of a Server-Timing header, in milliseconds."""
    told = dict(re.findall(r"(\w+);dur=([\d.]+)", response.headers.get("Server-Timing", "")))
    return float(told.get("app", 0)), float(told.get("cpu", 0))


def _error_text(text: str) -> str:
    """Return the error message on the page, to tell a refusal from a failure."""
    told = re.search(r'class="notice bad" role="alert"[^>]*>(.*?)</div>', text, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", told.group(1) if told else text[:120]).split())


def path_of(address: str) -> str:
    """Return the address without its fragment, as browsers request it."""
    parts = urlsplit(address)
    return parts.path + (f"?{parts.query}" if parts.query else "")
