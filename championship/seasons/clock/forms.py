"""The form of a season's clock."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from championship.accounts import zones
from championship.seasons.clock.models import LONGEST_DAYS, LONGEST_HOURS
from championship.seasons.models import SeasonClock


class ClockForm(forms.Form):
    """When the rounds of a season open, ask, close, draw and start."""

    running = forms.BooleanField(
        label=_("The season runs by itself"),
        required=False,
        help_text=_("Each step below still works by hand, and you can hold any of them."),
    )
    start_time = forms.TimeField(
        label=_("Start at"),
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
        help_text=_("On the day of the round."),
    )
    zone = forms.ChoiceField(label=_("Time zone"), choices=zones.grouped)
    opens_days = forms.IntegerField(
        label=_("Entries open, days before"),
        min_value=0,
        max_value=LONGEST_DAYS,
        help_text=_(
            "Everybody registered is entered then. A round without a day starts so many days after the one before."
        ),
    )
    asks_hours = forms.IntegerField(
        label=_("Drivers are asked, hours before"),
        min_value=0,
        max_value=LONGEST_HOURS,
        help_text=_("“Do you come?”, by mail and on their page. 0: they are not asked."),
    )
    closes_hours = forms.IntegerField(
        label=_("Entries close, hours before"),
        min_value=0,
        max_value=LONGEST_HOURS,
        help_text=_("The waiting list moves up then, and the start list is written."),
    )
    silent = forms.ChoiceField(label=_("A driver who does not answer"), choices=SeasonClock.Silent.choices)
    draws = forms.ChoiceField(label=_("Start list"), choices=SeasonClock.Draws.choices)
    waits = forms.BooleanField(label=_("A round waits until the round before is over"), required=False)

    def __init__(self, *args: Any, of: SeasonClock, **kwargs: Any) -> None:
        kwargs["initial"] = {name: getattr(of, name) for name in type(self).base_fields} | kwargs.get("initial", {})
        super().__init__(*args, **kwargs)
