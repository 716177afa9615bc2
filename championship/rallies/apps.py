"""The rallies app: it registers its notices, its log texts and what it follows."""

from typing import Any

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

ACTS = {
    "rally created": _("made the rally"),
    "rally options changed": _("changed the rally's options"),
    "stage modes chosen": _("chose how stages are driven"),
    "rally cancelled": _("cancelled the rally"),
    "entry confirmed": _("confirmed the entry"),
    "entries confirmed": _("confirmed all entries"),
    "entry refused": _("refused the entry"),
    "entry withdrawn": _("withdrew the entry"),
    "entry moved up": _("gave a place to a waiting driver"),
    "entry driven by": _("handed the car over"),
    "newcomer marked": _("said whether a driver is a newcomer"),
    "stand-in chosen": _("chose the stand-in"),
    "driver replaced": _("replaced the driver"),
    "start list drawn": _("drew the start list"),
    "start list by time": _("wrote the start list by results"),
    "start list by standing": _("wrote the start list by the standing in the championship"),
    "start list by hand": _("wrote the start list by hand"),
    "field drawn": _("the results say who goes on"),
    "field drawn again": _("wrote again who goes on, by the results as they are now"),
    "field by hand": _("chose who goes on"),
    "field too small": _("too few cars are left to go on"),
    "rally started": _("started the rally"),
    "entries closed": _("entries closed automatically"),
    "start put off": _("the rally could not start on time"),
    "stage started": _("started the stage"),
    "time control closed": _("closed time control"),
    "penalty given": _("gave a penalty"),
    "penalty withdrawn": _("withdrew a penalty"),
    "past rally recorded": _("imported a rally driven on paper"),
    "past rally changed": _("changed a rally driven on paper"),
    "entries changed": _("changed entries"),
    "past rally removed": _("removed a rally driven on paper"),
    "timekeeping changed": _("changed how the rally keeps time"),
    "moved to minutes": _("went on in minutes, as the drivers agreed"),
    "moved to hours": _("went on in hours"),
    "rally paused": _("paused the rally"),
    "rally restored": _("paused the rally after a restore from a backup"),
    "rally resumed": _("resumed the rally"),
    "entrants told": _("wrote to the entrants"),
}
DETAILS = {
    "heats": _("heats and a final"),
    "missed stage": _("who does not finish"),
    "modes": _("how stages are driven"),
    "name": _("name"),
    "rally": _("rally"),
    "stage": _("stage"),
    "stages": _("stages"),
    "number": _("number"),
    "hours": _("hours per turn"),
    "entry": _("entry"),
    "entries": _("entries"),
    "crew": _("crew"),
    "start_number": _("start number"),
    "refused because not confirmed": _("refused because not confirmed"),
    "order": _("order"),
    "entries_close_at": _("entries close"),
    "starts_at": _("starts at"),
    "lots": _("at random"),
    "without a card": _("without a card"),
    "seconds": _("seconds"),
    "points": _("points"),
    "places": _("places"),
    "driver": _("driver"),
    "most": _("most cars"),
    "message": _("message"),
    "leader_last": _("leader last"),
    "classes": _("car classes"),
    "reason": _("reason"),
    "last_post": _("last turn that is left"),
    "promise": _("SHA-256 of the second seal"),
    "not_sealed": _("not sealed again"),
    "evening": _("pace of the evening"),
    "author_drives": _("its author drives in this rally"),
}


class RalliesConfig(AppConfig):
    name = "championship.rallies"
    label = "rallies"
    verbose_name = _("rallies")

    def ready(self) -> None:
        from championship.accounts.followers import closing_followers, timing_followers
        from championship.audit import actions
        from championship.clubs.followers import club_closing_followers
        from championship.deadlines import customers
        from championship.deadlines.services import scheduled_actions
        from championship.notices import calendar_feed, kinds
        from championship.rallies import following
        from championship.rallies.clock.calendar_entries import rally_dates
        from championship.rallies.clock.services.acting_dates import EntryDeadlines, Starts
        from championship.rallies.control.awaited_drivers import still_waits
        from championship.rallies.control.services.control_deadlines import TimeControls
        from championship.rallies.desk import announcements, organiser_notices
        from championship.rallies.entries.services import entering

        timing_followers.register(following.CardsOfPeople())
        closing_followers.register(following.CarsOfPeople())
        club_closing_followers.register(following.RalliesOfClubs())
        customers.register(TimeControls())
        scheduled_actions.register(EntryDeadlines())
        scheduled_actions.register(Starts())
        for action, label in ACTS.items():
            actions.register(action, label)
        self._register_details()
        kinds.register(
            "rally started",
            subject=_("%(rally)s has started"),
            body_template="notices/mail/rally_started.txt",
            switch=_("A rally that I drive in has started"),
        )
        kinds.register(
            "time control waits",
            subject=_("%(rally)s, %(stage)s: time control"),
            body_template="notices/mail/time_control_waits.txt",
            still_wanted=still_waits,
            switch=_("Time control waits for my card"),
            urgent=True,
        )
        kinds.register(
            "time control closes soon",
            subject=_("%(rally)s, %(stage)s: time control closes soon"),
            body_template="notices/mail/time_control_closes_soon.txt",
            still_wanted=still_waits,
            switch=_("Time control closes soon and my card is missing"),
            urgent=True,
        )

        self._register_pauses()
        announcements.register()
        entering.register_notices()
        organiser_notices.register()
        calendar_feed.register("rallies", rally_dates)

    def _register_pauses(self) -> None:
        from championship.notices import kinds

        kinds.register(
            "rally paused",
            subject=_("%(rally)s is paused"),
            body_template="notices/mail/rally_paused.txt",
            switch=_("A rally that I drive in is paused"),
        )
        kinds.register(
            "rally goes on",
            subject=_("%(rally)s continues"),
            body_template="notices/mail/rally_goes_on.txt",
            switch=_("A rally that I drive in continues after a pause"),
        )
        kinds.register(  # no `switch`: lost turns concern everybody, so nobody can turn this notice off
            "rally restored",
            subject=_("%(rally)s is paused: turns were lost"),
            body_template="notices/mail/rally_restored.txt",
            urgent=True,
        )

    def _register_details(self) -> None:
        from championship.audit import actions
        from championship.rallies.clock.policy import SETTINGS
        from championship.rallies.desk.services.preparing import options_in_log
        from championship.rallies.models import Entry, Rally

        for detail, label in DETAILS.items():
            actions.register_detail(detail, label)
        actions.register_detail("mode", _("mode"), Rally.Mode.choices)
        actions.register_detail("ledgers", _("decisions and chance told apart"))
        actions.register_detail("driven_by", _("driven by"), Entry.DrivenBy.choices)
        for name in (*SETTINGS, "reminder"):
            field: Any = Rally._meta.get_field("reminder_hours" if name == "reminder" else name)
            actions.register_detail(name, field.verbose_name, field.choices or ())
        actions.register_groups(options_in_log)
        actions.register_labels(_own_unit)


def _own_unit(name: str) -> Any:
    """Return the name of a game's own unit, for an amount in the log; None for any other detail."""
    from championship import catalogue

    own = catalogue.unit_called(name)
    return own.several if own else None
