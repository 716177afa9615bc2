"""What the page of a time control shows besides the form: the car, the price of each decision, and an envelope for each
car, which is sealed until all are opened at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from championship.rallies.control import career
from championship.rallies.models import Entry, SpecialStage, TimeControlCard
from championship.rallies.results import measures
from championship.rallies.results.selectors import COMPLETE
from championship.rallies.selectors import RallyPage
from engine.contract import Decision, Luggage, Measure

PRICED = (1, 2, 5, 10)
"""The numbers of units of which the price is told."""


@dataclass(frozen=True, slots=True)
class CardEnvelope:
    """The envelope of one car. `handed_in`: its card is in. `mine`: the viewer drives it. `cost`: what its card took,
    in words; "" as long as nobody else may know.
    """

    entry: Entry
    handed_in: bool
    mine: bool
    cost: str = ""


@dataclass(frozen=True, slots=True)
class CarFact:
    """A thing about a car that the rally sheet has a column for, in words."""

    label: str
    value: str
    bad: bool = False


def envelopes_of(page: RallyPage) -> list[CardEnvelope]:
    """Return the envelopes of a stage in the order of start numbers; empty before its time control. One query once time
    control is closed, none before.
    """
    stage = page.stage
    if stage.status not in COMPLETE:
        return []
    missing = {entry.pk for entry in page.missing}
    costs: dict[int, int] = {}
    if stage.status == SpecialStage.Status.DONE:
        costs = dict(TimeControlCard.objects.filter(special_stage=stage).opened().values_list("entry", "amount"))
    starters = sorted((place.entry for place in page.start_list), key=lambda entry: entry.start_number or 0)
    return [
        CardEnvelope(
            entry,
            handed_in=entry.pk not in missing,
            mine=page.mine is not None and entry.pk == page.mine.pk,
            cost=_cost(costs[entry.pk], page.rally.measure) if entry.pk in costs else "",
        )
        for entry in starters
    ]


def _cost(amount: int, measure: Measure) -> str:
    return measures.gap(amount, measure) if amount else _("nothing taken")


def own_card(page: RallyPage) -> TimeControlCard | None:
    """Return the viewer's card at the page's stage, or None. One query."""
    if page.mine is None:
        return None
    return TimeControlCard.objects.filter(special_stage=page.stage, entry=page.mine).first()


def car_facts(page: RallyPage, car: Luggage | None) -> list[CarFact]:
    """Return what a car has, by the columns of the game's rally sheet. No query."""
    row = career.sheet_row(page.rally, car)
    found = []
    for column in career.sheet_columns(page.rally):
        value = row.get(column.key)
        if isinstance(value, bool):
            found.append(CarFact(_(column.label), _("yes") if value else _("no"), bad=not value))
        elif value is not None:
            found.append(CarFact(_(column.label), str(value), bad=bool(column.group and value)))
    return found


def prices(decision: Decision, measure: Measure) -> str:
    """Return what some units of a decision cost, in a line, or what a decision to be ticked costs; "" for a decision
    that costs nothing.
    """
    if not decision.worth:
        return ""
    if decision.type == "bool":
        return str(measures.gap(decision.worth, measure))
    numbers = [number for number in PRICED if not decision.most or number <= decision.most]
    return " · ".join(
        f"{number}\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{measures.gap(number * decision.worth, measure)}"
        for number in numbers
    )


def all_prices(decisions: Sequence[Decision], measure: Measure) -> dict[str, str]:
    """Return the prices of the decisions that cost something, by name."""
    return {each.name: told for each in decisions if (told := prices(each, measure))}
