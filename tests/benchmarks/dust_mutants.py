"""Random mutants of the rules of Dirt & Dust: `python -m tests.benchmarks.dust_mutants [--mutants N] [--seed N]
[--seconds N] [--keep FILE]`.

A mutant is one small change in a rule module of `engine/dust`: another comparison, sign, number or truth value, a
condition that is always true or false, a missing statement. The rule tests in `tests/games/dust/engine` run on each
mutant in a copy of the engine. Prints those that no test notices: a survivor is a gap in the tests or a change that
makes no difference (tests/MUTATION.md). FILE stores a line for each mutant, so that a sample can be tried in parts.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
RULES = (
    *("characters", "choices", "closing", "final_score", "orders", "scenario", "setup", "viewing"),
    *("cards/boards", "cards/operations", "cards/pools"),
    *("turn/arguments", "turn/card_operations", "turn/damage", "turn/deck", "turn/dice"),
    *("turn/driving", "turn/operation_handlers", "turn/position_track", "turn/preparation", "turn/resolving"),
    *("turn/special", "turn/step_context", "turn/stepping", "turn/steps"),
)
"""The rule modules. Codrivers, odds and wording are tested in other ways."""
TESTS = (
    *("operations", "round", "damage", "setup", "characters", "drafts", "refusals", "solo_and_training", "choices"),
    *("card_sets", "thirty_errors", "table", "game", "second_implementation"),
)
"""The test modules, fast ones first."""
LONGEST = 240
"""Seconds after which a mutant that does not end counts as noticed."""

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
RECKONED: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv}
NAMED = {"min": "max", "max": "min", "all": "any", "any": "all"}


class Mutant(NamedTuple):
    """A module, and a replacement in it: offsets in UTF-8, and the new text."""

    module: str
    line: int
    begin: int
    end: int
    old: str
    new: str


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """Return the possible replacements of a node."""
    new = copy.deepcopy(node)
    if isinstance(new, ast.Compare) and type(new.ops[0]) in COMPARED:
        new.ops[0] = COMPARED[type(new.ops[0])]()
        yield new
    elif isinstance(new, ast.BinOp) and type(new.op) in RECKONED:
        new.op = RECKONED[type(new.op)]()
        yield new
    elif isinstance(new, ast.BoolOp):
        new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
        yield new
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.Not):
        yield new.operand
    elif isinstance(new, ast.Constant) and isinstance(new.value, bool):
        yield ast.Constant(not new.value)
    elif isinstance(new, ast.Constant) and isinstance(new.value, int):
        yield ast.Constant(new.value + 1)
    elif isinstance(new, ast.Call) and isinstance(new.func, ast.Name) and new.func.id in NAMED:
        new.func.id = NAMED[new.func.id]
        yield new
    elif left_out(new):
        yield ast.Pass()


def left_out(node: ast.AST) -> bool:
    """Return whether a statement may be left out: a call, or a change of an attribute or item."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
    return bool(targets) and all(isinstance(one, ast.Attribute | ast.Subscript) for one in targets)


def mutants(module: str) -> Iterator[Mutant]:
    """Return all mutants of a module, inside functions only."""
    text = (ROOT / "engine" / "dust" / f"{module}.py").read_text("utf-8")
    begins = [0]
    for line in text.encode().splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in (one for statement in function.body for one in ast.walk(statement)):
            tested = [(node.test, ast.Constant(told)) for told in (True, False)] if isinstance(node, ast.If) else []
            for old, new in [*((node, one) for one in changed(node)), *tested]:
                begin = begins[old.lineno - 1] + old.col_offset  # type: ignore[attr-defined]
                end = begins[old.end_lineno - 1] + old.end_col_offset  # type: ignore[attr-defined]
                there = text.encode()[begin:end].decode()
                written = ast.unparse(new)
                put = written if isinstance(new, ast.stmt) else f"({written})"
                yield Mutant(module, old.lineno, begin, end, there, put)  # type: ignore[attr-defined]


def noticed(mutant: Mutant) -> bool:
    """Return whether a test fails, or does not end, with this mutant in a copy of the engine."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        shutil.copytree(ROOT / "engine", place / "engine", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "tests" / "engine", place / "tests" / "engine", ignore=shutil.ignore_patterns("records"))
        (place / "tests" / "__init__.py").touch()
        path = place / "engine" / "dust" / f"{mutant.module}.py"
        text = path.read_bytes()
        path.write_bytes(text[: mutant.begin] + mutant.new.encode() + text[mutant.end :])
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:django"]
        command += ["-p", "no:xdist", "-c", os.devnull, "--rootdir", folder, "--import-mode", "importlib"]
        command += [f"tests/games/dust/engine/test_{name}.py" for name in TESTS]
        environment = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            ended = subprocess.run(command, cwd=place, capture_output=True, timeout=LONGEST, env=environment)
        except subprocess.TimeoutExpired:
            return True
        assert ended.returncode in (0, 1, 2, 4), ended.stdout.decode() + ended.stderr.decode()
        return ended.returncode != 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.dust_mutants")
    parser.add_argument("--mutants", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--keep", type=Path)
    return parser.parse_args()


def main() -> int:
    """Try a sample. Returns the exit code: 1 when a mutant survives."""
    wishes, began = arguments(), time.monotonic()
    known: dict[str, bool] = {}
    if wishes.keep and wishes.keep.exists():
        known = dict(json.loads(line) for line in wishes.keep.read_text("utf-8").splitlines())
    drawn = Random(wishes.seed).sample([one for module in RULES for one in mutants(module)], wishes.mutants)
    tried, survived = 0, 0
    for mutant in drawn:
        name = json.dumps(mutant)
        if name not in known:
            if time.monotonic() - began > wishes.seconds:
                continue
            known[name] = noticed(mutant)
            if wishes.keep:
                with wishes.keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps((name, known[name])) + "\n")
        tried += 1
        if not known[name]:
            survived += 1
            print(f"{mutant.module}.py:{mutant.line}: {mutant.old} -> {mutant.new}", flush=True)
    print(f"{tried} mutants, {tried - survived} noticed")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
