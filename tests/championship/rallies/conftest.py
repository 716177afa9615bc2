"""Fixtures for tests of rallies."""

import pytest

from tests.championship.rallies.followers import nobody_follows


@pytest.fixture
def nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rallies without the apps that follow them: no runs open when a stage is ready. Tests record the times."""
    nobody_follows(monkeypatch)
