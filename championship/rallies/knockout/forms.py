"""The part of a rally's settings with heats, a final, and what a missed stage costs."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.platform.bounded_input import whole_number
from championship.rallies.knockout.event import MOST_THROUGH, most_at_a_table
from championship.rallies.knockout.plan import Cut, Division, Grid, Knockout, in_words, plan_of
from championship.rallies.models import Rally
from championship.rallies.results import measures
from engine.contract import Game

FINAL, SEMI = "final", "semi"
KNOCKOUT_FIELDS = ("knockout", "final_cars", "final_each", "semi_cars", "semi_each", "division", "grid")
MISSED_FIELDS = ("missed", "missed_added")
EVENT_FIELDS = (*KNOCKOUT_FIELDS, *MISSED_FIELDS)
SHOWN = (2, 4, 6)
"""For how many full tables a form says what comes of a plan."""


class EventForm(forms.Form):
    """Heats and a final for more entries than a table has seats, and what a missed stage costs. Every field may be left
    out: then there are no heats, and the game says what a missed stage costs.
    """

    knockout = forms.ChoiceField(
        label=gettext_lazy("Heats and a final"),
        required=False,
        choices=[
            ("", gettext_lazy("no: everybody drives everything")),
            (FINAL, gettext_lazy("heats, then a final")),
            (SEMI, gettext_lazy("heats, semi-finals, then a final")),
        ],
        help_text=gettext_lazy(
            "For more entries than one table has seats. Everybody drives a heat; the best go on, and one of them wins. "
            "The others keep the places behind, by their results. One course is enough: it is driven each time."
        ),
    )
    final_cars = forms.IntegerField(label=gettext_lazy("Cars in the final"), min_value=2, required=False)
    final_each = forms.IntegerField(
        label=gettext_lazy("The best of each heat go to the final"),
        min_value=0,
        required=False,
        help_text=gettext_lazy("So many of each. The best results of the others fill the rest."),
    )
    semi_cars = forms.IntegerField(
        label=gettext_lazy("Cars in the semi-finals, together"), min_value=2, max_value=MOST_THROUGH, required=False
    )
    semi_each = forms.IntegerField(
        label=gettext_lazy("The best of each heat go to the semi-finals"), min_value=0, required=False
    )
    division = forms.ChoiceField(
        label=gettext_lazy("How the start list is divided into heats"), choices=Division.choices, required=False
    )
    grid = forms.ChoiceField(label=gettext_lazy("Order within a heat"), choices=Grid.choices, required=False)
    missed = forms.ChoiceField(
        label=gettext_lazy("A car that does not finish gets"),
        choices=[("", gettext_lazy("what the game says")), *Rally.Missed.choices[1:]],
        required=False,
        help_text=gettext_lazy(
            "It may start again next time, with what it has missed counted like this. Marked SR on the sheet."
        ),
    )
    missed_added = forms.IntegerField(min_value=0, max_value=measures.MOST_GIVEN, required=False)

    rules: Game
    with_event = True
    """Whether the form has these fields: a form of defaults for rallies of any game has none."""

    def prepare_event(self, rules: Game, table_size: int = 0) -> None:
        """Fit the fields to the game."""
        if not self.with_event:
            for name in EVENT_FIELDS:
                del self.fields[name]
            return
        most = most_at_a_table(rules, table_size)
        fields: dict[str, Any] = self.fields
        fields["final_cars"].max_value = most
        fields["final_cars"].widget.attrs["max"] = most
        for name, value in {"final_cars": most, "final_each": 1, "semi_cars": 2 * most, "semi_each": 1}.items():
            fields[name].initial = value
        fields["missed_added"].label = _("Added to it (%(unit)s)") % {"unit": measures.unit_label(rules.measure)}
        fields["missed_added"].initial = 0

    def event(self) -> dict[str, Any]:
        """The argument `event` of the services in `preparing`."""
        said = self.cleaned_data
        plan = self._plan(said)
        return {
            "knockout": {} if plan is None else plan.as_json(),
            "missed": said.get("missed") or "",
            "missed_added": said.get("missed_added") or 0,
        }

    def _plan(self, said: dict[str, Any]) -> Knockout | None:
        if not said.get("knockout"):
            return None

        def cut(name: str) -> Cut:
            cars, each = said.get(f"{name}_cars"), said.get(f"{name}_each")
            return Cut(self.fields[f"{name}_cars"].initial if cars is None else cars, 1 if each is None else each)

        cuts = (cut("semi"), cut("final")) if said["knockout"] == SEMI else (cut("final"),)
        return Knockout(cuts, said.get("division") or Division.SNAKE, said.get("grid") or Grid.LIST)

    def knockout_fields(self) -> list[forms.BoundField]:
        """The fields about heats and a final."""
        return [self[name] for name in KNOCKOUT_FIELDS if name in self.fields]

    def missed_fields(self) -> list[forms.BoundField]:
        """The fields about a missed stage."""
        return [self[name] for name in MISSED_FIELDS]

    def event_open(self) -> bool:
        """Whether these fields are in use or have an error, so that the page must show them open."""
        used = bool(self["knockout"].value() or self["missed"].value())
        return used or any(self[name].errors for name in EVENT_FIELDS)

    def comes_of_it(self) -> list[tuple[str, str, list[str]]]:
        """What comes of the typed numbers for some numbers of cars: for a final alone, and with semi-finals. Each has
        the value of the choice, its label, and the sentences.
        """
        typed: dict[str, Any] = {}
        for name in KNOCKOUT_FIELDS:
            value = self[name].value()
            number = name.endswith(("_cars", "_each"))
            typed[name] = whole_number(str(value or ""), digits=4) if number else value
        options = {option.name: option.default for option in self.rules.options}
        most = most_at_a_table(self.rules)
        told = []
        for value, label in list(self.fields["knockout"].choices)[1:] if most > 1 else ():  # type: ignore[attr-defined]
            plan = self._plan({**typed, "knockout": value})
            if plan is not None:
                sentences = [in_words(plan, tables * most, self.rules, options) for tables in SHOWN]
                told.append((str(value), str(label), sentences))
        return told


def initial_event(rally: Rally) -> dict[str, Any]:
    """A rally's plan as the initial values of an EventForm."""
    said: dict[str, Any] = {"missed": rally.missed, "missed_added": rally.missed_added}
    plan = plan_of(rally.knockout)
    if plan is None:
        return said
    said |= {"knockout": SEMI if len(plan.cuts) > 1 else FINAL, "division": plan.division, "grid": plan.grid}
    for name, cut in zip(("final", "semi"), reversed(plan.cuts), strict=False):
        said |= {f"{name}_cars": cut.cars, f"{name}_each": cut.each}
    return said
