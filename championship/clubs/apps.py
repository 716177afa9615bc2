from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ClubsConfig(AppConfig):
    name = "championship.clubs"
    label = "clubs"
    verbose_name = _("clubs")

    def ready(self) -> None:
        from championship.accounts.followers import closing_followers
        from championship.audit import actions
        from championship.clubs.models import Club, Role
        from championship.clubs.services import RolesOfPeople, moderation
        from championship.platform import retention

        retention.register("reports", moderation.delete_settled_reports)

        actions.register("club founded", _("founded the club"))
        actions.register("invitation made", _("made an invitation"))
        actions.register("people invited by mail", _("invited people by mail"))
        actions.register("invitation withdrawn", _("withdrew an invitation"))
        actions.register("joined", _("joined by invitation"))
        actions.register("roles changed", _("changed the roles of a member"))
        actions.register("member removed", _("removed a member"))
        actions.register("member banned", _("banned a member"))
        actions.register("ban lifted", _("lifted a ban"))
        actions.register("club changed", _("changed the face of the club"))
        actions.register("club closed", _("closed the club"))
        actions.register("club opened again", _("opened the club again"))
        actions.register("let in", _("accepted a request to join"))
        actions.register_detail("visibility", _("who may see it"), Club.Visibility.choices)
        actions.register("left", _("left the club"))
        actions.register("holidays allowed", _("changed the days of holiday a year"))
        actions.register("holiday taken", _("took a holiday"))
        actions.register("holiday given back", _("gave back the rest of a holiday"))
        actions.register_detail("first_day", _("first day"))
        actions.register_detail("last_day", _("last day"))
        for name, label in (("roles", _("roles")), ("before", _("before")), ("after", _("after"))):
            actions.register_detail(name, label, Role.choices)
        actions.register_detail("days", _("days"))
        actions.register_detail("people", _("people"))
        actions.register_detail("invitation", _("invitation"))
        closing_followers.register(RolesOfPeople())
        self._register_notices()

    def _register_notices(self) -> None:
        from championship.notices import kinds

        kinds.register(  # it concerns only the person, and nobody may switch it off
            "put out of a club",
            subject=_("You are no longer in %(club)s"),
            body_template="notices/mail/put_out_of_a_club.txt",
        )
        kinds.register(
            "somebody asks to join",
            subject=_("%(name)s asks to join %(club)s"),
            body_template="notices/mail/somebody_asks_to_join.txt",
            switch=_("Somebody asks to join a club that I organise"),
        )
        kinds.register(
            "request to join answered",
            subject=_("%(club)s has answered you"),
            body_template="notices/mail/request_to_join_answered.txt",
        )
        for kind, subject, body in (  # it concerns every member, and nobody may switch it off
            ("club closed", _("%(club)s is closed"), "notices/mail/club_closed.txt"),
            ("club opened again", _("%(club)s is open again"), "notices/mail/club_opened_again.txt"),
        ):
            kinds.register(kind, subject=subject, body_template=body)
        kinds.register(
            "text reported",
            subject=_("%(club)s: a text was reported"),
            body_template="notices/mail/text_reported.txt",
            switch=_("A text is reported for me to judge"),
        )
        kinds.register(
            "report answered",
            subject=_("Your report was answered"),
            body_template="notices/mail/report_answered.txt",
        )
