"""Installs the toy games for tests that drive them through the service."""

from collections.abc import Iterator

import pytest
from django.apps import AppConfig

from championship import catalogue
from engine import registry
from tests.contract.toys.apps import ToysConfig


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
