"""What organisers type about their club."""

from django import forms
from django.utils.translation import gettext_lazy as _

from championship.accounts.text import one_line
from championship.clubs.models import Role
from championship.clubs.services import LONGEST_INVITATION, MOST_USES


class ClubForm(forms.Form):
    name = forms.CharField(label=_("Name of the club"), max_length=80, validators=[one_line])


class RolesForm(forms.Form):
    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        choices=Role.choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Organisers run rallies, stewards judge, drivers enter; owners say who owns the club."),
    )


class InvitationForm(RolesForm):
    days = forms.IntegerField(label=_("Good for so many days"), min_value=1, max_value=LONGEST_INVITATION, initial=7)
    max_uses = forms.IntegerField(label=_("For so many people"), min_value=1, max_value=MOST_USES, initial=1)
