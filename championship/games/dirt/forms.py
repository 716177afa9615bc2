"""The turn form of Rallyman: DIRT."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy, pgettext_lazy

from championship.platform.refusals import Refused
from championship.platform.web.form_fields import set_choices
from championship.runs.models import PLAN_LENGTH
from engine.dirt.facts import facts

STEPS = ("lay", "roll", "secure", "stop", "sisu", "accept", "relay", "spare", "standing", "retire")
ONE_BY_ONE, FIRST = "one by one", "first"
"""How a plan is laid: to be rolled one by one; with FIRST the first move is rolled at once."""
NEVER = ("", gettext_lazy("never"))
DEAREST = 99
"""Seconds. Securing a move never costs more."""


class OrdersForm(forms.Form):
    """One step of a turn, as sent by the page's buttons."""

    do = forms.ChoiceField(choices=[(word, word) for word in STEPS])
    plan = forms.CharField(required=False, max_length=PLAN_LENGTH)
    roll = forms.ChoiceField(required=False, choices=[(way, way) for way in (ONE_BY_ONE, FIRST, "flat out")])
    sisu = forms.ChoiceField(required=False, choices=[("on", "on")])
    take = forms.ChoiceField(required=False, choices=[("yes", "yes"), ("no", "no")])
    sure = forms.ChoiceField(required=False, choices=[("yes", "yes")])

    def clean(self) -> dict[str, Any]:
        """Require the fields that are never guessed: how to roll, whether to take the spare wheel, and that the driver
        really retires.
        """
        said = super().clean() or self.cleaned_data
        for word, needed in (("lay", "roll"), ("standing", "roll"), ("spare", "take"), ("retire", "sure")):
            if said.get("do") == word and needed not in self.errors and not said.get(needed):
                self.add_error(needed, _("This is missing."))
        return said

    def orders(self) -> dict[str, Any]:
        """Return the engine's orders.

        Raises: Refused when a field is not valid; it names the first one.
        """
        said = _valid_data(self)
        orders: dict[str, Any] = {"do": said["do"]}
        if said["do"] == "lay":
            first = said["roll"] == FIRST
            orders |= {
                "plan": said["plan"],
                "roll": ONE_BY_ONE if first else said["roll"],
                "sisu": said["sisu"] == "on",
            }
            orders |= {"roll_first": True} if first else {}
        elif said["do"] == "standing":
            orders |= {"plan": said["plan"], **StandingForm(self.data).manner()}
        elif said["do"] == "relay":
            orders["plan"] = said["plan"]
        elif said["do"] == "spare":
            orders["take"] = said["take"] == "yes"
        return orders


def _valid_data(form: forms.Form) -> dict[str, Any]:
    """Return the valid data of a form.

    Raises: Refused when a field is not valid; it names the first one.
    """
    if not form.is_valid():
        field = next(iter(form.errors))
        raise Refused(_("%(field)s: use the buttons of the turn form.") % {"field": field}, field=field)
    return form.cleaned_data


def _warnings(count: int) -> Any:
    return ngettext_lazy("%(count)d warning", "%(count)d warnings", count) % {"count": count}


class StandingForm(forms.Form):
    """How a whole turn is rolled, whatever the dice show. Settings for rolling one by one do not apply to flat out."""

    roll = forms.ChoiceField(
        choices=[("one by one", gettext_lazy("One by one")), ("flat out", gettext_lazy("Flat out"))],
        widget=forms.RadioSelect,
        label=pgettext_lazy("noun", "Roll"),
    )
    stop_at = forms.TypedChoiceField(required=False, coerce=int, empty_value=None, label=gettext_lazy("Stop at"))
    secure_at = forms.TypedChoiceField(
        required=False, coerce=int, empty_value=None, label=gettext_lazy("Secure when at")
    )
    secure_price = forms.IntegerField(
        required=False, min_value=1, max_value=DEAREST, label=gettext_lazy("and it costs at most, in seconds")
    )
    sisu_from = forms.TypedChoiceField(
        required=False, coerce=int, empty_value=None, label=gettext_lazy("SISU if a warning would end the turn")
    )
    spare = forms.BooleanField(required=False, label=gettext_lazy("Take the spare wheel where it may be taken"))
    as_laid = forms.BooleanField(
        required=False, label=gettext_lazy("If control is lost flat out, leave the dice as they are laid")
    )

    def __init__(self, data: Any = None, *, initial: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, auto_id="standing-%s", initial=dict(initial or {}))
        known = facts()
        counts = [(count, _warnings(count)) for count in range(1, known.warning_limit)]
        gears = [
            (gear, gettext_lazy("in gear %(gear)d or more") % {"gear": gear}) for gear in range(1, known.top_gear + 1)
        ]
        set_choices(self, "stop_at", [NEVER, *counts])
        set_choices(self, "secure_at", [NEVER, (0, _("any time")), *counts])
        set_choices(self, "sisu_from", [NEVER, *gears])

    def manner(self) -> dict[str, Any]:
        """Return the engine's standing orders.

        Raises: Refused when a field is not valid; it names the first one.
        """
        said = _valid_data(self)
        words = ("sisu_from",) if said["roll"] == "flat out" else ("sisu_from", "stop_at", "secure_at", "secure_price")
        manner: dict[str, Any] = {word: said[word] for word in words if said[word] is not None}
        if "secure_at" not in manner:
            manner.pop("secure_price", None)
        ticks = {word: True for word in ("spare", "as_laid") if said[word]}
        return {"roll": said["roll"], **manner, **ticks}
