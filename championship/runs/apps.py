"""The runs app: what it tells drivers, and what it does when a rally speaks."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RunsConfig(AppConfig):
    name = "championship.runs"
    label = "runs"
    verbose_name = _("runs")

    def ready(self) -> None:
        from championship.notices import kinds
        from championship.rallies.signals import entry_handed_over, rally_made, stage_ready
        from championship.runs.receivers import on_entry_handed_over, on_rally_made, on_stage_ready
        from championship.runs.selectors import turn_still_waits

        rally_made.connect(on_rally_made, dispatch_uid="stages are sealed")
        stage_ready.connect(on_stage_ready, dispatch_uid="runs open on a stage")
        entry_handed_over.connect(on_entry_handed_over, dispatch_uid="runs change hands")
        kinds.register(
            "turn waits",
            subject=_("%(rally)s: your turn on stage %(stage)s"),
            body_template="notices/mail/turn_waits.txt",
            still_wanted=turn_still_waits,
            switch=_("A turn waits for me"),
        )
        kinds.register(
            "turn closes soon",
            subject=_("%(rally)s: your turn on stage %(stage)s closes soon"),
            body_template="notices/mail/turn_closes_soon.txt",
            still_wanted=turn_still_waits,
            switch=_("A turn that waits for me closes soon"),
        )
        kinds.register(
            "turn driven for you",
            subject=_("%(rally)s: the codriver drove for you on stage %(stage)s"),
            body_template="notices/mail/turn_driven.txt",
            switch=_("The codriver has driven a turn for me"),
        )
