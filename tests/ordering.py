"""Orders the tests for several processes: those that took longest when they were last timed come first.

A long test that begins last keeps one process busy while the others have nothing left to do.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import pytest

TIMED = Path(__file__).with_name("durations.json")
ROOT = TIMED.parents[1]
FOLDERS = sorted({str(ROOT), str(ROOT.resolve()), sys.prefix, tempfile.gettempdir()}, key=len)[::-1]
"""Folders of this machine, the longest first. None is part of what is written down."""
WORTH_KNOWING = 1.0
"""Seconds that a test must take to be written down. For a shorter test the place in the order does not matter."""


def key_of(nodeid: str) -> str:
    """Return the file name and the name of a test. The folder is not part of it: files are moved. Neither is a folder
    of this machine that an id of the test begins with or contains.
    """
    file, _, name = nodeid.partition("::")
    for folder in FOLDERS:
        name = name.replace(f"{folder}/", "")
    return f"{file.rpartition('/')[2]}::{name}"


def timed() -> dict[str, float]:
    """Return the seconds of wall time of the tests that are known to take long."""
    known = json.loads(TIMED.read_text()) if TIMED.exists() else {}
    return {key: took["clock"] for key, took in known.items()}


def shares_a_world(item: pytest.Item) -> bool:
    """Return whether a fixture of the test has the scope of its module.

    Each process would set up that fixture again if the tests of the module ran in several processes.
    """
    if not isinstance(item, pytest.Function):
        return False
    fixture_definitions = item._fixtureinfo.name2fixturedefs.values()
    return any(fixture.scope == "module" for fixtures in fixture_definitions for fixture in fixtures)


def dealt(items: Sequence[pytest.Item], seconds: Mapping[str, float], hands: int) -> list[pytest.Item]:
    """Return the tests in the order in which `hands` processes each get an equal, contiguous part of them.

    Each part begins with its longest tests. The long tests are distributed one by one; the others keep the order in
    which they were collected.
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
    """Adds to each report the processor seconds of its phase in this process and in child processes that have ended."""

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
    """Adds up the time of setup, call and teardown of each test, writes the long ones to TIMED, prints sums by folder.

    Wall time grows when other programs use the machine; processor time does not. The time of browsers and servers that
    outlive a test is only part of its wall time.
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
