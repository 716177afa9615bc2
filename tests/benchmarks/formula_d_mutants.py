"""Random mutants of the rules of Formula D: `python -m tests.benchmarks.formula_d_mutants [--mutants N] [--seed S]`.

Each mutant changes one thing in one rule module. The tests of the rules run on it in a separate process, which ends at
the first failure. The source files are not changed. Prints a line for each mutant, and the survivors at the end. See
tests/MUTATION.md.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.util
import os
import random
import signal
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

PACKAGE = "engine.formula_d"
MODULES = """choices ending fold gears movement.moving movement.path_price movement.reach movement.slipstream
movement.walk phases pits qualifying race setup start table track track_files turn weather"""
TESTS = """driven_scenes braking contact corners gears movement order retirement pits qualifying setup slipstream
weather_tyres refusals track track_files perft replayed game"""
SECONDS = 240
KILLED_BY_TIME = -signal.SIGALRM

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
RECKONED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip


def idle(tree: ast.Module) -> set[int]:
    """Return the nodes without effect at run time, by identity: docstrings, annotations, imports, decorators."""
    parts: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            parts.append(node)
        elif isinstance(node, ast.AnnAssign | ast.arg):
            parts += [node.annotation] if node.annotation else []
        elif isinstance(node, ast.FunctionDef):
            parts += [*node.decorator_list, *([node.returns] if node.returns else [])]
        elif isinstance(node, ast.Import | ast.ImportFrom):
            parts.append(node)
    return {id(node) for part in parts for node in ast.walk(part)}


def mutants(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield every change: a node, and its replacement."""
    skipped = idle(tree)
    for node in ast.walk(tree):
        if id(node) not in skipped:
            yield from ((node, new) for new in changed(node))


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the possible replacements of a node."""
    match node:
        case ast.Compare(left, ops, comparators):
            for place, op in enumerate(ops):
                others = [*ops[:place], COMPARED[type(op)](), *ops[place + 1 :]]
                yield ast.Compare(left, others, comparators)
        case ast.BinOp(left, op, right) if type(op) in RECKONED:
            yield ast.BinOp(left, RECKONED[type(op)](), right)
        case ast.AugAssign(target, op, value) if type(op) in RECKONED:
            yield ast.AugAssign(target, RECKONED[type(op)](), value)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.And() if isinstance(op, ast.Or) else ast.Or(), values)
            yield from (ast.BoolOp(op, [*values[:place], *values[place + 1 :]]) for place in range(len(values)))
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() as value):
            yield ast.Constant(value + 1)
        case ast.Constant(str() as value):
            yield ast.Constant(f"XX{value}XX")
        case ast.IfExp(test, body, orelse):
            yield from (body, orelse)
        case ast.If(test, body, orelse):
            yield from (ast.If(ast.BoolOp(op, [test, ast.Constant(to)]), body, orelse) for op, to in ALWAYS_OR_NEVER)
        case ast.Expr(ast.Call()) | ast.Continue() | ast.Break():
            yield ast.Pass()
        case ast.Call(func, args, keywords):
            for place in range(len(keywords)):
                yield ast.Call(func, args, [*keywords[:place], *keywords[place + 1 :]])
        case ast.Return(ast.expr()):
            yield ast.Return(ast.Constant(None))


ALWAYS_OR_NEVER: tuple[tuple[ast.boolop, bool], ...] = ((ast.Or(), True), (ast.And(), False))


class Swap(ast.NodeTransformer):
    """Replaces one node by another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """Return the node, or the other one."""
        return self.new if node is self.old else super().generic_visit(node)


class Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from changed source."""

    def __init__(self, module: str, source: str) -> None:
        self.module, self.source = module, source

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        """Return the spec of the module, with this object as its loader."""
        return importlib.util.spec_from_loader(name, self) if name == self.module else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed source."""
        exec(compile(self.source, self.module, "exec"), module.__dict__)


def survives(module: str, source: str) -> bool:
    """Return whether the tests pass on a module with this source. A mutant that never ends does not survive."""
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        sys.meta_path.insert(0, Mutated(f"{PACKAGE}.{module}", source))
        plain = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
        os._exit(
            int(pytest.main([*plain, *(f"tests/games/formula_d/engine/test_{name}.py" for name in TESTS.split())]))
        )
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def source_of(module: str) -> str:
    """Return the source of a module."""
    return Path(*f"{PACKAGE}.{module}".split(".")).with_suffix(".py").read_text("utf-8")


def tried(module: str, number: int) -> str:
    """Try a mutant of a module. Return a line about it if it survives, else ""."""
    tree = ast.parse(source_of(module))
    old, new = list(mutants(tree))[number]
    what = f"{module}.py:{getattr(old, 'lineno', 0)}: {first_line(old)} -> {first_line(new)}"
    source = ast.unparse(ast.fix_missing_locations(Swap(old, new).visit(tree)))
    return what if survives(module, source) else ""


def first_line(node: ast.AST) -> str:
    """Return the first line of a node's source."""
    return ast.unparse(ast.fix_missing_locations(node)).splitlines()[0]


def sample(count: int, seed: int, modules: Sequence[str]) -> list[tuple[str, int]]:
    """Return so many mutants: modules, and numbers of their mutants."""
    every = [(name, number) for name in modules for number, _ in enumerate(mutants(ast.parse(source_of(name))))]
    return random.Random(seed).sample(every, min(count, len(every)))


def main() -> int:
    """Try the requested mutants. Returns the exit code: 1 when one survives."""
    parser = argparse.ArgumentParser(description="Random mutants of the rules of Formula D.")
    parser.add_argument("--mutants", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("modules", nargs="*", default=MODULES.split())
    asked = parser.parse_args()
    survivors: list[str] = []
    drawn = sample(asked.mutants, asked.seed, asked.modules)
    for count, (module, number) in enumerate(drawn, 1):
        found = tried(module, number)
        survivors += [found] if found else []
        print(f"{count} of {len(drawn)}: {module} {'survives' if found else 'is killed'}", flush=True)
    print("\n".join(["survivors:", *survivors] if survivors else ["all are killed"]))
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
