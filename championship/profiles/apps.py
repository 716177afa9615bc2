"""A driver's public page, for drivers who want one."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ProfilesConfig(AppConfig):
    name = "championship.profiles"
    label = "profiles"
    verbose_name = _("public profiles")
