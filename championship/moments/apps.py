"""A club's moments: highlights of its rallies and championships, with comments and cheers of its members."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MomentsConfig(AppConfig):
    name = "championship.moments"
    label = "moments"
    verbose_name = _("moments")

    def ready(self) -> None:
        from championship.audit import actions
        from championship.deadlines.services import scheduled_actions
        from championship.moments.services import Highlights

        actions.register("comment hidden", _("hid a comment"))
        scheduled_actions.register(Highlights())
