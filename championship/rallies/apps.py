"""The rallies app: what it tells people, and how its acts read in the log."""

from typing import Any

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

ACTS = {
    "rally created": _("made the rally"),
    "rally options changed": _("changed the rally's options"),
    "rally cancelled": _("cancelled the rally"),
    "entry confirmed": _("confirmed the entry"),
    "entries confirmed": _("confirmed all entries"),
    "entry refused": _("refused the entry"),
    "entry withdrawn": _("withdrew the entry"),
    "entry moved up": _("gave a place to who waited"),
    "entry driven by": _("handed the car over"),
    "driver replaced": _("replaced the driver"),
    "start list drawn": _("drew the start list"),
    "start list by time": _("wrote the start list by time"),
    "start list by standing": _("wrote the start list by the standing in the championship"),
    "start list by hand": _("wrote the start list by hand"),
    "rally started": _("started the rally"),
    "stage started": _("started the stage"),
    "time control closed": _("closed time control"),
    "penalty given": _("gave a penalty"),
    "past rally recorded": _("brought in a rally driven on paper"),
    "past rally removed": _("took out a rally driven on paper"),
    "timekeeping changed": _("changed how the rally keeps time"),
    "rally paused": _("paused the rally"),
    "rally resumed": _("let the rally go on"),
    "entrants told": _("wrote to the entrants"),
}
DETAILS = {
    "name": _("name"),
    "rally": _("rally"),
    "stage": _("stage"),
    "stages": _("stages"),
    "number": _("number"),
    "options": _("options"),
    "hours": _("hours per turn"),
    "entry": _("entry"),
    "entries": _("entries"),
    "crew": _("crew"),
    "start_number": _("start number"),
    "refused, not being confirmed": _("refused, not being confirmed"),
    "order": _("order"),
    "lots": _("by lot"),
    "without a card": _("without a card"),
    "seconds": _("seconds"),
    "driver": _("driver"),
    "most": _("most cars"),
    "message": _("message"),
    "leader_last": _("leader last"),
    "classes": _("car classes"),
    "reason": _("reason"),
}


class RalliesConfig(AppConfig):
    name = "championship.rallies"
    label = "rallies"
    verbose_name = _("rallies")

    def ready(self) -> None:
        from championship.accounts.signals import zone_changed
        from championship.audit import actions
        from championship.clubs.signals import holidays_changed
        from championship.notices import calendars, kinds
        from championship.rallies import announcements, letters, receivers
        from championship.rallies.calendar import rally_dates
        from championship.rallies.waiting import still_waits

        zone_changed.connect(receivers.on_person_timed, dispatch_uid="time controls follow the driver's zone")
        holidays_changed.connect(receivers.on_person_timed, dispatch_uid="time controls follow the driver's holidays")
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
            subject=_("%(rally)s: time control after stage %(stage)s"),
            body_template="notices/mail/time_control_waits.txt",
            still_wanted=still_waits,
            switch=_("Time control waits for my card"),
            urgent=True,
        )
        kinds.register(
            "time control closes soon",
            subject=_("%(rally)s: time control after stage %(stage)s closes soon"),
            body_template="notices/mail/time_control_closes_soon.txt",
            still_wanted=still_waits,
            switch=_("Time control closes soon and my card is missing"),
            urgent=True,
        )

        self._register_pauses()
        announcements.register()
        letters.register()
        calendars.register("rallies", rally_dates)

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
            subject=_("%(rally)s goes on"),
            body_template="notices/mail/rally_goes_on.txt",
            switch=_("A rally that I drive in goes on after a pause"),
        )

    def _register_details(self) -> None:
        from championship.audit import actions
        from championship.rallies.models import Entry, Rally
        from championship.rallies.timekeeping import SETTINGS
        from engine import ruleset as rulesets

        for detail, label in DETAILS.items():
            actions.register_detail(detail, label)
        actions.register_detail("mode", _("mode"), Rally.Mode.choices)
        actions.register_detail("driven_by", _("driven by"), Entry.DrivenBy.choices)
        for name in (*SETTINGS, "reminder"):
            field: Any = Rally._meta.get_field("reminder_hours" if name == "reminder" else name)
            actions.register_detail(name, field.verbose_name, field.choices or ())
        for name in rulesets.names():
            for option in rulesets.get(name).options:
                values = [(choice, pgettext_lazy("option", choice)) for choice in option.choices if choice]
                actions.register_detail(option.name, _(option.label), values)
