from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class NoticesConfig(AppConfig):
    name = "championship.notices"
    label = "notices"
    verbose_name = _("notices")
