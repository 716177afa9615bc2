"""The forms of a turn of Formula D, and of orders sent ahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.games.formula_d import laid
from championship.games.formula_d.words import TYRES, area_words
from championship.platform.refusals import Refused
from championship.runs.models import PLAN_LENGTH
from engine.formula_d.facts import AREAS as BUILT
from engine.formula_d.facts import facts

STEPS = ("garage", "gear", "move", "slip", "pass", "pit", "out", "standing", "resign")
MOVEMENTS = ("move", "slip", "out")
REPAIRED = tuple(area for area in BUILT if area != "tires")
MOST_WP = 30
"""More WP than any car has."""


def _tyres() -> forms.ChoiceField:
    return forms.ChoiceField(required=False, choices=[("", ""), *TYRES.items()])


class OrdersForm(forms.Form):
    """One step of a turn, as sent by the page's buttons. `plan` is a movement (`laid`)."""

    do = forms.ChoiceField(choices=[(word, word) for word in STEPS])
    gear = forms.IntegerField(required=False, min_value=0, max_value=99)
    plan = forms.CharField(required=False, max_length=PLAN_LENGTH)
    tyres = _tyres()
    stop = forms.ChoiceField(required=False, choices=[("die", "die"), ("technical", "technical")])
    repair = forms.IntegerField(required=False, min_value=0, max_value=MOST_WP)
    sure = forms.ChoiceField(required=False, choices=[("yes", "yes")])

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        for area in BUILT:
            self.fields[f"build_{area}"] = forms.IntegerField(required=False, min_value=0, max_value=MOST_WP)
        for area in REPAIRED:
            self.fields[f"repair_{area}"] = forms.IntegerField(required=False, min_value=0, max_value=MOST_WP)

    def clean(self) -> dict[str, Any]:
        """Require a path for a movement, and a confirmation before a driver gives up."""
        said = super().clean() or self.cleaned_data
        needed = {"resign": "sure", **dict.fromkeys(MOVEMENTS, "plan")}.get(said.get("do", ""))
        if needed and needed not in self.errors and not said.get(needed):
            missing = _("Tick the box if you mean it.") if needed == "sure" else _("This is missing.")
            self.add_error(needed, missing)
        return said

    def orders(self) -> dict[str, Any]:
        """Return the engine's orders.

        Raises: Refused when a field is not valid.
        """
        said = valid_data(self)
        do = said["do"]
        orders: dict[str, Any] = {"do": do}
        if do in MOVEMENTS:
            return orders | laid.from_text(said["plan"])
        if do == "gear" and said["gear"] is not None:
            return orders | {"gear": said["gear"]}
        if do == "standing":
            return orders | StandingForm(self.data).manner()
        if do == "garage":
            return orders | self._garage(said)
        if do == "pit":
            return orders | self._pit(said)
        return orders

    def _garage(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tyres, and how the car is built when the form has these fields (T1, Y5)."""
        orders: dict[str, Any] = {"tyres": said["tyres"]} if said["tyres"] else {}
        if any(f"build_{area}" in self.data for area in BUILT):
            orders["build"] = {area: said[f"build_{area}"] or 0 for area in BUILT}
        if said["repair"] is not None:
            orders["repair"] = said["repair"]
        return orders

    def _pit(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tyres, and a technical stop when it replaces the die (P6, P10)."""
        orders: dict[str, Any] = {"tyres": said["tyres"]} if said["tyres"] else {}
        if said["stop"] == "technical":
            orders["technical"] = {area: said[f"repair_{area}"] for area in REPAIRED if said[f"repair_{area}"]}
        return orders


def valid_data(form: forms.Form) -> dict[str, Any]:
    """Return the valid data of a form.

    Raises: Refused when a field is not valid; it names the first one.
    """
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        if field == "sure":
            raise Refused(str(errors[0]), field=field)
        raise Refused(_("%(field)s: use the buttons of the turn form.") % {"field": field}, field=field)
    return form.cleaned_data


# Orders ahead --------------------------------------------------------------------------------------

DRIVING_STYLES = (
    ("", gettext_lazy("as a club driver would")),
    ("inner", gettext_lazy("keep to the inner line")),
    ("save", gettext_lazy("save the tyres")),
    ("attack", gettext_lazy("attack")),
    ("follow", gettext_lazy("follow in the slipstream")),
)
PITS = (
    ("", gettext_lazy("when it pays")),
    ("never", gettext_lazy("stay out")),
    ("now", gettext_lazy("come in at the next chance")),
)
UNTIL = (("turn", gettext_lazy("for one turn")), ("told", gettext_lazy("until I say otherwise")))


def _gears() -> list[tuple[Any, Any]]:
    return [("", gettext_lazy("the best one")), *((gear, str(gear)) for gear in facts().gears)]


def _brakes() -> list[tuple[Any, Any]]:
    most = range(facts().wear_advanced["brakes"] + 1)
    return [("", gettext_lazy("as many as it takes")), *((number, str(number)) for number in most)]


class StandingForm(forms.Form):
    """Orders ahead for a turn: the gear, a driving style, brake points, when to come into the pits, how long the
    orders apply. The codriver decides whatever is left open. `tyres`: whether the race has a choice of tyres.
    """

    gear = forms.TypedChoiceField(
        required=False, coerce=int, empty_value=None, choices=_gears, label=gettext_lazy("Gear")
    )
    way = forms.ChoiceField(required=False, choices=DRIVING_STYLES, label=gettext_lazy("Way of driving"))
    brakes = forms.TypedChoiceField(
        required=False, coerce=int, empty_value=None, choices=_brakes, label=gettext_lazy("Brake points in a turn")
    )
    pit = forms.ChoiceField(required=False, choices=PITS, label=gettext_lazy("Pit stop"))
    tyres = forms.ChoiceField(
        required=False,
        choices=[("", gettext_lazy("those that fit the weather")), *TYRES.items()],
        label=gettext_lazy("Tyres in the box"),
    )
    until = forms.ChoiceField(required=False, choices=UNTIL, label=gettext_lazy("They hold"))

    def __init__(self, data: Any = None, *, initial: Mapping[str, Any] | None = None, tyres: bool = True) -> None:
        super().__init__(data, auto_id="standing-%s", initial=dict(initial or {}))
        if not tyres:
            del self.fields["tyres"]

    def manner(self) -> dict[str, Any]:
        """Return the engine's orders ahead.

        Raises: Refused when a field is not valid; it names the first one.
        """
        said = valid_data(self)
        words = {word: said[word] for word in ("way", "pit", "tyres") if said[word]}
        numbers = {word: said[word] for word in ("gear", "brakes") if said[word] is not None}
        return {**numbers, **words, "until": said["until"] or UNTIL[0][0]}


def standing_words(orders: Mapping[str, Any]) -> list[str]:
    """Return orders ahead in short, one text for each order."""
    if not orders:
        return []
    said = [_("gear %(gear)d") % {"gear": orders["gear"]} if "gear" in orders else _("the best gear")]
    said.append(str(dict(DRIVING_STYLES)[orders.get("way", "")]))
    if "brakes" in orders:
        said.append(_("at most %(count)d %(area)s") % {"count": orders["brakes"], "area": area_words("brakes")})
    if orders.get("pit"):
        said.append(str(dict(PITS)[orders["pit"]]))
    if orders.get("tyres"):
        said.append(_("%(tyres)s tyres in the box") % {"tyres": str(TYRES[orders["tyres"]])})
    return [*said, str(dict(UNTIL)[orders.get("until", UNTIL[0][0])])]
