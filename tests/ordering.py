"""Which tests begin a run on several processes: those that took longest when they were last timed.

A long test that begins last keeps one process busy while the others have nothing left to do.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import pytest

TIMED = Path(__file__).with_name("durations.json")
WORTH_KNOWING = 1.0
"""Seconds below which it does not matter when a test begins."""


def key_of(nodeid: str) -> str:
    """What a test is known by: its file and name, wherever the file lies."""
    file, _, name = nodeid.partition("::")
    return f"{file.rpartition('/')[2]}::{name}"


def timed() -> dict[str, float]:
    """Seconds by the clock of the tests that are known to take long."""
    known = json.loads(TIMED.read_text()) if TIMED.exists() else {}
    return {key: took["clock"] for key, took in known.items()}


def shares_a_world(item: pytest.Item) -> bool:
    """Whether a fixture of the test is made once for its module: tests that part would have it made anew."""
    if not isinstance(item, pytest.Function):
        return False
    made = item._fixtureinfo.name2fixturedefs.values()
    return any(fixture.scope == "module" for fixtures in made for fixture in fixtures)


def dealt(items: Sequence[pytest.Item], seconds: Mapping[str, float], hands: int) -> list[pytest.Item]:
    """The tests in the order in which `hands` processes get equal runs of them, each the longest of its run first.

    The long ones are dealt out one by one like cards; all others stay together as they were collected.
    """
    known = sorted((item for item in items if key_of(item.nodeid) in seconds), key=lambda i: -seconds[key_of(i.nodeid)])
    others = iter([item for item in items if key_of(item.nodeid) not in seconds])
    order: list[pytest.Item] = []
    for hand in range(hands):
        size = (len(items) - len(order)) // (hands - hand)
        first = known[hand::hands]
        order += [*first, *islice(others, max(0, size - len(first)))]
    return order + list(others)


class Processor:
    """Notes in each report how much processor time the phase took in this process, and in those that it waited for."""

    def __init__(self) -> None:
        self.before = 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self) -> Generator[None, None, None]:
        self.before = _processor_seconds()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        now = _processor_seconds()
        report.processor, self.before = now - self.before, now
        return report


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Stopwatch:
    """Sums up what setup, call and teardown of each test took, writes down the long ones, and sums up by folder.

    By the clock a test takes longer where others are at work on the machine; what it asks of the processor stays. The
    time of browsers and servers that outlive a test is in the clock's alone.
    """

    def __init__(self) -> None:
        self.clock: Counter[str] = Counter()
        self.processor: Counter[str] = Counter()
        self.folders: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        key, processor = key_of(report.nodeid), getattr(report, "processor", 0.0)
        self.clock[key] += report.duration  # type: ignore[assignment]
        self.processor[key] += processor
        self.folders[report.nodeid.partition("::")[0].rpartition("/")[0]] += processor

    def pytest_sessionfinish(self) -> None:
        long = {
            key: {"clock": round(took, 1), "processor": round(self.processor[key], 1)}
            for key, took in sorted(self.clock.items())
            if took >= WORTH_KNOWING
        }
        TIMED.write_text(json.dumps(long, indent=1, ensure_ascii=False) + "\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("processor seconds by folder")
        for folder, seconds in self.folders.most_common():
            terminalreporter.line(f"{seconds:8.1f} {folder}")
