"""Installs the toy games for tests that drive them through the service."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.apps import AppConfig
from django.template import engines
from django.utils.translation import trans_real

from championship import catalogue
from engine import registry
from tests.contract.toys.apps import ToysConfig

TOYS = Path(__file__).parent / "toys"


@pytest.fixture
def toys() -> Iterator[None]:
    """Register the toys, as the setting with their app would. Remove them afterwards."""
    before = dict(catalogue._GAMES)
    if "dash" not in before:
        AppConfig.create(f"{ToysConfig.__module__}.{ToysConfig.__name__}").ready()
    yield
    for name in set(catalogue.names()) - set(before):
        registry.remove(name)
    catalogue._GAMES.clear()
    catalogue._GAMES.update(before)


@pytest.fixture
def toys_with_pages(toys: None, settings: Any, tmp_path: Path) -> Iterator[None]:
    """Register the toys with their templates and translations, as a setting that installs their app would."""
    for language in ("de", "pl"):
        place = Path(language) / "LC_MESSAGES"
        (tmp_path / place).mkdir(parents=True)
        with (TOYS / "locale" / place / "django.po").open("rb") as text:
            catalogue_of_toys = read_po(text)
        with (tmp_path / place / "django.mo").open("wb") as compiled:
            write_mo(compiled, catalogue_of_toys)
    settings.LOCALE_PATHS = [*settings.LOCALE_PATHS, tmp_path]
    engine = engines["django"].engine
    engine.dirs = [*engine.dirs, TOYS / "templates"]
    trans_real._translations = {}
    yield
    engine.dirs = engine.dirs[:-1]
    trans_real._translations = {}
