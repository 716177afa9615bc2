"""The turn form of Rallyman: DIRT."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from championship.refusals import Refused

PLAN_LENGTH = 600


class OrdersForm(forms.Form):
    """One step of a turn, as the page's buttons send it."""

    do = forms.ChoiceField(
        choices=[(word, word) for word in ("lay", "roll", "secure", "stop", "sisu", "accept", "relay", "spare")]
    )
    plan = forms.CharField(required=False, max_length=PLAN_LENGTH)
    roll = forms.ChoiceField(required=False, choices=[(way, way) for way in ("one by one", "flat out")])
    sisu = forms.ChoiceField(required=False, choices=[("on", "on")])
    take = forms.ChoiceField(required=False, choices=[("yes", "yes"), ("no", "no")])

    def clean(self) -> dict[str, Any]:
        """How to roll, and whether to take the spare wheel, are never guessed."""
        said = super().clean() or self.cleaned_data
        for word, needed in (("lay", "roll"), ("spare", "take")):
            if said.get("do") == word and needed not in self.errors and not said.get(needed):
                self.add_error(needed, _("This is missing."))
        return said

    def orders(self) -> dict[str, Any]:
        """The engine's orders. Raises Refused with the first field that makes no sense."""
        if not self.is_valid():
            field = next(iter(self.errors))
            raise Refused(_("%(field)s: use the buttons of the turn form.") % {"field": field}, field=field)
        said = self.cleaned_data
        orders: dict[str, Any] = {"do": said["do"]}
        if said["do"] == "lay":
            orders |= {"plan": said["plan"], "roll": said["roll"], "sisu": said["sisu"] == "on"}
        elif said["do"] == "relay":
            orders["plan"] = said["plan"]
        elif said["do"] == "spare":
            orders["take"] = said["take"] == "yes"
        return orders
