"""Fixtures for tests of runs."""

import pytest


@pytest.fixture
def mailbox(settings) -> None:
    """Store sent mail in the SentMail table, as the demo does."""
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
