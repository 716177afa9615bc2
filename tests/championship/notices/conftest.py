"""Fixtures for tests of webhooks."""

import pytest

from championship.notices import kinds
from tests.championship.notices.receiver import receiver


@pytest.fixture
def place(settings, tmp_path, monkeypatch):
    """A receiver on this machine that accepts posts, and kinds of notices to send to it."""
    settings.EMAIL_BACKEND = "championship.notices.stored_mail.Backend"
    settings.SITE_URL = "https://rally.example"
    (tmp_path / "words.txt").write_text(
        '{% extends "notices/mail/base.txt" %}{% block content %}'
        '{{ rally }} waits. {% translate "Sign in" %}{% endblock %}'
    )
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [*settings.TEMPLATES[0]["DIRS"], tmp_path]}]
    monkeypatch.setattr(kinds, "_kinds", {})
    kinds.register("turn waits", subject="%(rally)s: your turn", body_template="words.txt", switch="a", urgent=True)
    kinds.register(
        "webhook off", subject="Your webhook is switched off", body_template="notices/mail/webhook_off.txt", urgent=True
    )
    kinds.register("podium", subject="%(rally)s is over", body_template="words.txt", public=True)
    with receiver() as place:
        settings.WEBHOOK_ALLOWED_ADDRESSES = place.allowed
        yield place
