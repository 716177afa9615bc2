"""The lists app: people and results that come from spreadsheets, forums and other programs."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ListsConfig(AppConfig):
    name = "championship.lists"
    label = "lists"
    verbose_name = _("lists")

    def ready(self) -> None:
        from championship.lists.services.uploads import delete_old_drafts
        from championship.platform import retention

        retention.register("lists", delete_old_drafts)
