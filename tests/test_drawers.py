"""Transactions are opened in services only, and a folder holds at most 30 modules."""

import ast
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePath

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    path.relative_to(ROOT)
    for folder in ("championship", "engine")
    for path in (ROOT / folder).rglob("*.py")
    if "migrations" not in path.parts
)
MOST = 30
"""Modules in a folder, without its `__init__`."""


def opens_transactions(source: str) -> bool:
    """Whether a module's source names Django's `atomic`, as `transaction.atomic` or by itself."""
    return any(
        (isinstance(node, ast.Attribute) and node.attr == "atomic")
        or (isinstance(node, ast.Name) and node.id == "atomic")
        or (isinstance(node, ast.ImportFrom) and any(each.name == "atomic" for each in node.names))
        for node in ast.walk(ast.parse(source))
    )


def is_a_service(path: PurePath) -> bool:
    """Whether a module may open transactions: it lies in services, or it is a write of a run."""
    return "services" in path.parts or path.name == "services.py" or path.parts[:3] == ("championship", "runs", "play")


def crowded(paths: Iterable[PurePath]) -> set[str]:
    """Return the folders that hold too many of these modules."""
    held = Counter(path.parent.as_posix() for path in paths if path.name != "__init__.py")
    return {folder for folder, number in held.items() if number > MOST}


def test_only_services_open_transactions():
    opening = {path for path in MODULES if opens_transactions((ROOT / path).read_text("utf-8"))}
    assert len(opening) > 50
    assert {str(path) for path in opening if not is_a_service(path)} == set()


def test_no_folder_is_crowded():
    assert len(MODULES) > 700
    assert crowded(MODULES) == set()


def test_a_transaction_outside_services_is_found():
    for source in (
        "@transaction.atomic\ndef act():\n    pass\n",
        "def act():\n    with transaction.atomic():\n        pass\n",
        "from django.db.transaction import atomic as together\n",
        "@atomic\ndef act():\n    pass\n",
    ):
        assert opens_transactions(source)
    assert not opens_transactions('"""Runs in transaction.atomic()."""\nrow.save()\n')
    assert not is_a_service(PurePath("championship/clubs/views.py"))
    assert not is_a_service(PurePath("championship/runs/pages/views.py"))
    assert is_a_service(PurePath("championship/clubs/services/members.py"))
    assert is_a_service(PurePath("championship/stewards/services.py"))
    assert is_a_service(PurePath("championship/runs/play/turn.py"))


def test_a_crowded_folder_is_found():
    full = [PurePath(f"championship/clubs/module_{number}.py") for number in range(MOST)]
    assert crowded([*full, PurePath("championship/clubs/__init__.py")]) == set()
    assert crowded([*full, PurePath("championship/clubs/one_more.py")]) == {"championship/clubs"}
