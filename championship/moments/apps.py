"""A club's moments: what its rallies and championships brought, and what members say to it."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MomentsConfig(AppConfig):
    name = "championship.moments"
    label = "moments"
    verbose_name = _("moments")

    def ready(self) -> None:
        from championship.audit import actions

        actions.register("comment hidden", _("hid a comment"))
