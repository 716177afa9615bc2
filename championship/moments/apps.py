"""A club's moments: highlights of its rallies and championships, and members' comments on them."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MomentsConfig(AppConfig):
    name = "championship.moments"
    label = "moments"
    verbose_name = _("moments")

    def ready(self) -> None:
        from championship.audit import actions

        actions.register("comment hidden", _("hid a comment"))
