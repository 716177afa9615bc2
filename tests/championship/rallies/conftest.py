"""Fixtures for tests of rallies."""

import pytest

from championship.rallies import signals


@pytest.fixture
def nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disconnect the receivers of rally signals: no runs open when a stage is ready. Tests record the times."""
    monkeypatch.setattr(signals.stage_ready, "receivers", [])
    monkeypatch.setattr(signals.entry_handed_over, "receivers", [])
