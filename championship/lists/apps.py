"""The lists app: people and results that come from spreadsheets, forums and other programs."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ListsConfig(AppConfig):
    name = "championship.lists"
    label = "lists"
    verbose_name = _("lists")
