"""Forms of the organiser's board: more time, another driver."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.rallies.models import Entry
from championship.runs.play.nudging import MOST_HOURS

CODRIVER = "codriver"


class ExtendForm(forms.Form):
    """Hours more for a turn; `seen` is the deadline that the page showed."""

    hours = forms.IntegerField(
        label=gettext_lazy("Hours more"),
        min_value=1,
        max_value=MOST_HOURS,
        initial=24,
        help_text=gettext_lazy("Hours that count for this driver: quiet hours and holidays are added."),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=200,
        validators=[one_line],
        help_text=gettext_lazy("The driver reads it, and the club's log shows it."),
    )
    seen = forms.DateTimeField(widget=forms.HiddenInput)


class ReplaceForm(forms.Form):
    """The new driver of a car; `instead_of` is its driver when the page was shown."""

    driver = forms.ChoiceField(label=gettext_lazy("Who drives from now on"))
    crew = forms.CharField(
        max_length=80,
        required=False,
        validators=[one_line],
        help_text=gettext_lazy("The name in results from now on; the new driver's name if left empty."),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=200,
        validators=[one_line],
        help_text=gettext_lazy("Both drivers are notified, and the club's log shows it."),
    )
    instead_of = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, entry: Entry, people: Iterable[User], **kwargs: Any) -> None:
        kwargs.setdefault("initial", {"instead_of": entry.driver_id})
        super().__init__(*args, **kwargs)
        self.fields["crew"].label = entry.rally.words.crew
        self.people = {str(person.pk): person for person in people}
        choices = [("", _("choose"))]
        if entry.driven_by == Entry.DrivenBy.PERSON:
            choices.append((CODRIVER, _("the codriver")))
        field = self.fields["driver"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [*choices, *((key, str(person)) for key, person in self.people.items())]

    @property
    def chosen(self) -> User | None:
        """The member who takes over; None for the codriver."""
        return self.people.get(self.cleaned_data["driver"])
