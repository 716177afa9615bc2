from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ClubsConfig(AppConfig):
    name = "championship.clubs"
    label = "clubs"

    def ready(self) -> None:
        from championship.audit import actions

        actions.register("club founded", _("founded the club"))
        actions.register("invitation made", _("made an invitation"))
        actions.register("invitation withdrawn", _("withdrew an invitation"))
        actions.register("joined", _("joined by invitation"))
        actions.register("roles changed", _("changed the roles of a member"))
        actions.register("member removed", _("removed a member"))
        actions.register("left", _("left the club"))
