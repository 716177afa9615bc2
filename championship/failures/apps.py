"""The failures app: units of background work that failed, so that each waits alone and operators see it."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class FailuresConfig(AppConfig):
    name = "championship.failures"
    label = "failures"
    verbose_name = _("failures of background work")

    def ready(self) -> None:
        from championship.failures import services
        from championship.failures.services import claims
        from championship.platform import retention

        retention.register(
            "failures", lambda before: services.forget_old(before=before) + claims.forget_old(before=before)
        )
