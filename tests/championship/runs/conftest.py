"""What scenes about runs may ask for."""

import pytest


@pytest.fixture
def mailbox(settings) -> None:
    """Mail goes into the table of sent mail, as in the demo."""
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
