"""The stewards app: its notice kinds, and its acts in the audit log."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

ACTS = {
    "protest filed": _("filed a protest"),
    "protest withdrawn": _("withdrew a protest"),
    "decision taken": _("took a decision"),
    "terms set": _("set the time limits for protests and appeals"),
    "statement given": _("answered a protest"),
    "points rule set": _("set what penalty points mean"),
}
DETAILS = {
    "rally": _("rally"),
    "entry": _("entry"),
    "against": _("against"),
    "stage": _("stage"),
    "decision": _("decision"),
    "number": _("number"),
    "seconds": _("seconds"),
    "points": _("points"),
    "places": _("places"),
    "protest_hours": _("hours to protest"),
    "appeal_hours": _("hours to appeal"),
    "answer_hours": _("hours for a statement"),
    "ban_at": _("penalty points for a ban"),
    "rounds": _("rounds to sit out"),
}


class StewardsConfig(AppConfig):
    name = "championship.stewards"
    label = "stewards"
    verbose_name = _("stewards")

    def ready(self) -> None:
        from championship.audit import actions
        from championship.evenings.stop import stopping
        from championship.notices import kinds
        from championship.rallies.followers import entry_followers
        from championship.seasons.rulings_told import judges
        from championship.stewards.models import Decision
        from championship.stewards.penalty_points import BannedDrivers
        from championship.stewards.selectors import Stewards
        from championship.stewards.services.shortening import end_at_last_split

        entry_followers.register(BannedDrivers())
        judges.register(Stewards())
        stopping.register(end_at_last_split)

        for action, label in ACTS.items():
            actions.register(action, label)
        for detail, label in DETAILS.items():
            actions.register_detail(detail, label)
        actions.register_detail("kind", _("decision"), Decision.Kind.choices)
        actions.register_detail("split", _("split"))
        kinds.register(
            "protest filed",
            subject=_("%(rally)s: a protest or an appeal is filed"),
            body_template="notices/mail/protest_filed.txt",
            switch=_("A protest is filed that I judge or that is against me"),
        )
        kinds.register(
            "protest to organisers",
            subject=_("%(rally)s: a protest or an appeal is filed"),
            body_template="notices/mail/protest_filed.txt",
            switch=_("A protest is filed in a rally that I organise"),
        )
        kinds.register(
            "statement given",
            subject=_("%(rally)s: a statement to a protest"),
            body_template="notices/mail/statement_given.txt",
            switch=_("Somebody answers a protest that I filed or judge"),
        )
        kinds.register(
            "decision taken",
            subject=_("%(rally)s: stewards' decision %(number)s"),
            body_template="notices/mail/decision_taken.txt",
            switch=_("Stewards have decided something that concerns me"),
        )
