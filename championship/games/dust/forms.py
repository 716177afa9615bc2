"""The turn form of Dirt & Dust."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from championship.platform.refusals import Refused
from championship.runs.models import PLAN_LENGTH
from engine.contract import RuleError
from engine.dust import draft_text
from engine.dust.game import RESIGN, STEPS
from engine.dust.turn import steps

LONGEST_NAME = 80
"""Letters of a character's name in a card set."""
MOST_GIVEN = 60
"""Cards that a form can name. A hand has fewer."""


class OrdersForm(forms.Form):
    """The steps of a turn as one text, or the wish to leave the race. `do` names the act of the button. The button that
    begins the turn also sends the cards to give up in `give`, each by name; the button that ends it sends the steps
    before the end; the button that chooses a character sends the `character`.
    """

    do = forms.ChoiceField(choices=[(word, word) for word in (STEPS, steps.CHOOSE, steps.PREPARE, steps.END, RESIGN)])
    plan = forms.CharField(required=False, max_length=PLAN_LENGTH)
    sure = forms.ChoiceField(required=False, choices=[("yes", "yes")])

    def clean(self) -> dict[str, Any]:
        """Require a confirmation before a driver leaves the race."""
        said = super().clean() or self.cleaned_data
        if said.get("do") == RESIGN and "sure" not in self.errors and not said.get("sure"):
            self.add_error("sure", _("This is missing."))
        return said


def orders(data: QueryDict) -> dict[str, Any]:
    """Return the engine's orders from a form.

    Raises: Refused when a field is missing or not valid; it names the field.
    """
    form = OrdersForm(data)
    if not form.is_valid():
        field = next(iter(form.errors))
        raise Refused(_("%(field)s: use the buttons of the turn form.") % {"field": field}, field=field)
    said = form.cleaned_data
    if said["do"] == RESIGN:
        return {"do": RESIGN}
    if said["do"] == steps.CHOOSE:
        return {"do": STEPS, "steps": [f"{steps.CHOOSE} {data.get('character', '')[:LONGEST_NAME]}"]}
    if said["do"] == steps.PREPARE:
        given = [word for word in data.getlist("give")[:MOST_GIVEN] if word.split() == [word]]
        return {"do": STEPS, "steps": [" ".join([steps.PREPARE, *given])]}
    try:
        ending = [steps.END] if said["do"] == steps.END else []
        return {"do": STEPS, "steps": [*draft_text.split_steps(said["plan"]), *ending]}
    except RuleError as error:
        raise Refused(error.words(_), field="plan", rule=error.rule) from None
