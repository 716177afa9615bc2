"""The deadlines app: how long rows wait for people, and what happens then. Its customers register themselves."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DeadlinesConfig(AppConfig):
    name = "championship.deadlines"
    label = "deadlines"
    verbose_name = _("deadlines")
