"""A bot that plays every turn that waits for it, in any game, with the standard library alone.

    PARC_FERME=https://rally.example TOKEN=pf_... python examples/bot.py          # for ever
    PARC_FERME=https://rally.example TOKEN=pf_... python examples/bot.py RUN      # until that run is over
    PARC_FERME=https://rally.example TOKEN=pf_... python examples/bot.py rallies/KEY    # until that rally is over

It requests the legal ways to go on and picks one at random. To write a better driver, start with `choose`. At time
control it hands in a card without repairs. Only a person's token that may drive needs this: rallies do not wait for a
bot's card.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import secrets
import sys
import time
import urllib.parse
from collections.abc import Callable
from typing import Any

BASE = urllib.parse.urlsplit(os.environ.get("PARC_FERME", "http://localhost:8000").rstrip("/") + "/api/v1")
CONNECTION = http.client.HTTPSConnection if BASE.scheme == "https" else http.client.HTTPConnection
LINE = CONNECTION(BASE.netloc, timeout=30)  # one connection for all requests; it stays open
TOKEN = os.environ.get("TOKEN", "")
LONGEST_DRAFT = 3  # draft steps for one turn, in games with drafts
PAUSE = float(os.environ.get("PAUSE", "30"))  # seconds between two polls when nothing waits


class Problem(Exception):
    """An error response: a problem document (RFC 9457)."""

    def __init__(self, status: int, text: bytes) -> None:
        try:
            document = json.loads(text)
        except ValueError:
            document = {}
        super().__init__(f"{status} {document.get('title', '')}: {document.get('detail', '')}")
        self.status, self.document = status, document


def ask(method: str, path: str, sent: Any = None, key: str = "") -> Any:
    """Send a request and return the answer. Waits when the API says so, and sends again when there was no answer."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", "User-Agent": "example-bot"}
    if key:
        headers["Idempotency-Key"] = key
    body = None if sent is None else json.dumps(sent).encode()
    for attempt in range(6):
        try:
            LINE.request(method, BASE.path + path, body, headers)
            answer = LINE.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            LINE.close()  # the next request opens it again, at first without a wait: it may only have been idle
            time.sleep(2**attempt - 1)  # a write has an idempotency key, so it is safe to send it twice
            continue
        if answer.status < 400:
            return json.loads(text)
        problem = Problem(answer.status, text)
        if problem.status not in (429, 503) and not problem.document.get("type", "").endswith("/in-flight/"):
            raise problem
        time.sleep(float(answer.headers.get("Retry-After") or 1))
    raise SystemExit(f"{method} {path}: no answer")


def choose(choices: dict[str, Any]) -> dict[str, Any]:
    """Return one of the legal ways; when there is nothing to choose, the orders of the codriver."""
    ways = [way for way in choices["ways"] if way["orders"] or way["draft"] is not None]
    if not ways:
        return {"orders": choices["autopilot"], "draft": None}
    return random.choice(ways)


def decide(run: str) -> dict[str, Any]:
    """Return the orders for the turn, and the version of the run for which they are meant."""
    choices = ask("GET", f"/runs/{run}/choices")
    way = choose(choices)
    for _step in range(LONGEST_DRAFT):
        if way["draft"] is None or (way["orders"] and random.random() < 0.3):
            break
        behind = ask("GET", f"/runs/{run}/choices?draft={urllib.parse.quote(json.dumps(way['draft']))}")
        if not behind["ways"]:
            break
        way = choose(behind)
    orders = way["orders"] or choices["autopilot"]
    return {"orders": orders, "version": choices["version"], "salt": secrets.token_hex(8)}


def play(run: str) -> None:
    """Play the turn that waits in a run, and the turns that follow immediately."""
    while (seen := send(f"/runs/{run}/turns", lambda: decide(run))) and seen["my_turn"]:
        pass


def send(path: str, decided: Callable[[], dict[str, Any]]) -> Any:
    """Send what `decided` returns, and return the answer; None when the run has moved on, which is no error."""
    try:
        return ask("POST", path, decided(), key=secrets.token_hex(16))
    except Problem as problem:
        if problem.status not in (403, 409, 412):
            raise
        print(problem, file=sys.stderr)
        time.sleep(min(PAUSE, 1))
        return None


def poll(rally: str = "") -> None:
    """Do everything that waits, in one rally or in all; sleep when nothing waits."""
    waiting = [each for each in ask("GET", "/me/turns") if rally in ("", each["rally"])]
    for each in waiting:
        if each["run"]:
            play(each["run"])
        else:
            send(f"/rallies/{each['rally']}/stages/{each['stage']}/card", lambda: {"decision": {}})
    if not waiting:
        time.sleep(min(PAUSE, 1) if rally else PAUSE)


def drive(run: str) -> None:
    """Drive until the run is over."""
    while (seen := ask("GET", f"/runs/{run}"))["status"] == "running":
        if seen["my_turn"]:
            play(run)
        else:
            time.sleep(min(PAUSE, 1))
    print(f"{run} is {seen['status']}")


def drive_rally(key: str) -> None:
    """Drive all stages of a rally, from the start to the finish."""
    while (seen := ask("GET", f"/rallies/{key}"))["status"] in ("entries", "running"):
        poll(key)
    print(f"{key} is {seen['status']}")


def main() -> None:
    for named in sys.argv[1:]:
        kind, _slash, key = named.rpartition("/")
        (drive_rally if kind == "rallies" else drive)(key)
    while len(sys.argv) == 1:
        poll()


if __name__ == "__main__":
    main()
