"""One setting registers a game from outside the tree."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
APP = """
from types import SimpleNamespace
from django.apps import AppConfig

class FarConfig(AppConfig):
    name = "far_game"

    def ready(self):
        from championship.catalogue import Game, register
        register(Game("far", engine="far_game.rules", title="Far away"))
"""
RULES = """
from types import SimpleNamespace

def game():
    return SimpleNamespace(name="far", title="Far away", version="1", options=())
"""
ASK = """
import django
django.setup()
from championship import catalogue
from engine import registry
print(catalogue.names()[-1], catalogue.get("far"), registry.get("far").version)
"""


def test_a_game_outside_the_tree_is_installed_by_the_setting_that_names_its_app(tmp_path: Path) -> None:
    package = tmp_path / "far_game"
    package.mkdir()
    for name, text in {"__init__.py": "", "apps.py": APP, "rules.py": RULES}.items():
        (package / name).write_text(text, encoding="utf-8")
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    environment = {**os.environ, "GAME_APPS": " far_game ,", "PYTHONPATH": path}

    asked = subprocess.run(
        [sys.executable, "-c", ASK], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240
    )

    assert asked.stdout.split("\n")[0] == "far Far away 1", asked.stderr
