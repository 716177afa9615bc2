"""What scenes about rallies may ask for."""

import pytest

from championship.rallies import signals


@pytest.fixture
def nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rallies on their own: no runs open when a stage is ready; times are recorded as if driven."""
    monkeypatch.setattr(signals.stage_ready, "receivers", [])
    monkeypatch.setattr(signals.entry_handed_over, "receivers", [])
