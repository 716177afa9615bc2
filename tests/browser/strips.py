"""Takes film strips of what moves on the page of a run: for each game, on a phone and a desk, by day and by night. A
strip shows frames with the seconds since the tap. WHAT lists the strips.

STRIPS=/tmp/strips .venv/bin/python -m pytest tests/browser/strips.py

The test suite does not collect it: somebody looks at the pictures. Without STRIPS they are written to a folder of
pytest. SLOW=6 makes the browser six times slower. -k "turn and desk and light and not return" takes a few of them.
"""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page

from championship.rallies.models import Entry
from championship.runs.models import Run
from championship.runs.play import play_turn
from championship.runs.watch import watching
from engine import registry
from tests.browser.desk import window_of
from tests.championship.runs import factories
from tests.championship.runs.factories import with_luck
from tests.games.dust.pages import scenes
from tests.games.formula_d.pages import tables

pytestmark = pytest.mark.django_db(transaction=True)

LOOKS: dict[str, dict[str, Any]] = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "desk": {"viewport": {"width": 1280, "height": 800}},
}
SECONDS = (-0.1, 0.1, 0.4, 0.8, 1.3, 2.0, 3.0, 4.5)
"""When the frames of a strip are taken, after the answer has come."""
HIGH = 520
"""Pixels of a frame in a strip."""
ROW = {"phone": 8, "desk": 3}
"""Frames in a row of a strip."""
WHAT = {
    "dirt": ("turn", "loss", "other", "finish", "return"),
    "formula_d": ("roll", "turn", "other", "finish", "return"),
    "dust": ("turn", "other", "finish", "return"),
}
"""What strips show. `roll`: only the die falls; `loss`: control is lost; `other`: another car drives, one looks on;
`return`: the page is opened after others have driven.
"""
SAFE = "1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2"


@dataclass
class Film:
    """The frames of a page as the browser draws them, each with its time."""

    page: Page
    frames: list[tuple[float, bytes]] = field(default_factory=list)

    def run(self, begin: Callable[[], Any]) -> None:
        """Record until the last frame of a strip. `begin` returns when the answer is there."""
        tools = self.page.context.new_cdp_session(self.page)

        def keep(frame: dict[str, Any]) -> None:
            self.frames.append((frame["metadata"]["timestamp"], base64.b64decode(frame["data"])))
            tools.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

        tools.on("Page.screencastFrame", keep)
        if slow := os.environ.get("SLOW"):
            tools.send("Emulation.setCPUThrottlingRate", {"rate": float(slow)})
        tools.send("Page.startScreencast", {"format": "jpeg", "quality": 80})
        self.page.wait_for_timeout(400)
        begin()
        began = self.page.evaluate("Date.now()") / 1000
        self.page.wait_for_timeout(SECONDS[-1] * 1000)
        tools.send("Page.stopScreencast")
        self.frames = [(at - began, picture) for at, picture in self.frames]

    def strip(self, path: Path, row: int) -> None:
        """Write the strip: for each moment the newest frame before it, so many in a row."""
        chosen = [max((one for one in self.frames if one[0] <= at), default=self.frames[0]) for at in SECONDS]
        pictures = []
        for at, (_time, picture) in zip(SECONDS, chosen, strict=True):
            frame = Image.open(io.BytesIO(picture)).convert("RGB")
            frame = frame.resize((frame.width * HIGH // frame.height, HIGH))
            ImageDraw.Draw(frame).text((4, HIGH - 14), f"{at:.1f} s", fill="red")
            pictures.append(frame)
        wide, rows = max(one.width for one in pictures) + 6, -(-len(pictures) // row)
        strip = Image.new("RGB", (wide * row, (HIGH + 6) * rows), "magenta")
        for number, one in enumerate(pictures):
            strip.paste(one, (number % row * wide, number // row * (HIGH + 6)))
        path.parent.mkdir(parents=True, exist_ok=True)
        strip.save(path)


# Situations ------------------------------------------------------------------------------------------


def driven_on(run: Run, posts: int) -> Entry:
    """Let codrivers send so many posts. Return the entry that is to play then."""
    rules = registry.get(run.game)
    for _post in range(posts):
        seat = rules.to_play(run.state)[0]
        entry = run.seats.select_related("entry__driver").get(name=seat).entry
        orders, version = rules.autopilot(run.state, seat), watching.version_for(run, seat)
        play_turn(by=entry.driver, run=run, orders=orders, version=version, key=factories.fresh_key())
        run.refresh_from_db()
    return run.seats.select_related("entry__driver").get(name=rules.to_play(run.state)[0]).entry


def dirt() -> Run:
    return factories.on_the_road("Ana", "Bo", "Cem")[0]


def formula_d() -> Run:
    run, _entries = tables.on_the_grid("Ana", "Bo", "Cem", track="monza", laps=1)
    return run


def dust() -> Run:
    return scenes.on_the_road("Ana", "Bo", "Cem")[0]


BEGUN = {"dirt": dirt, "formula_d": formula_d, "dust": dust}


def until_the_turn_begins(run: Run) -> Entry:
    """Drive on until a seat is at the beginning of a turn."""
    first = {"dirt": "plan", "formula_d": "gear", "dust": "prepare"}[run.game]
    entry = driven_on(run, 3 if run.game == "dust" else 9)
    while registry.get(run.game).phase(run.state, str(entry.start_number)) != first:
        entry = driven_on(run, 1)
    return entry


def query(run: Run) -> str:
    """The address of the page with the codriver's plan laid, where plans are laid."""
    if run.game != "dirt":
        return ""
    rules = registry.get("dirt")
    return "?plan=" + rules.autopilot(run.state, rules.to_play(run.state)[0])["plan"].replace(" ", "+")


PRESS = {
    "dirt": ["#roll button[value='flat out']"],
    "formula_d": ["#drive .button", "#drive .button"],
    "dust": ["#send .button"],
}


def press(page: Page, run: Run) -> None:
    """Tap what drives the turn."""
    for button in PRESS[run.game]:
        send(page, button)


def send(page: Page, button: str) -> None:
    """Press a button, and wait for the answer."""
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.locator(button).first.click()


def before_the_last_turn(run: Run) -> Entry:
    """Bring a car to its last turn."""
    rules = registry.get(run.game)
    if run.game == "dirt":
        factories.all_but_the_first_are_home(run)
        return factories.starters(run)[0]
    if run.game == "formula_d":
        return near_the_line(run)
    while True:
        entry = driven_on(run, 1)
        seat = str(entry.start_number)
        state, _events = rules.play(run.state, seat, rules.autopilot(run.state, seat), factories.draw_source_for(run))
        if rules.result(state) is not None:
            return entry


def near_the_line(run: Run) -> Entry:
    """Drive with codrivers until one more movement brings a car over the line."""
    rules = registry.get("formula_d")
    while True:
        entry = driven_on(run, 1)
        seat = str(entry.start_number)
        orders = rules.autopilot(run.state, seat)
        if orders["do"] == "move":
            state, _events = rules.play(run.state, seat, orders, factories.draw_source_for(run))
            if state["cars"][seat]["status"] == "finished":
                return entry


# Strips ----------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(os.environ.get("STRIPS", tmp_path))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("look", list(LOOKS))
@pytest.mark.parametrize(("game", "what"), [(game, what) for game, each in WHAT.items() for what in each])
def test_strip(browser: Browser, live_server, folder: Path, game: str, what: str, look: str, scheme: Any) -> None:
    run = BEGUN[game]()
    me, plan = situation(run, what)
    window = window_of(browser, live_server.url, me, color_scheme=scheme, **LOOKS[look])
    page = window.new_page()
    page.goto(f"{run.get_absolute_url()}{plan}", wait_until="networkidle")
    film = Film(page)
    if what == "return":
        driven_round(run, me)
    film.run(lambda: begin(page, run, what))
    film.strip(folder / f"{game}-{what}-{look}-{scheme}.png", ROW[look])
    window.close()


def situation(run: Run, what: str) -> tuple[Entry, str]:
    """Return who looks at the run when the strip begins, and the query of the page. The run is brought there."""
    if what == "finish":
        return before_the_last_turn(run), query(run)
    if what == "loss":
        with_luck(run, {"do": "lay", "plan": SAFE, "roll": "flat out"}, lambda state: state["turn"] is not None)
        return driven_on(run, 0), "?plan=" + SAFE.replace(" ", "+")
    me = until_the_turn_begins(run)
    if what == "other":
        return next(seat.entry for seat in run.seats.select_related("entry__driver") if seat.entry != me), ""
    return me, query(run)


def begin(page: Page, run: Run, what: str) -> None:
    """Do what the strip shows. Return when the answer is there."""
    if what == "return":
        page.goto(run.get_absolute_url(), wait_until="load")
    elif what == "other":
        with page.expect_response(lambda answer: "/changes/" in answer.url and answer.status == 200, timeout=60_000):
            on_the_road_again(run)
            page.evaluate("window.dispatchEvent(new Event('online'))")  # it asks at once
    elif what == "roll" or (what == "finish" and run.game != "dirt"):
        send(page, PRESS[run.game][0])
    else:
        press(page, run)


def on_the_road_again(run: Run) -> None:
    """Let codrivers drive until a turn is over: that of the car whose turn it is, or of a whole round."""
    rules = registry.get(run.game)
    first = rules.to_play(run.state)[0]
    made = rules.turns_made(run.state, first)
    while rules.turns_made(run.state, first) == made:
        driven_on(run, 1)


def driven_round(run: Run, me: Entry) -> None:
    """Let everybody drive until it is this entry's turn again."""
    rules, seat = registry.get(run.game), str(me.start_number)
    made = rules.turns_made(run.state, seat)
    entry = driven_on(run, 1)
    while rules.turns_made(run.state, seat) == made or entry != me:
        entry = driven_on(run, 1)
