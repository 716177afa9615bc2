"""The imports of modules contain no cycle: neither those that run when a module is imported, nor those in functions."""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent


def modules() -> dict[str, Path]:
    """Return the modules of the service and the engine by dotted name."""
    found = {}
    for folder in ("championship", "engine"):
        for path in (ROOT / folder).rglob("*.py"):
            if "migrations" not in path.parts:
                name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
                found[name.removesuffix(".__init__")] = path
    return found


def imports_in(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports, in functions as well, without those for type checking."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)):
            yield from imports_in(child)


def imported(source: str, known: Mapping[str, Path]) -> set[str]:
    """Return which of the known modules the source imports."""
    names: set[str] = set()
    for found in imports_in(ast.parse(source)):
        if isinstance(found, ast.Import):
            names.update(each.name for each in found.names)
        elif found.module:
            whole = {f"{found.module}.{each.name}" for each in found.names}
            names |= {name if name in known else found.module for name in whole}
    return names & known.keys()


def first_cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """Return a cycle of modules, or [] when there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_modules_do_not_import_each_other_in_a_cycle():
    known = modules()
    graph = {name: imported(path.read_text("utf-8"), known) - {name} for name, path in known.items()}
    assert len(graph) > 500
    assert first_cycle(graph) == []


def test_a_cycle_is_found():
    known = {name: Path(name) for name in ("championship.a", "championship.b", "championship.c")}
    told = {
        "championship.a": "from championship import b\n",
        "championship.b": "import championship.c\n",
        "championship.c": "if TYPE_CHECKING:\n    from championship.b import x\nfrom championship.a import y\n",
    }
    assert set(first_cycle({name: imported(text, known) for name, text in told.items()})) == known.keys()
    assert imported("def f():\n    from championship import b\n", known) == {"championship.b"}
    assert imported("if TYPE_CHECKING:\n    from championship import b\n", known) == set()
