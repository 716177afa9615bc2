"""The app of the legal texts. `manage.py check --deploy` warns of an imprint without a name."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.utils.translation import gettext_lazy as _

SETTINGS = ("OPERATOR_NAME", "OPERATOR_MAIL", "OPERATOR_ADDRESS")


def operator_is_named(**_options: Any) -> list[checks.CheckMessage]:
    """Warn about each setting without which the imprint does not say who runs the installation."""
    return [
        checks.Warning(f"{name} is empty: the imprint does not name the operator.", id=f"legal.W00{number}")
        for number, name in enumerate(SETTINGS, start=1)
        if not getattr(settings, name).strip()
    ]


class LegalConfig(AppConfig):
    name = "championship.legal"
    label = "legal"
    verbose_name = _("legal texts")

    def ready(self) -> None:
        from django.core import checks

        from championship.audit import actions

        checks.register(operator_is_named, deploy=True)
        actions.register("legal text written", _("wrote a legal text"))
        actions.register("legal text removed", _("went back to the default of a legal text"))
