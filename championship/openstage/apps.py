"""The open stage: each week a stage that everybody may drive."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OpenStageConfig(AppConfig):
    name = "championship.openstage"
    label = "openstage"
    verbose_name = _("open stages")

    def ready(self) -> None:
        from championship.accounts import guests
        from championship.deadlines.services import scheduled_actions
        from championship.openstage import services
        from championship.openstage.selectors import current_week_of_page
        from championship.openstage.services import Closings, Openings
        from championship.runs.watch import my_turns

        guests.admit(["openstage:drive"])
        services.register_notice()
        my_turns.BESIDE.register("open stage", current_week_of_page)
        scheduled_actions.register(Closings())
        scheduled_actions.register(Openings())
