"""The seasons app, and its acts in the audit log."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

ACTS = {
    "championship made": _("made the championship"),
    "championship changed": _("changed the championship"),
    "round added": _("added a round"),
    "rally deleted": _("deleted the rally"),
    "championship deleted": _("deleted the championship"),
    "driver registered": _("registered a driver for the season"),
    "drivers registered again": _("registered the drivers of a season before"),
    "calendar changed": _("changed the calendar"),
    "registration withdrawn": _("withdrew a registration for the season"),
    "teams named": _("named the teams"),
}
DETAILS = {
    "championship": _("championship"),
    "rallies": _("rallies"),
    "points": _("points"),
    "drop": _("rounds dropped"),
    "driver": _("driver"),
    "car_class": _("car class"),
    "teams": _("teams"),
    "drivers": _("drivers"),
    "power": _("points of the power stage"),
    "class_points": _("points in a class"),
    "team_counts": _("drivers who score for a team"),
    "tie_breaks": _("tie-breaks"),
    "without_codrivers": _("cars of the codriver do not score"),
    "registered_only": _("only registered drivers score"),
    "classes": _("car classes"),
    "calendar": _("calendar"),
}


class SeasonsConfig(AppConfig):
    name = "championship.seasons"
    label = "seasons"
    verbose_name = _("championships")

    def ready(self) -> None:
        from championship.audit import actions
        from championship.rallies import occasions, seed_orders
        from championship.seasons import selectors
        from championship.seasons.championship_seeding import ChampionshipStandings

        seed_orders.register(ChampionshipStandings())
        occasions.register(selectors.occasion_of)
        for action, label in ACTS.items():
            actions.register(action, label)
        for detail, label in DETAILS.items():
            actions.register_detail(detail, label)
