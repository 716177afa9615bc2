"""The seasons app, and how its acts read in the log."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

ACTS = {
    "championship made": _("made the championship"),
    "championship changed": _("changed the championship"),
    "round added": _("added a round"),
    "driver registered": _("registered a driver for the season"),
    "registration withdrawn": _("withdrew a registration for the season"),
    "teams named": _("named the teams"),
}
DETAILS = {
    "championship": _("championship"),
    "points": _("points"),
    "drop": _("rounds dropped"),
    "driver": _("driver"),
    "car_class": _("car class"),
    "teams": _("teams"),
}


class SeasonsConfig(AppConfig):
    name = "championship.seasons"
    label = "seasons"
    verbose_name = _("championships")

    def ready(self) -> None:
        from championship.audit import actions

        for action, label in ACTS.items():
            actions.register(action, label)
        for detail, label in DETAILS.items():
            actions.register_detail(detail, label)
