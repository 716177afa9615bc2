"""The engine imports only itself and the standard library."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "engine").rglob("*.py"))


def imported(source: Path) -> Iterator[str]:
    """Yield the top-level packages that a file imports, but for relative imports."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.split(".")[0]


def test_there_is_an_engine() -> None:
    assert SOURCES


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.relative_to(ROOT)))
def test_the_engine_imports_only_the_standard_library_and_itself(source: Path) -> None:
    assert set(imported(source)) <= sys.stdlib_module_names | {"engine"}
