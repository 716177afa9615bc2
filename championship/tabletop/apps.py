"""The app of evenings at the table: rallies that are driven with the printed game."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TabletopConfig(AppConfig):
    name = "championship.tabletop"
    label = "tabletop"
    verbose_name = _("evenings at the table")

    def ready(self) -> None:
        from championship.audit import actions
        from championship.notices import kinds
        from championship.rallies import front
        from championship.rallies.followers import rally_followers
        from championship.tabletop import selectors
        from championship.tabletop.services.names import KIND, still_asked
        from championship.tabletop.services.seating import TablesOfHeats

        rally_followers.register(TablesOfHeats())
        front.BESIDE.register("at the table", selectors.evenings_of_page)
        actions.register("evening opened", _("opened the evening at the table"))
        actions.register("evening closed", _("closed the evening at the table"))
        actions.register("evening link renewed", _("made a link of the evening useless"))
        actions.register("signed on", _("signed on at the table"))
        actions.register("name contested", _("said that a name taken at the table is theirs"))
        actions.register("name confirmed", _("confirmed who has signed on at the table"))
        actions.register("name denied", _("said that somebody else has signed on with their name"))
        actions.register("name freed", _("took a name from a phone at the table"))
        actions.register("driven at the table", _("put the car at the table"))
        actions.register("driven on line", _("put the car on line"))
        actions.register("results handed in", _("handed in results from the table"))
        actions.register("entry decided", _("decided which entry of a result counts"))
        kinds.register(
            KIND,
            subject=_("%(rally)s: is it you at the table?"),
            body_template="notices/mail/signed_on_as_me.txt",
            still_wanted=still_asked,
            urgent=True,
        )
        actions.register_detail("tables", _("tables"))
        actions.register_detail("table", _("table"))
        actions.register_detail("hours", _("hours"))
        actions.register_detail("written_by", _("written by"))
