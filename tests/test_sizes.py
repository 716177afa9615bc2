"""A module has at most 500 lines and a function at most 60. Migrations are left out: they are history."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("championship", "engine", "tests", "examples", "templates", "static", "deploy", "locale")
SOURCES = [
    path
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".js", ".css", ".html", ".sh") and "migrations" not in path.parts and path.is_file()
]
LINES, OF_A_FUNCTION = 500, 60


def lines_of(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def test_no_module_is_longer_than_the_limit():
    assert len(SOURCES) > 1000
    assert {str(path.relative_to(ROOT)): found for path in SOURCES if (found := lines_of(path)) > LINES} == {}


def test_every_function_fits_on_a_screen():
    long = {
        f"{path.relative_to(ROOT)}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in SOURCES
        if path.suffix == ".py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > OF_A_FUNCTION
    }
    assert long == {}
