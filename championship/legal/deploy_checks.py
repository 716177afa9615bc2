"""What `manage.py check --deploy` says about the legal texts."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core import checks

SETTINGS = ("OPERATOR_NAME", "OPERATOR_MAIL", "OPERATOR_ADDRESS")


def operator_is_named(**_options: Any) -> list[checks.CheckMessage]:
    """Warn about each setting without which the imprint does not say who runs the installation."""
    return [
        checks.Warning(f"{name} is empty: the imprint does not name the operator.", id=f"legal.W00{number}")
        for number, name in enumerate(SETTINGS, start=1)
        if not getattr(settings, name).strip()
    ]
