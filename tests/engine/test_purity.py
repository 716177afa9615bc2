"""The engine has no clock, no random source, no network: the same orders always give the same result."""

from __future__ import annotations

import ast
from pathlib import Path

import engine
from engine.chance import SeededChance
from tests.games.dirt.engine.scenes import RULES, Scene

ENGINE = Path(str(engine.__file__)).parent
WORLDLY = {
    "random",
    "secrets",
    "time",
    "datetime",
    "os",
    "socket",
    "threading",
    "asyncio",
    "subprocess",
    "urllib",
    "logging",
}
CLOCKS = {"benchmark.py": {"time"}, "contest.py": {"time"}, "stopwatch.py": {"time"}}
"""Modules that measure the others need a clock."""
READERS = {
    *("commands.py", "ladder.py"),
    *("dirt/commands.py", "dirt/facts.py"),
    *("dust/commands.py", "dust/contest.py", "dust/facts.py", "dust/ledger.py", "dust/cards/card_set_reading.py"),
    *("formula_d/facts.py", "formula_d/track.py"),
}
"""The command line, and the modules that read the data files of a game."""


def test_the_engine_imports_nothing_worldly() -> None:
    for source in ENGINE.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text("utf-8"))):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            found = WORLDLY & {name.partition(".")[0] for name in names}
            assert found <= CLOCKS.get(source.name, set()), source.name


def test_only_the_command_line_and_the_facts_read_files() -> None:
    readers = {
        str(source.relative_to(ENGINE)) for source in ENGINE.rglob("*.py") if "read_text" in source.read_text("utf-8")
    }
    assert readers == READERS


def test_the_same_orders_and_chance_come_to_the_same_twice() -> None:
    ends = []
    for _ in range(2):
        state = Scene("6/2", "ana", "bo").state
        chance = SeededChance(bytes(32))
        while playing := RULES.to_play(state):
            state, _ = RULES.play(state, playing[0], RULES.autopilot(state, playing[0]), chance)
        ends.append(state)
    assert ends[0] == ends[1]
