"""The lists app: people and results that come from spreadsheets, forums and other programs."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

ACTS = {
    "list imported": _("imported a list"),
    "list undone": _("undid the import of a list"),
    "results given": _("gave a member the results under a name"),
    "results parted": _("parted the results of two people"),
    "results taken over": _("joined, and took over their results from the archive"),
}
DETAILS = {
    "list": _("list"),
    "about": _("what it is for"),
    "new": _("new"),
    "changed": _("changed"),
    "unchanged": _("unchanged"),
    "left out": _("left out"),
}


class ListsConfig(AppConfig):
    name = "championship.lists"
    label = "lists"
    verbose_name = _("lists")

    def ready(self) -> None:
        from championship.audit import actions
        from championship.clubs.followers import joining_followers
        from championship.lists.services.drafts import delete_old_drafts
        from championship.lists.services.people import InvitedByList
        from championship.platform import retention
        from championship.stages import table_reader

        joining_followers.register(InvitedByList())
        table_reader.register(
            "championship.lists.tables.read_table", "championship.lists.services.remembering.keep_table"
        )
        for action, label in ACTS.items():
            actions.register(action, label)
        for detail, label in DETAILS.items():
            actions.register_detail(detail, label)
        retention.register("lists", delete_old_drafts)
