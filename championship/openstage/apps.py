"""The open stage: each week a stage that everybody may drive."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OpenStageConfig(AppConfig):
    name = "championship.openstage"
    label = "openstage"
    verbose_name = _("open stages")

    def ready(self) -> None:
        from championship.openstage import result_notices

        result_notices.register()
