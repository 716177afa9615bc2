from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LineageConfig(AppConfig):
    name = "championship.lineage"
    label = "lineage"
    verbose_name = _("history of the database")

    def ready(self) -> None:
        from championship.lineage.services import check_connections

        check_connections()
