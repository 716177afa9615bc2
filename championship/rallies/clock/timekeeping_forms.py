"""Forms about time: pace, quiet hours, weekends, holidays, missed deadlines, a pause."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, cast

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.accounts.text import one_line
from championship.catalogue import Words
from championship.rallies.clock.policy import (
    LONGEST_BANK,
    LONGEST_PENALTY,
    LONGEST_TURN,
    settings_of,
)
from championship.rallies.clock.services.timekeeping import (
    LONGEST_HAND_BACK,
    MOST_AT_A_TABLE,
    MOST_MISSES,
)
from championship.rallies.models import Rally
from championship.rallies.results import measures
from championship.rallies.results.measures import Measure


def _hours(label: Any, most: int, help_text: Any = "") -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=1, max_value=most, required=False, help_text=help_text)


def _clock(label: Any, help_text: Any = "") -> forms.TimeField:
    widget = forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    return forms.TimeField(label=label, required=False, widget=widget, help_text=help_text)


class _HasDefault(Protocol):
    """A field with the mark that the template of a field reads."""

    has_default: bool


def mark_as_having_default(fields: Iterable[forms.Field]) -> None:
    """Mark fields that have an initial value, so that pages do not call them optional. An empty one keeps its value."""
    for field in fields:
        cast(_HasDefault, field).has_default = True


class TimekeepingForm(forms.Form):
    """The timekeeping of a rally. An empty field keeps its value, but empty quiet hours mean none."""

    turn_hours = forms.IntegerField(
        label=gettext_lazy("Hours per turn"),
        min_value=1,
        max_value=LONGEST_TURN,
        help_text=gettext_lazy("How long a driver has for a turn, and for time control."),
    )
    reminder_hours = forms.IntegerField(
        label=gettext_lazy("Reminder"),
        min_value=0,
        max_value=LONGEST_TURN - 1,
        help_text=gettext_lazy("The driver gets a mail this many hours before a deadline; 0 sends none."),
    )
    pace = forms.ChoiceField(
        label=gettext_lazy("Pace"),
        choices=Rally.Pace.choices,
        widget=forms.RadioSelect,
        required=False,
        help_text=gettext_lazy("A bank works like a chess clock: time that a turn does not use is kept for the next."),
    )
    bank_hours = _hours(gettext_lazy("Hours in the bank"), LONGEST_BANK)
    bank_per = forms.ChoiceField(label=gettext_lazy("The bank is"), choices=Rally.BankPer.choices, required=False)
    increment_hours = _hours(gettext_lazy("Hours that every turn adds to the bank"), LONGEST_TURN)
    stage_hours = _hours(
        gettext_lazy("Hours from the start until it closes for all"),
        LONGEST_BANK,
        gettext_lazy("For a closing time. It is the same for everybody, nights and holidays included."),
    )
    rounds_together = forms.BooleanField(
        label=gettext_lazy("Rounds together: one deadline for all cars of a round"),
        required=False,
        help_text=gettext_lazy(
            "In a convoy, with hours for every turn. Everybody may send orders as soon as a round "
            "begins; they are carried out in road order. So each round has one deadline."
        ),
    )
    table_size = forms.IntegerField(
        label=gettext_lazy("Cars at a table, at most"),
        min_value=0,
        max_value=MOST_AT_A_TABLE,
        required=False,
        help_text=gettext_lazy("At a smaller table, cars wait for fewer drivers; 0 for as many as the game allows."),
    )
    quiet_from = _clock(
        gettext_lazy("Quiet hours from"), gettext_lazy("In each driver's time zone. These hours do not count.")
    )
    quiet_to = _clock(gettext_lazy("Quiet hours to"))
    weekends_off = forms.BooleanField(label=gettext_lazy("Saturday and Sunday do not count"), required=False)
    holidays = forms.ChoiceField(
        label=gettext_lazy("While a driver is on holiday"), choices=Rally.Holidays.choices, required=False
    )
    miss_penalty = forms.IntegerField(
        label=gettext_lazy("Penalty for a missed deadline"),
        min_value=0,
        max_value=LONGEST_PENALTY,
        required=False,
    )
    retire_after = forms.IntegerField(
        label=gettext_lazy("Retirement after how many missed deadlines"),
        min_value=0,
        max_value=MOST_MISSES,
        required=False,
        help_text=gettext_lazy("Counted from the first start to the last finish, 2 or more; 0 retires nobody."),
    )
    after_miss = forms.ChoiceField(
        label=gettext_lazy("After a missed deadline the codriver drives"),
        choices=Rally.AfterMiss.choices,
        required=False,
    )
    hand_back_hours = _hours(gettext_lazy("Hours in which the driver may take the wheel back"), LONGEST_HAND_BACK)

    def __init__(self, *args: Any, measure: Measure, words: Words, **kwargs: Any) -> None:
        """`measure`: the rally's measure; the penalty is in its unit. `words`: the words of the rally's game."""
        super().__init__(*args, **kwargs)
        for name in ("pace", "bank_per", "after_miss"):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [(value, words.paces.get(f"{name} {value}", said)) for value, said in CHOICES[name]]
        said = _("%(unit)s. The codriver drives the turn; 0 means no penalty.")
        self.fields["miss_penalty"].help_text = said % {"unit": measures.unit_label(measure)}
        mark_as_having_default(self.fields[name] for name in TIME_FIELDS if name not in ("quiet_from", "quiet_to"))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        turn, reminder = cleaned.get("turn_hours"), cleaned.get("reminder_hours")
        if turn is not None and reminder is not None and reminder >= turn:
            self.add_error("reminder_hours", _("The reminder must be fewer hours before the deadline than a turn has."))
        return cleaned

    def timekeeping(self) -> dict[str, Any]:
        """The argument `timekeeping` of the services, by field."""
        named = {name: self.cleaned_data[name] for name in TIME_FIELDS if name in self.fields}
        said = {name: value for name, value in named.items() if value not in (None, "")}
        said["weekends_count"] = not said.pop("weekends_off", False)
        return {"quiet_from": None, "quiet_to": None, **said}

    def time_fields(self) -> list[forms.BoundField]:
        """All fields except hours per turn and the reminder."""
        return [self[name] for name in TIME_FIELDS if name in self.fields]

    def time_open(self) -> bool:
        """Whether one of these has an error, so that the page must show them open."""
        return any(field.errors for field in self.time_fields())


CHOICES = {"pace": Rally.Pace.choices, "bank_per": Rally.BankPer.choices, "after_miss": Rally.AfterMiss.choices}
TIME_FIELDS = tuple(name for name in TimekeepingForm.base_fields if name not in ("turn_hours", "reminder_hours"))


def timekeeping_of(rally: Rally) -> dict[str, Any]:
    """A rally's timekeeping as initial values of the form."""
    said = settings_of(rally)
    return {
        "turn_hours": rally.turn_hours,
        "reminder_hours": rally.reminder_hours,
        "weekends_off": not said.pop("weekends_count"),
        **said,
    }


class PauseForm(forms.Form):
    """The reason of a pause, for the entrants and the log."""

    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=200, validators=[one_line])
