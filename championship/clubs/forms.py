"""Forms about a club."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from championship.accounts.text import one_line
from championship.clubs.models import MOST_HOLIDAY_DAYS, Role
from championship.clubs.services import LONGEST_INVITATION, MOST_USES
from championship.clubs.services.mail_invitations import LONGEST_PASTE


class ClubForm(forms.Form):
    name = forms.CharField(label=_("Name of the club"), max_length=80, validators=[one_line])


class RolesForm(forms.Form):
    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        choices=Role.choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Organisers run rallies, stewards judge, drivers enter, owners decide who owns the club. "
            "Guests only watch: they see what members see."
        ),
    )


class InvitationForm(RolesForm):
    days = forms.IntegerField(label=_("Valid for how many days"), min_value=1, max_value=LONGEST_INVITATION, initial=7)
    max_uses = forms.IntegerField(label=_("For how many people"), min_value=1, max_value=MOST_USES, initial=1)


class MailForm(forms.Form):
    prefix = "mail"
    addresses = forms.CharField(
        label=_("E-mail addresses"),
        max_length=LONGEST_PASTE,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Paste them as they are, with or without names. Each gets a link to join as a driver."),
    )
    days = forms.IntegerField(label=_("Valid for how many days"), min_value=1, max_value=LONGEST_INVITATION, initial=14)


def _day(label: Any, help_text: Any) -> forms.DateField:
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(label=label, help_text=help_text, widget=widget)


class HolidayForm(forms.Form):
    first_day = _day(_("First day"), _("If it is today, it starts now."))
    last_day = _day(_("Last day"), _("This day is part of the holiday."))


class AllowanceForm(forms.Form):
    days = forms.IntegerField(
        label=_("Days of holiday a year"),
        min_value=0,
        max_value=MOST_HOLIDAY_DAYS,
        help_text=_("For each member and calendar year. Holidays already taken still count."),
    )
