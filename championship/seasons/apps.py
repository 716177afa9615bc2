"""The seasons app, and how its acts read in the log."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

ACTS = {
    "championship made": _("made the championship"),
    "championship changed": _("changed the championship"),
    "round added": _("added a round"),
}


class SeasonsConfig(AppConfig):
    name = "championship.seasons"
    label = "seasons"
    verbose_name = _("championships")

    def ready(self) -> None:
        from championship.audit import actions

        for action, label in ACTS.items():
            actions.register(action, label)
        actions.register_detail("points", _("points"))
