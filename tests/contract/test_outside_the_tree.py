"""One setting installs a game from outside the tree."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOW = """
import django
django.setup()
from championship import catalogue
from engine import registry
print(*catalogue.names(), *registry.outside())
"""
APP = """
from django.apps import AppConfig


class AwayConfig(AppConfig):
    name = "away"

    def ready(self):
        from away.rules import game
        from championship.catalogue import Game, register

        register(Game("away", engine=game, title="Away"))
"""
RULES = """
from tests.contract.toys.dash import Dash


class Away(Dash):
    name = "away"
    title = "Away"


game = Away()
"""


def installed(**setting: str) -> list[str]:
    """Return the games of a process with that setting, and those of them that are from outside the tree."""
    env = {name: value for name, value in os.environ.items() if name != "GAME_APPS"}
    env |= {"DJANGO_SETTINGS_MODULE": "championship.settings.test", **setting}
    ran = subprocess.run([sys.executable, "-c", SHOW], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    return ran.stdout.split()


@pytest.mark.slow
def test_one_setting_installs_a_game_from_anywhere(tmp_path: Path) -> None:
    folder = tmp_path / "away"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "apps.py").write_text(APP)
    (folder / "rules.py").write_text(RULES)
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    own = installed(PYTHONPATH=path)
    assert "away" not in own
    assert installed(PYTHONPATH=path, GAME_APPS="away") == [*own, "away", "away"]
    both = installed(PYTHONPATH=path, GAME_APPS="tests.contract.toys, away")
    toys = ["dash", "haul", "hush", "laps", "vectors"]
    assert both == [*own, *toys, "away", "away", *toys]
