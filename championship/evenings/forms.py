"""The forms of an evening: its pace, its rules, its hours."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from championship.evenings.models import Stop
from championship.rallies.clock.evening_forms import EveningRulesForm
from championship.rallies.clock.evening_pace import BANK, PERIODS, TURN, EveningPace
from championship.rallies.clock.services.evenings import LIMITS
from championship.rallies.clock.timekeeping_forms import mark_as_having_default

WAYS = (
    (TURN, _("The same time for every turn")),
    (BANK, _("A bank, and some seconds more with every turn")),
    (PERIODS, _("A bank, and then periods: one is lost only when it is used up (byo-yomi)")),
)


def _number(name: str, label: object, help_text: object = "") -> forms.IntegerField:
    least, most = LIMITS[name]
    return forms.IntegerField(label=label, min_value=least, max_value=most, help_text=help_text)  # type: ignore[arg-type]


class PaceForm(forms.Form):
    """How time is kept in the evenings of a rally. All times are seconds."""

    way = forms.ChoiceField(label=_("Time"), choices=WAYS, widget=forms.RadioSelect)
    turn = _number(
        "turn", _("Seconds for a turn, or for a period"), _("30 to 900: half a minute to a quarter of an hour.")
    )
    bank = _number("bank", _("Seconds in the bank"))
    added = _number("added", _("Seconds that every turn adds to the bank"))
    cap = _number("cap", _("Seconds that a bank holds at most"), _("0 for no limit."))
    periods = _number("periods", _("Periods after the bank"))
    grace = _number(
        "grace",
        _("Seconds in which the others may give more time"),
        _("After a driver's time is over. Then the codriver drives; with 0 it drives at once."),
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        mark_as_having_default(self.fields.values())

    def pace(self) -> EveningPace:
        """The pace that was typed. The form is valid."""
        return EveningPace(**self.cleaned_data)


class StopForm(forms.Form):
    """When an evening ends, in the organiser's time zone, and what happens to cars on the road."""

    prefix = "stop"

    at = forms.DateTimeField(
        label=_("The evening ends at"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=_("Five minutes from now at least. Then it goes on in hours."),
    )
    how = forms.ChoiceField(label=_("Cars on the road"), choices=Stop.How.choices, widget=forms.RadioSelect)


class HourForm(forms.Form):
    """By when drivers check in, in the organiser's time zone."""

    prefix = "hour"

    at = forms.DateTimeField(
        label=_("Check-in until"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=_("Five minutes from now at least. Half an hour before it, drivers are told."),
    )


class RulesForm(EveningRulesForm):
    """The rules of an evening, on its page."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.prepare_evening()
