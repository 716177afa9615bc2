"""Evenings: drivers of a rally meet on line, agree on its pace and its pauses, and watch it on one page."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class EveningsConfig(AppConfig):
    name = "championship.evenings"
    label = "evenings"
    verbose_name = _("evenings")

    def ready(self) -> None:
        from championship.accounts.followers import end_followers
        from championship.audit import actions
        from championship.deadlines.services import scheduled_actions
        from championship.evenings.arriving.selectors import asked_of_page
        from championship.evenings.arriving.services import (
            NOTICE_KIND,
            CheckInBeforeStart,
            CheckInCalls,
            CheckInHours,
            still_asked,
        )
        from championship.evenings.models import Stop
        from championship.evenings.selectors import stream_versions
        from championship.evenings.services import PauseEnds, ReadyDrivers, WishesOfPeople
        from championship.evenings.stop.services import Stops
        from championship.evenings.talk import selectors as talk
        from championship.notices import kinds
        from championship.platform.web import live_streams
        from championship.rallies.clock.evening_rules import Absent
        from championship.rallies.followers import rally_followers, start_followers
        from championship.runs.watch import live, my_turns

        my_turns.BESIDE.register("check-ins", asked_of_page)
        actions.register("asked for minutes", _("asked the drivers whether to go on in minutes"))
        actions.register("asked for hours", _("asked the drivers whether to go on in hours"))
        actions.register("pace refused", _("did not agree to another pace"))
        actions.register_detail("agreed", _("the drivers asked for it"))
        actions.register("words hidden", _("hid what somebody said beside a run"))
        actions.register("evening ends at", _("set when the evening ends"))
        actions.register("evening ends open", _("let the evening go on without a set end"))
        actions.register("evening ended", _("the evening ended, as was set"))
        actions.register_detail("at", _("at"))
        actions.register_detail("cars", _("cars on the road"), Stop.How.choices)
        actions.register("evening rules", _("chose the rules of the evening"))
        actions.register("check-in set", _("set by when drivers check in"))
        actions.register("check-in taken back", _("asks nobody to check in"))
        actions.register("check-in closed", _("check-in has closed"))
        actions.register("not checked in", _("had not checked in by the hour"))
        actions.register("driver dropped out", _("has dropped out of the evening"))
        actions.register("joined late", _("joined late"))
        actions.register_detail("rule", _("who has not checked in"), Absent.choices)
        actions.register_detail("missing", _("missing"))
        actions.register_detail("reserves", _("reserves who have a place now"))
        kinds.register(
            NOTICE_KIND,
            subject=_("%(rally)s: check in"),
            body_template="notices/mail/check_in.txt",
            still_wanted=still_asked,
            switch=_("An evening asks me to check in"),
            urgent=True,
        )
        for action in (Stops(), CheckInCalls(), CheckInHours(), PauseEnds()):
            scheduled_actions.register(action, brisk=True)
        start_followers.register(CheckInBeforeStart())
        rally_followers.register(ReadyDrivers())
        end_followers.register(WishesOfPeople())
        live_streams.register(stream_versions)
        live_streams.register(talk.stream_versions)
        live.register_topics(talk.topics_beside)
