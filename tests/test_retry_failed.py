"""If CI is set, failed tests run once more: a test that fails again fails, one that passes is printed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("retry_failed.py")
PLUGINS = ("-p", "xdist.plugin")
STEADY = "def test_steady(): assert False\n"
UNSTEADY = """
from pathlib import Path

def test_unsteady():
    been = Path("been")
    seen = been.exists()
    been.touch()
    assert seen
"""
UNREAD = """
import os
assert os.environ.get("PYTEST_XDIST_WORKER") != "gw1"
"""
PASSING = "def test_passing(): pass\n"
MANY = "import pytest\n\n@pytest.mark.parametrize('number', range(11))\ndef test_one_of_many(number): assert False\n"


def run(folder: Path, tests: str, *options: str, ci: bool = True) -> tuple[int, str]:
    """Return the exit code and the output."""
    (folder / "test_it.py").write_text(tests)
    there = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("PYTEST_")}
    there |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "UNSTEADY_TESTS": str(folder / "unsteady")}
    there |= {"CI": "true"} if ci else {}
    command = [sys.executable, str(PROGRAM), *PLUGINS, *options]
    told = subprocess.run(command, cwd=folder, env=there, capture_output=True, text=True)
    return told.returncode, told.stdout + told.stderr


def text_of(file: Path) -> str:
    return file.read_text() if file.exists() else ""


@pytest.mark.parametrize(
    ("tests", "ci", "code", "again"),
    [
        (UNSTEADY + PASSING, True, 0, True),
        (UNSTEADY + STEADY, True, 1, True),
        (UNSTEADY, False, 1, False),
        (MANY, True, 1, False),
        ("import nothing_there\n", True, 2, False),
        (UNREAD + "def test_it(): pass\n", True, 1, False),
    ],
    ids=["unsteady", "steady", "not in CI", "too many", "broken off", "not read by one process"],
)
def test_what_failed_is_tried_once_more(tmp_path: Path, tests: str, ci: bool, code: int, again: bool) -> None:
    found, said = run(tmp_path, tests, "-n2" if STEADY in tests or UNREAD in tests else "-n0", ci=ci)
    assert found == code, said
    assert ("Tried once more, alone:" in said) == again
    assert ("Passed the second time" in said) == (again and not code)
    assert said.count("test_passing") == 0, "what passed is not run again"
    unsteady = text_of(tmp_path / "unsteady")
    assert unsteady == ("test_it.py::test_unsteady\n" if again and not code else "")
