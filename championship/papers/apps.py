"""The papers app: PDF, CSV and pictures of rallies, and the cache of those of big rallies."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PapersConfig(AppConfig):
    name = "championship.papers"
    label = "papers"
    verbose_name = _("papers")

    def ready(self) -> None:
        from championship.papers import services
        from championship.platform import retention

        retention.register("papers", services.delete_old)
