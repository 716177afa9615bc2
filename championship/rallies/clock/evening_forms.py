"""The part of a rally's settings with the rules of its evenings."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.rallies.clock.evening_rules import LIMITS, Absent, Dropped, EveningRules, Late
from championship.rallies.clock.timekeeping_forms import mark_as_having_default
from championship.rallies.models import Rally

PREFIX = "evening_"


def _choice(label: Any, choices: Any) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, choices=choices, widget=forms.RadioSelect, required=False)


def _number(name: str, label: Any, help_text: Any = "") -> forms.IntegerField:
    least, most = LIMITS[name]
    return forms.IntegerField(label=label, min_value=least, max_value=most, required=False, help_text=help_text)


class EveningRulesForm(forms.Form):
    """What an evening does with drivers who are absent, late or gone, and with pauses. An empty field keeps its
    value.
    """

    evening_absent = _choice(gettext_lazy("A driver who has not checked in by the hour"), Absent.choices)
    evening_late = _choice(gettext_lazy("A driver who was left out and comes late"), Late.choices)
    evening_late_added = _number(
        "late_added",
        gettext_lazy("Added to the worst result"),
        gettext_lazy("For late-comers who get a result for what they have missed."),
    )
    evening_drop_after = _number(
        "drop_after",
        gettext_lazy("A driver has dropped out after so many time-outs in a row"),
        gettext_lazy("2 or more; 0 for never."),
    )
    evening_dropped = _choice(gettext_lazy("When a driver has dropped out"), Dropped.choices)
    evening_pauses = _number(
        "pauses",
        gettext_lazy("Pauses that a driver may begin in an evening"),
        gettext_lazy("Others see who asks. Organisers pause as often and as long as they like."),
    )
    evening_pause_minutes = _number("pause_minutes", gettext_lazy("Minutes after which such a pause ends"))

    def clean(self) -> dict[str, Any]:
        """Check that one time-out drops nobody."""
        said: dict[str, Any] = super().clean() or self.cleaned_data
        if said.get("evening_drop_after") == 1:
            self.add_error("evening_drop_after", _("One time-out drops nobody: choose 2 or more, or 0 for never."))
        return said

    def prepare_evening(self) -> None:
        """Mark the fields as having a value."""
        mark_as_having_default(field for name, field in self.fields.items() if name in EVENING_FIELDS)

    def evening_rules(self) -> EveningRules:
        """The rules that were chosen. The form is valid."""
        known = EveningRules().plain()
        kept = {name: self.initial.get(PREFIX + name, value) for name, value in known.items()}
        said = {name: self.cleaned_data.get(PREFIX + name) for name in known}
        return EveningRules.read({name: kept[name] if said[name] in (None, "") else said[name] for name in known})

    def evening_fields(self) -> list[forms.BoundField]:
        """The fields, which pages show collapsed."""
        return [self[name] for name in self.fields if name in EVENING_FIELDS]

    def evening_open(self) -> bool:
        """Whether one of the fields has an error, so that the page must show them open."""
        return any(field.errors for field in self.evening_fields())


EVENING_FIELDS = tuple(PREFIX + name for name in EveningRules().plain())


def initial_evening_rules(rally: Rally) -> dict[str, Any]:
    """The rules of a rally as the initial values of the form."""
    return {PREFIX + name: value for name, value in rally.rules_of_evening.plain().items()}
