"""The archive app: imported lists, club archives, and how these acts appear in the log."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

ACTS = {
    "archive asked for": _("asked for an archive of the club"),
    "archive downloaded": _("downloaded an archive of the club"),
    "club restored": _("restored the club from an archive"),
    "results given": _("gave a member the results under a name"),
}
DETAILS = {
    "made_at": _("made"),
    "sha256": _("SHA-256"),
}


class ArchiveConfig(AppConfig):
    name = "championship.archive"
    label = "archive"
    verbose_name = _("archives")

    def ready(self) -> None:
        from championship.accounts import closing
        from championship.accounts.signals import account_ended
        from championship.archive import receivers
        from championship.audit import actions

        closing.register(receivers.forget, receivers.crews_of)
        account_ended.connect(receivers.on_account_ended, dispatch_uid="archive.account_ended")
        for action, label in ACTS.items():
            actions.register(action, label)
        for detail, label in DETAILS.items():
            actions.register_detail(detail, label)
