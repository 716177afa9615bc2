"""A simulated driver: reads, thinks, plans a few dice, rolls them one by one or flat out, waits for others."""

from __future__ import annotations

import random
import threading
import time

from tests.load.browser import IN_PLACE, Answer, Browser, path_of
from tests.load.pages import Form, Page
from tests.load.report import FLOOR

THINK = (3.0, 8.0)
"""Seconds between two steps of a turn."""
LAY = (0.8, 2.5)
"""Seconds between two dice of a plan, while it is put together."""
POLL = (6.0, 12.0)
"""Seconds between two polls of a page while others play."""
BADGE_EVERY = 15.0
LONGEST_PLAN = 6
FLAT_OUT = 0.3
STOP = 0.2
LOOK_AROUND = 0.15


class Driver(threading.Thread):
    """Drives one run for one person until `done` is set."""

    def __init__(self, browser: Browser, run: str, rally: str, *, done: threading.Event, seed: int) -> None:
        super().__init__(daemon=True)
        self.browser, self.run_path, self.rally_path, self.done = browser, run, rally, done
        self.chance = random.Random(seed)
        self.page: Page | None = None
        self.asked_badge = time.monotonic()

    def run(self) -> None:
        self._pause((0.0, THINK[1]))  # drivers do not all start at the same moment
        while not self.done.is_set():
            if self.page is None:
                self._show(self.browser.get("stage page", self.run_path))
                self._pause(THINK)
                continue
            self._step(self.page)
            if self.chance.random() < LOOK_AROUND:
                self._look_around()
        self.browser.close()

    def _pause(self, seconds: tuple[float, float]) -> None:
        self.done.wait(self.chance.uniform(*seconds))

    def _show(self, answer: Answer | None) -> None:
        """Parse the response into the current page. Load the page again when there was no response. Parts that the
        response does not contain stay as they were.
        """
        shown = answer.page if answer and answer.status in (200, 409, 422) else None
        if shown and self.page and "waiting" in self.page.polls:
            shown.polls.setdefault("waiting", self.page.polls["waiting"])
        self.page = shown

    def _step(self, page: Page) -> None:
        """Do one thing that the page offers."""
        moves, lay = page.form_with("move"), page.form_with("roll")
        roll = page.form_with("do", "roll") or page.form_with("do", "stop") or page.form_with("do", "accept")
        relay = page.form_with("do", "relay")
        if relay:
            self._send("step", relay, "do", "relay")
        elif roll:
            self._roll(roll)
        elif page.form_with("take", "no"):
            self._send("step", page.form_with("take", "no"), "take", "no")
        elif moves or lay:
            self._lay(moves, lay)
        else:
            self._wait(page)
            return
        self._ask_badge()

    def _roll(self, form: Form) -> None:
        choices = [word for word in ("roll", "stop", "accept") if form.button("do", word)]
        word = "stop" if "stop" in choices and self.chance.random() < STOP else choices[0]
        self._send("step", form, "do", word)
        self._pause(THINK)

    def _lay(self, moves: Form | None, lay: Form | None) -> None:
        """Add one more die to the plan, or hand the plan in."""
        laid = len((moves or lay).hidden.get("plan", "").split()) if moves or lay else 0
        safe = [button for button in (moves.buttons if moves else ()) if button.name == "move" and not button.danger]
        any_move = safe or [button for button in (moves.buttons if moves else ()) if button.name == "move"]
        if moves and any_move and (lay is None or (safe and laid < self.chance.randint(2, LONGEST_PLAN))):
            self._send("draft", moves, "move", self.chance.choice(any_move).value)
            self._pause(LAY)
        elif lay:
            how = "flat out" if self.chance.random() < FLAT_OUT else "one by one"
            self._send("step", lay, "roll", how)
            self._pause(THINK)

    def _send(self, kind: str, form: Form | None, name: str, value: str) -> None:
        assert form is not None
        added = self.page.sent if self.page else {}
        self._show(self.browser.post(kind, path_of(form.action), {**form.hidden, name: value}, **added))

    def _wait(self, page: Page) -> None:
        """Poll the page now and then: others play, or the stage is over."""
        self._pause(POLL)
        if "run" not in page.polls:
            self.page = None
            return
        address, tag = page.polls["run"]
        answer = self.browser.get("poll", path_of(address), **{"If-None-Match": tag, **IN_PLACE})
        if answer and answer.status == 200:
            self._show(answer)
        self._ask_badge()

    def _ask_badge(self) -> None:
        if self.page is None or "waiting" not in self.page.polls:
            return
        if time.monotonic() - self.asked_badge > BADGE_EVERY:
            self.asked_badge = time.monotonic()
            self.browser.get(FLOOR, "/load/bare/")
            address, tag = self.page.polls["waiting"]
            self.browser.get("badge", path_of(address), **{"If-None-Match": tag})

    def _look_around(self) -> None:
        kind, path = self.chance.choice(
            [
                ("my turns", "/turns/"),
                ("rally page", self.rally_path),
                ("rally page", f"{self.rally_path}stages/1/"),
                ("log", f"{self.run_path}log/"),
            ]
        )
        self.browser.get(kind, path)
        self._pause(THINK)
        self._show(self.browser.get("stage page", self.run_path))
        self._pause(THINK)
