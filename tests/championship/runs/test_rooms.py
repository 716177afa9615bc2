"""The rooms of runs: what watches a run writes nothing. Who imports whom is checked by import contracts."""

import ast
from pathlib import Path

import pytest

from championship.runs import watch

WRITES = {
    *("save", "create", "bulk_create", "bulk_update", "get_or_create", "update_or_create", "delete", "raw_delete"),
    *("select_for_update", "atomic", "on_commit", "enqueue", "enqueue_many"),
}


def writes_in(source: str) -> list[str]:
    """Return the calls in the source that write, lock or open a transaction. An `update` with names is a query's."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in WRITES:
            found.append(ast.unparse(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update":
            found += [ast.unparse(node)] if node.keywords else []
    return found


def test_what_watches_a_run_writes_nothing():
    modules = sorted(Path(watch.__path__[0]).glob("*.py"))
    assert len(modules) > 10
    assert {path.name: found for path in modules if (found := writes_in(path.read_text("utf-8")))} == {}


@pytest.mark.parametrize(
    "line",
    [
        "turn.save()",
        "Seat.objects.filter(pk=1).update(held=None)",
        "with transaction.atomic():\n    pass",
        "f = run.delete",
    ],
)
def test_a_write_is_found(line):
    assert writes_in(line)


def test_a_set_may_be_updated():
    assert writes_in("seen.update(found)") == []
