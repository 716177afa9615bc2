"""The forms for people's choices about notices, and for webhooks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from championship.accounts.models import User
from championship.notices import kinds, selectors, ssrf
from championship.notices.channels import Channel
from championship.notices.models import LONGEST_LEAD, Preferences, Webhook
from championship.notices.services.webhooks import LONGEST_NAME, Owner
from championship.platform.web.form_fields import set_choices


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of notice on the settings page: its label, and a checkbox (value, label, checked) for each channel."""

    number: int
    label: str
    urgent: bool
    boxes: list[tuple[str, str, bool]]


class NoticesForm(forms.Form):
    """Which kinds of notice a person gets, over which channels, and when."""

    on = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    rhythm = forms.ChoiceField(
        label=_("Mail about what can wait"), choices=Preferences.Rhythm.choices, widget=forms.RadioSelect
    )
    daily_at = forms.TimeField(
        label=_("Once a day at"),
        help_text=_("In your time zone."),
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    reminder_hours = forms.IntegerField(
        label=_("How many hours before to remind me"),
        help_text=_("Empty: as set in the rally."),
        required=False,
        min_value=1,
        max_value=LONGEST_LEAD,
    )

    def __init__(self, data: Any = None, *, person: User) -> None:
        preferences = selectors.preferences_of(person)
        initial = {
            "rhythm": preferences.rhythm,
            "daily_at": preferences.daily_at,
            "reminder_hours": preferences.reminder_hours,
        }
        super().__init__(data, initial=initial)
        self._switches = selectors.switches_of(person)
        boxes = [value_of(kind, channel) for kind, channel in self._switches]
        set_choices(self, "on", [(box, box) for box in boxes])

    def rows(self) -> list[Row]:
        """The table of checkboxes: as submitted if the form was submitted, else as stored."""
        sent = set(self.data.getlist("on")) if self.is_bound and hasattr(self.data, "getlist") else None
        rows = []
        for number, kind in enumerate(kinds.switchable()):
            boxes = []
            for channel in Channel:
                value = value_of(kind.name, channel)
                checked = self._switches[kind.name, channel.value] if sent is None else value in sent
                boxes.append((value, str(channel.label), checked))
            rows.append(Row(number, str(kind.switch), kind.urgent, boxes))
        return rows

    def chosen(self) -> set[tuple[str, str]]:
        """(kind, channel) of each checkbox that is ticked."""
        return {(kind, channel) for kind, _bar, channel in (box.rpartition("|") for box in self.cleaned_data["on"])}


def value_of(kind: str, channel: str) -> str:
    return f"{kind}|{channel}"


class WebhookForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME, required=False)
    url = forms.CharField(
        label=_("Address"),
        max_length=ssrf.LONGEST,
        widget=forms.URLInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=_("The address that Discord, Slack or your own program gives you."),
    )
    shape = forms.ChoiceField(label=_("Shape"), choices=Webhook.Shape.choices)
    kinds = forms.MultipleChoiceField(
        label=_("What is posted"),
        help_text=_("If you choose nothing, you get everything."),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, data: Any = None, *, owner: Owner, initial: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial=dict(initial or {}))
        set_choices(self, "kinds", [(kind.name, kind.switch or kind.name) for kind in owner.kinds()])
