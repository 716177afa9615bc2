"""People at programs instead of browsers: they ask for the same pages, follow the same streams and post the same forms
as static/js/poll.js and htmx do, through nginx, and draw nothing.

    python -m tests.rehearsal.clients    # reads one line of JSON: who sits where; ends when its input ends

Prints what each noted, as the documents of people at browsers (seats.py), in one JSON object.
"""

from __future__ import annotations

import html
import http.client
import json
import random
import re
import ssl
import sys
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from tests.load.browser import HTTPS, IN_PLACE, TIMEOUT, Answer, Browser, path_of
from tests.load.pages import Form, Page
from tests.rehearsal.seats import FLAT_OUT, GOES_ON, LONGEST_PLAN, RESTS, Document

BRISK = (6.0, 30.0)
"""Seconds between two questions: the shortest, and the longest while nothing changes."""
SLOWER, SPREAD = 1.4, 0.15
EACH_SECOND, AGAIN, SOON = 1.0, 10.0, 2.0
"""Seconds between two questions without a stream; until a refused stream is opened again; after no answer."""
BREAKS = 1.0
"""Seconds after which a browser opens a stream again that broke (`retry` in the stream)."""
PATIENCE = 40
"""Seconds without a byte, twice the heartbeat and more, after which a stream is dead."""
PART = re.compile(r'id="(run|waiting|talk)"[^>]*? data-poll="([^"]*)" data-tag="([^"]*)"')
LIVE = re.compile(r'id="run"[^>]*? data-live="([^"]*)"')
SENT = re.compile(r"""id="run"[^>]*? hx-headers='([^']*)'""")
OFFERS = re.compile(r'name="(?:move|roll|take)"|name="do" value="(?:roll|stop|accept|relay)"')
NEXT = re.compile(r'class="actions next-turn"[^>]*><a class="button" href="([^"]*)"')
COUNT = re.compile(r'id="waiting"[^>]*? data-count="(\d+)"')
TURN = re.compile(r'href="(/runs/[^/"]+/|/rallies/[^/"]+/stages/\d+/control/)"')
WITHOUT_TLS_CHECK = ssl._create_unverified_context()
"""The rehearsal has made the certificate itself."""


@dataclass(slots=True)
class Line(Browser):
    """A browser's connection to nginx. `host` is with the port."""

    def _open(self) -> http.client.HTTPConnection:
        if self._line is None:
            self._line = _connected(self.host, TIMEOUT)
        return self._line


def _connected(host: str, patience: float) -> http.client.HTTPSConnection:
    name, _colon, port = host.partition(":")
    return http.client.HTTPSConnection(name, int(port), timeout=patience, context=WITHOUT_TLS_CHECK)


def now() -> float:
    """Milliseconds, as scripts count them."""
    return time.time() * 1000


@dataclass
class Noted:
    """What one person noted, beside the documents."""

    name: str
    documents: list[Document] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    streams: Counter[str] = field(default_factory=Counter)
    pressed: int = 0
    sent_again: int = 0

    def plain(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {**vars(self), "documents": [asdict(document) for document in self.documents]}


class Stream(threading.Thread):
    """One stream, opened again as a browser opens it. `heard` is called when it says "changed" and when it opens."""

    def __init__(self, person: Person, address: str) -> None:
        super().__init__(daemon=True)
        self.person, self.address, self.ended, self.refused = person, address, False, False

    def run(self) -> None:
        while not self.ended:
            self.person.noted.streams["opened"] += 1
            line = _connected(self.person.line.host, PATIENCE)
            try:
                self._follow(line)
            except (OSError, http.client.HTTPException):
                self.person.noted.streams["broken"] += not self.ended
            finally:
                line.close()
            self.person.done.wait(AGAIN if self.refused else BREAKS)
            self.ended = self.ended or self.person.done.is_set()

    def _follow(self, line: http.client.HTTPConnection) -> None:
        cookie = "; ".join(f"{name}={value}" for name, value in self.person.line.cookies.items())
        line.request("GET", self.address, headers={**HTTPS, "Cookie": cookie, "Accept": "text/event-stream"})
        answer = line.getresponse()
        self.refused = answer.status != 200
        if self.refused:
            self.person.noted.streams[f"refused {answer.status}"] += 1
            self.person.changed.set()
            return
        self.person.changed.set()
        while not self.ended and (told := answer.readline()):
            if told.startswith(b"data:") and not self.ended:
                self.person.document.told.append(now())
                self.person.changed.set()


class Person(threading.Thread):
    """Somebody who drives, or only looks on (`drives`), from the page of a run on."""

    def __init__(self, host: str, sits: dict[str, Any], done: threading.Event) -> None:
        super().__init__(daemon=True)
        self.line = Line(host, 0, dict(sits["cookies"]))
        self.drives, self.done, self.path = sits["drives"], done, sits["path"]
        self.chance = random.Random(sits["number"])
        self.noted = Noted(sits["name"])
        self.changed = threading.Event()
        self.document = Document(sits["name"], "", 0)
        self.stream: Stream | None = None
        self.parts: dict[str, tuple[str, str]] = {}
        self.text, self.sent, self.waits = "", dict[str, str](), 0
        self.due, self.wait, self.rests_until = 0.0, BRISK[0], 0.0

    def run(self) -> None:
        self._open(self.path)
        while not self.done.is_set():
            clock = time.monotonic()
            if self.changed.is_set():
                self.changed.clear()
                time.sleep(self.chance.random() * SPREAD)
                self._ask_all()
            elif clock >= self.due:
                self._ask_all()
            elif self.drives and clock >= self.rests_until:
                if self._press():
                    self.noted.pressed += 1
                self.rests_until = time.monotonic() + self.chance.uniform(*RESTS)
            else:
                self.changed.wait(max(0.01, min(self.due, self.rests_until if self.drives else self.due) - clock))
        self.document.until = now()
        self._unfollow()

    # What the page shows ---------------------------------------------------------------------------

    def _open(self, path: str) -> None:
        """Leave the page for another one."""
        self.document.until = now()
        self.document = Document(self.noted.name, path, now())
        answer = self._got(lambda: self.line.get("page", path))
        self.noted.documents.append(self.document)
        if answer is None or answer.status != 200:
            self.due = time.monotonic() + SOON
            return
        self.document.opened = now()
        self.parts.clear()
        self._show(answer.text)
        self._pace(news=True)

    def _show(self, text: str) -> None:
        """Take a page, or a new state of the run with the badge beside it."""
        self.text = text
        self._tags(text)
        sent = SENT.search(text)
        self.sent = json.loads(html.unescape(sent[1])) if sent else {}
        if self.path_is_run and 'id="run"' in text:
            live = LIVE.search(text)
            if live:
                self._follow(html.unescape(live[1]))

    @property
    def path_is_run(self) -> bool:
        """Whether the page is that of a run."""
        return self.document.path.startswith("/runs/")

    def _tags(self, text: str) -> None:
        if 'id="run"' in text:
            self.parts.pop("run", None)
        for name, address, tag in PART.findall(text):
            self.parts[name] = path_of(html.unescape(address)), html.unescape(tag)
        if count := COUNT.search(text):
            self.waits = int(count[1])

    def _follow(self, address: str) -> None:
        if self.stream and self.stream.address == address:
            return
        self._unfollow()
        self.stream = Stream(self, address)
        self.stream.start()

    def _unfollow(self) -> None:
        if self.stream:
            self.stream.ended = True
        self.stream = None

    # What it asks ------------------------------------------------------------------------------------

    def _pace(self, *, news: bool) -> None:
        if self.stream and self.stream.refused:
            self.wait = EACH_SECOND
        else:
            self.wait = BRISK[0] if news else min(BRISK[1], self.wait * SLOWER)
        self.due = time.monotonic() + self.wait

    def _ask_all(self) -> None:
        """Ask for news of each part of the page."""
        news = False
        for name, (address, tag) in sorted(self.parts.items(), key=lambda part: part[0] != "run"):
            began = now()
            asks = {**IN_PLACE, "If-None-Match": tag, "HX-Target": name}
            answer = self._got(lambda address=address, asks=asks, name=name: self.line.get(name, address, **asks))
            if name == "run":
                self.document.asked.append([began, now(), answer.status if answer else 0])
            if answer is None or answer.status >= 500:
                self.wait = SOON
                self.due = time.monotonic() + SOON
                return
            if answer.status == 200:
                news = True
                if name == "run":
                    self.document.shown.append(now())
                    self._show(answer.text)
                else:
                    self._tags(answer.text)
        self._pace(news=news)

    def _got(self, ask: Any) -> Answer | None:
        """The answer. What failed is counted."""
        before, refused = len(self.line.errors), len(self.line.refusals)
        answer: Answer | None = ask()
        self.noted.failures.update(_said(each) for each in self.line.errors[before:] + self.line.refusals[refused:])
        return answer

    # What it presses ---------------------------------------------------------------------------------

    def _press(self) -> bool:
        """Press one thing that the page offers. Returns whether there was any."""
        if 'class="form timecard"' in self.text:
            return self._card()
        if OFFERS.search(self.text) and self._drive(Page(self.text)):
            return True
        if found := NEXT.search(self.text):
            self._open(html.unescape(found[1]))
            return True
        if not self.waits:
            return False
        listed = self._got(lambda: self.line.get("my turns", "/turns/"))
        waiting = listed.text.partition('<ul class="turns" ')[2].partition("</ul>")[0] if listed else ""
        found = TURN.search(waiting)
        if found is None or found[1] == self.document.path:
            self.waits = 0
            return False
        self._open(html.unescape(found[1]))
        return True

    def _card(self) -> bool:
        form = next((each for each in Page(self.text).forms if not each.action), None)
        self.text = self.text.replace('class="form timecard"', "")
        if form is not None:
            self._got(lambda: self.line.post("card", self.document.path, form.hidden, **{"HX-Request": "false"}))
        self.waits = 1
        return True

    def _drive(self, page: Page) -> bool:
        moves, lay = page.form_with("move"), page.form_with("roll")
        for name, value in (("do", "relay"), ("take", "no"), ("do", "accept")):
            if form := page.form_with(name, value):
                return self._send(form, name, value)
        if form := page.form_with("do", "stop"):
            goes_on = form.button("do", "roll") and self.chance.random() < GOES_ON
            return self._send(form, "do", "roll" if goes_on else "stop")
        if form := page.form_with("do", "roll"):
            return self._send(form, "do", "roll")
        buttons = [button for button in (moves.buttons if moves else ()) if button.name == "move"]
        safe = [button for button in buttons if not button.danger]
        laid = len((lay or moves or Form("")).hidden.get("plan", "").split())
        if lay and (not safe or laid >= LONGEST_PLAN):
            flat_out = lay.button("roll", "flat out") and self.chance.random() < FLAT_OUT
            return self._send(lay, "roll", "flat out" if flat_out else lay.buttons[0].value)
        if moves and buttons and laid < LONGEST_PLAN:
            return self._send(moves, "move", (safe or buttons)[0].value)
        return False

    def _send(self, form: Form, name: str, value: str) -> bool:
        """Post a form. Where the answer is missing, send the same post again until there is one, as the page does."""
        data, path = {**form.hidden, name: value}, path_of(form.action)
        kind = path.rstrip("/").rpartition("/")[2]
        while not self.done.is_set():
            began = now()
            answer = self._got(lambda: self.line.post(kind, path, data, **self.sent))
            self.document.asked.append([began, now(), answer.status if answer else 0])
            if answer is not None and answer.status < 500:
                break
            self.noted.sent_again += 1
            self.done.wait(SOON)
        else:
            return True
        if answer.status < 400 and kind == "turn":
            self.noted.accepted.append(data["key"])
        if answer.status in (200, 409, 422) and 'id="run"' in answer.text:
            self.document.shown.append(now())
            self._show(answer.text)
        return True


def _said(error: str) -> str:
    """A failure without keys of runs, to be counted."""
    return re.sub(r"/(?:runs|rallies)/[^/ ]+|[?]\S*|csrfmiddlewaretoken=\S*|\bkey=\S*", "", error)[:110]


def main() -> int:
    given = json.loads(sys.stdin.readline())
    done = threading.Event()
    people = [Person(given["host"], sits, done) for sits in given["people"]]
    for person in people:
        person.start()
    sys.stdin.read()
    done.set()
    for person in people:
        person.join(60)
    seen = [asdict(each) for person in people for each in person.line.seen]
    print(json.dumps({"noted": [person.noted.plain() for person in people], "seen": seen}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
