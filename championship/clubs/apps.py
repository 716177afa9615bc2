from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ClubsConfig(AppConfig):
    name = "championship.clubs"
    label = "clubs"
    verbose_name = _("clubs")

    def ready(self) -> None:
        from championship.audit import actions
        from championship.clubs.models import Role

        actions.register("club founded", _("founded the club"))
        actions.register("invitation made", _("made an invitation"))
        actions.register("invitation withdrawn", _("withdrew an invitation"))
        actions.register("joined", _("joined by invitation"))
        actions.register("roles changed", _("changed the roles of a member"))
        actions.register("member removed", _("removed a member"))
        actions.register("left", _("left the club"))
        actions.register("webhook set", _("set the club's webhook"))
        actions.register("webhook removed", _("removed the club's webhook"))
        actions.register_detail("shape", _("shape"))
        actions.register("holidays allowed", _("changed the days of holiday a year"))
        actions.register("holiday taken", _("took a holiday"))
        actions.register("holiday given back", _("gave the rest of a holiday back"))
        actions.register_detail("first_day", _("first day"))
        actions.register_detail("last_day", _("last day"))
        for name, label in (("roles", _("roles")), ("before", _("before")), ("after", _("after"))):
            actions.register_detail(name, label, Role.choices)
        actions.register_detail("days", _("days"))
        actions.register_detail("people", _("people"))
        actions.register_detail("invitation", _("invitation"))
