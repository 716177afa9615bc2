"""People at browsers: drivers who press what their page offers, and others who only look. Nobody reloads a page."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from playwright.sync_api import BrowserContext, Error, Page, Request, Response

WATCH = """(() => {
  const notes = window.__notes = { opened: Date.now(), path: location.pathname, asked: [], shown: [], told: [],
    streams: [], reloaded: false };
  const how = performance.getEntriesByType("navigation")[0];
  notes.reloaded = !!how && how.type === "reload";
  const ours = /\\/runs\\/[^/]+\\/(changes|turn|draft)\\//;
  const plain = window.fetch;
  window.fetch = function (what, more) {
    const began = Date.now(), address = String(what && what.url || what);
    return plain.apply(this, arguments).then(answer => {
      if (!ours.test(address)) return answer;
      const asked = [began, Date.now(), answer.status];
      notes.asked.push(asked);
      const read = answer.text.bind(answer);
      answer.text = () => read().then(text => { asked[1] = Date.now(); return text; });
      return answer;
    });
  };
  const Stream = window.EventSource;
  window.EventSource = function (address) {
    const stream = new Stream(address);
    stream.addEventListener("open", () => notes.streams.push("opened"));
    stream.addEventListener("message", () => notes.told.push(Date.now()));
    stream.addEventListener("error", () => notes.streams.push(stream.readyState === 2 ? "refused" : "broken"));
    return stream;
  };
  document.addEventListener("htmx:beforeRequest", event => { event.detail.xhr.__began = Date.now(); });
  document.addEventListener("htmx:afterRequest", event => {
    const path = event.detail.requestConfig.path;
    if (ours.test(path)) notes.asked.push([event.detail.xhr.__began, Date.now(), event.detail.xhr.status]);
  });
  let run = null;
  const look = () => {
    const now = document.getElementById("run");
    if (now && now !== run) { if (run) notes.shown.push(Date.now()); run = now; }
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
})();"""
"""Notes in each document what its stream said, what it asked, with the status of the answer and the moment at which its
last byte was there, and when it showed a new state of a run.
"""
DRAIN = """() => {
  const notes = window.__notes;
  return { opened: notes.opened, path: notes.path, reloaded: notes.reloaded, now: Date.now(),
           asked: notes.asked.splice(0), shown: notes.shown.splice(0), told: notes.told.splice(0),
           streams: notes.streams.splice(0) };
}"""
OFFERS = """() => {
  const there = selector => {
    const found = document.querySelector(selector);
    return !!found && !found.closest("[hidden]");
  };
  const laid = document.querySelectorAll(".plan li").length;
  return {
    busy: there(".htmx-request") || there("#sending:not([hidden])"),
    again: there("#lost:not([hidden]) [data-does=again]:not([hidden])"),
    safe: there("#moves li:not(.danger) button"), any: there("#moves button"), laid: laid,
    rolling: there("#roll [value=roll]"), stop: there("#roll [value=stop]"), accept: there("#roll [value=accept]"),
    first: there("#roll [name=roll]"), spare: there("#roll [name=take]"), relay: there("[name=do][value=relay]"),
    next: there(".next-turn a"), card: there("form.timecard .actions button"), turn: there(".turns[aria-label] a"),
    back: there("form[action$='/wheel/'] button"),
    waits: Number((document.querySelector("#waiting") || {dataset: {}}).dataset.count || 0),
  };
}"""
LONGEST_PLAN, GOES_ON, FLAT_OUT = 4, 0.7, 0.7
RESTS = (0.4, 1.2)
"""Seconds between two presses of a driver."""
NOTES_EVERY = 2.0
"""Seconds after which the notes of a page are taken. Looking at pages without a pause would load the machine more than
all of them.
"""


@dataclass
class Document:
    """What one page noted between its opening and the next one, in milliseconds. `told`: when its stream spoke.
    `asked`: when each question began and its answer was there, and its status. `shown`: when there was a new state of
    the run, in a browser on its page, else in hand. `drawn`: whether it was drawn.
    """

    who: str
    path: str
    opened: float
    until: float = 0.0
    asked: list[list[float]] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)
    drawn: bool = False


@dataclass
class Seat:
    """Somebody at a browser. `drives`: they press what the page offers. `sleeps`: they never do anything."""

    name: str
    window: BrowserContext
    page: Page
    drives: bool = True
    sleeps: bool = False
    chance: random.Random = field(default_factory=random.Random)
    documents: list[Document] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    streams: Counter[str] = field(default_factory=Counter)
    reloads: int = 0
    pressed: int = 0
    sent_again: int = 0
    rests_until: float = 0.0
    notes_at: float = 0.0

    def watch(self) -> None:
        """Note requests that fail, and the keys of posts that the service took."""
        self.window.add_init_script(WATCH)
        self.page.on("response", self._answered)
        self.page.on("requestfailed", self._failed)
        self.page.on("pageerror", lambda error: self.failures.update([f"script: {str(error)[:80]}"]))

    def _answered(self, answer: Response) -> None:
        path = re.sub(r"https://[^/]+|/runs/[^/]+|/rallies/[^/]+|[?].*", "", answer.url)
        if answer.status >= 400:
            self.failures[f"{answer.status} {path}"] += 1
        elif answer.request.method == "POST" and path == "/turn/":
            self.accepted += parse_qs(answer.request.post_data or "").get("key", [])

    def _failed(self, request: Request) -> None:
        path = re.sub(r"https://[^/]+|/runs/[^/]+|/rallies/[^/]+|[?].*", "", request.url)
        why = str(request.failure)
        if "ERR_ABORTED" not in why:  # a page that is left ends its own requests
            self.failures[f"{why} {path}"] += 1

    def note(self) -> None:
        """Take what the page has noted so far."""
        notes = self.page.evaluate(DRAIN)
        if not self.documents or self.documents[-1].opened != notes["opened"]:
            self.documents.append(Document(self.name, notes["path"], notes["opened"], drawn=True))
            self.reloads += notes["reloaded"]
        last = self.documents[-1]
        last.until = notes["now"]
        last.asked += notes["asked"]
        last.shown += notes["shown"]
        last.told += notes["told"]
        self.streams.update(notes["streams"])

    def step(self) -> None:
        """Press one thing when it is time for it, and take the page's notes now and then."""
        clock = time.monotonic()
        try:
            if clock >= self.notes_at:
                self.notes_at = clock + NOTES_EVERY
                self.note()
            if self.drives and not self.sleeps and clock >= self.rests_until:
                self.rests_until = clock + self.chance.uniform(*RESTS)
                self.pressed += self._press(self.page.evaluate(OFFERS))
        except Error as error:  # the page is being replaced: the next step looks again
            self.failures[f"press: {str(error).splitlines()[0][:70]}"] += 1
            self.rests_until = time.monotonic() + 1

    def _press(self, offers: dict[str, Any]) -> bool:
        if offers["busy"]:
            return False
        if offers["again"]:
            self.sent_again += 1
            return self._click("#lost [data-does=again]")
        if offers["card"]:
            return self._click("form.timecard .actions button")
        if offers["relay"]:
            return self._click("[name=do][value=relay]")
        if offers["spare"]:
            return self._click("#roll [name=take][value=no]")
        if offers["accept"]:
            return self._click("#roll [value=accept]")
        if offers["stop"]:
            goes_on = offers["rolling"] and self.chance.random() < GOES_ON
            return self._click("#roll [value=roll]" if goes_on else "#roll [value=stop]")
        if offers["rolling"]:
            return self._click("#roll [value=roll]")
        if offers["first"] and (not offers["safe"] or offers["laid"] >= LONGEST_PLAN):
            flat_out = self.chance.random() < FLAT_OUT
            return self._click("#roll [name=roll][value='flat out']" if flat_out else "#roll [name=roll]")
        if offers["safe"] or offers["any"]:
            return self._click("#moves li:not(.danger) button" if offers["safe"] else "#moves button")
        if offers["next"]:
            return self._click(".next-turn a")
        if offers["turn"]:
            return self._click(".turns[aria-label] a")
        if offers["waits"] and not self.page.url.endswith("/turns/"):
            return self._click("a:has(#waiting)")
        return False

    def _click(self, what: str) -> bool:
        self.note()  # the press may leave the page
        # Not with the mouse: on a machine that is busy Playwright waits seconds for a page that stands still.
        self.page.eval_on_selector(what, "it => it.click()")
        return True
