"""Services send tasks by name. Each name is that of a task, in the module that the name begins with."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from celery.exceptions import NotRegistered

from championship.platform import task_dispatch

ROOT = Path(task_dispatch.__file__).parent.parent


def names_in(source: str) -> set[str]:
    """Return the names with which a module's source calls `task_dispatch.named`."""
    return {
        ast.literal_eval(call.args[0])
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "task_dispatch.named"
    }


NAMES = sorted(name for path in ROOT.rglob("*.py") for name in names_in(path.read_text("utf-8")))


def test_every_task_that_a_service_names_is_one():
    assert len(NAMES) > 5
    assert [task_dispatch.named(name).name for name in NAMES] == NAMES


def test_a_process_that_has_imported_no_task_finds_it_by_name():
    told = "import django; django.setup(); from championship.platform.task_dispatch import named; "
    told += "import sys; assert 'championship.papers.tasks' not in sys.modules; "
    told += "print(named('championship.papers.tasks.make_paper').name)"
    found = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "championship.papers.tasks.make_paper"


@pytest.mark.parametrize("name", ["championship.papers.tasks.nothing", "championship.papers.services.is_big"])
def test_what_is_no_task_is_refused(name):
    with pytest.raises(NotRegistered):
        task_dispatch.named(name)
