"""The archive app: imported lists, club archives, and how these acts appear in the log."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

ACTS = {
    "archive asked for": _("asked for an archive of the club"),
    "archive downloaded": _("downloaded an archive of the club"),
    "club restored": _("restored the club from an archive"),
}
DETAILS = {
    "made_at": _("made"),
    "sha256": _("SHA-256"),
    "archived_roles": _("roles in the archive, not given here"),
}


class ArchiveConfig(AppConfig):
    name = "championship.archive"
    label = "archive"
    verbose_name = _("archives")

    def ready(self) -> None:
        from championship.accounts.followers import end_followers
        from championship.accounts.services import closing
        from championship.archive import following
        from championship.audit import actions
        from championship.clubs.followers import joining_followers
        from championship.clubs.models import Role
        from championship.lists.followers import name_followers
        from championship.notices import kinds

        closing.register(following.forget, following.crews_of)
        joining_followers.register(following.RestoredResults())
        name_followers.register(following.NamesJoined())
        end_followers.register(following.CopiesOfNames())
        for action, label in ACTS.items():
            actions.register(action, label)
        for detail, label in DETAILS.items():
            actions.register_detail(detail, label, Role.choices if detail == "archived_roles" else ())
        for kind, subject, body in (  # they concern only the operator and the owner, and nobody may switch them off
            ("archive restored", _("%(club)s is restored"), "notices/mail/archive_restored.txt"),
            ("archive refused", _("The archive was not restored"), "notices/mail/archive_refused.txt"),
        ):
            kinds.register(kind, subject=subject, body_template=body)
