"""Transactions are opened in services only, a folder holds at most 30 modules, and a small module serves several."""

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
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
SMALL = 40
"""A module of fewer lines belongs into its only importer, or into what it is about."""
STARTED = {
    "__init__",
    "__main__",
    "admin",
    "apps",
    "celery",
    "formats",
    "models",
    "sign_in_urls",
    "tasks",
    "urls",
    "wsgi",
}
"""Names of modules that are started, or that Django or Celery finds by name. They need no importer."""
FOUND = {"commands", "settings", "templatetags"}
"""Names of folders whose modules Django finds: management commands, settings, libraries of template tags."""


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


def imported(source: str, known: Iterable[str]) -> set[str]:
    """Return which of the known modules, by dotted name, the source imports, in functions too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    return names.intersection(known)


def idle(sources: Mapping[PurePath, str]) -> set[str]:
    """Return the small modules that at most one of the modules imports. `sources` are the texts of all modules by path,
    migrations included, which only import.
    """
    dotted = {".".join(path.with_suffix("").parts): path for path in sources}
    importers = Counter(name for text in sources.values() for name in imported(text, dotted))
    return {
        path.as_posix()
        for name, path in dotted.items()
        if path.stem not in STARTED
        and "migrations" not in path.parts
        and path.parent.name not in FOUND
        and len(sources[path].splitlines()) < SMALL
        and importers[name] < 2
    }


def test_only_services_open_transactions():
    opening = {path for path in MODULES if opens_transactions((ROOT / path).read_text("utf-8"))}
    assert len(opening) > 50
    assert {str(path) for path in opening if not is_a_service(path)} == set()


def test_no_folder_is_crowded():
    assert len(MODULES) > 700
    assert crowded(MODULES) == set()


def test_a_small_module_has_several_importers():
    migrations = [path.relative_to(ROOT) for path in (ROOT / "championship").glob("**/migrations/*.py")]
    assert len(migrations) > 20
    assert idle({path: (ROOT / path).read_text("utf-8") for path in (*MODULES, *migrations)}) == set()


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


def test_a_small_module_with_one_importer_is_found():
    sources = {
        PurePath("engine/chess/clock.py"): "TICK = 1\n",
        PurePath("engine/chess/dice.py"): "FACES = 6\n",
        PurePath("engine/chess/board.py"): "SIZE = 8\n" * SMALL,
        PurePath("engine/chess/game.py"): "from engine.chess import clock, dice\n" * SMALL,
        PurePath("engine/chess/odds.py"): "def act():\n    from engine.chess.dice import FACES\n" * SMALL,
        PurePath("championship/games/chess/apps.py"): "",
        PurePath("championship/games/chess/management/commands/play.py"): "",
        PurePath("championship/clubs/alone.py"): "",
        PurePath("championship/clubs/triggers.py"): "",
        PurePath("championship/clubs/migrations/0001_initial.py"): "from championship.clubs import triggers\n",
        PurePath("championship/clubs/migrations/0002_names.py"): "from championship.clubs.triggers import UPPER\n",
    }
    assert idle(sources) == {"engine/chess/clock.py", "championship/clubs/alone.py"}
    assert idle({PurePath("engine/chess/alone.py"): ""}) == {"engine/chess/alone.py"}
