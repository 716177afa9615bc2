"""What officials ruled about the cars of a line: the penalties, exclusions and results by hand behind its points, with
the decision of the stewards that each is from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.utils.translation import gettext as _

from championship.platform.followers import Followers
from championship.rallies.models import Entry
from championship.rallies.results import measures
from championship.rallies.results.rulings import Exclusion, Penalty, TimeByHand
from championship.seasons.models import Championship, Round, Team
from championship.seasons.season_tables import Line, Table

PENALTY, EXCLUSION, RESULT, STAGE = "penalty", "exclusion", "result", "stage"


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision of stewards that is in force. `kind` and `pk`: the row that it made, one of PENALTY, EXCLUSION and
    RESULT; or STAGE and the id of the rally, where it is about a stage for all, with `text` to say it, and `why`.
    """

    kind: str
    pk: int
    number: int
    url: str
    text: str = ""
    why: str = ""


class Judge(Protocol):
    """Knows the decisions of stewards."""

    def decided(self, championship: Championship) -> Sequence[Decided]:
        """Return the decisions in force in the rounds of a season that change a result. One query."""
        ...


judges: Followers[Judge] = Followers()


@dataclass(frozen=True, slots=True)
class Told:
    """A ruling in words: whom it is about ("" for all cars), what it is, why; and its decision, if it has one."""

    who: str
    what: str
    why: str
    number: int | None = None
    url: str = ""


def rulings_of(table: Table, line: Line) -> dict[int, list[Told]]:
    """Return the rulings in force about the cars of a driver or a team, by the id of the round. Four queries, fewer
    where no round is over.
    """
    cars = {entry.pk: each for each in table.over for entry in _cars(table, each, line)}
    if not cars:
        return {}
    decisions = [one for judge in judges for one in judge.decided(table.championship)]
    by_row = {(one.kind, one.pk): one for one in decisions}
    told: dict[int, list[Told]] = defaultdict(list)
    penalties = Penalty.objects.filter(entry__in=cars, lifted_at=None).select_related("special_stage__rally")
    for penalty in penalties.order_by("at", "pk"):
        what = _penalty_in_words(penalty, cars[penalty.entry_id])
        _put(told, table, cars, penalty, what, penalty.reason_in_words, by_row.get((PENALTY, penalty.pk)))
    for exclusion in Exclusion.objects.filter(entry__in=cars, lifted_at=None):
        _put(told, table, cars, exclusion, _("Excluded"), exclusion.reason, by_row.get((EXCLUSION, exclusion.pk)))
    for by_hand in TimeByHand.objects.filter(entry__in=cars, lifted_at=None).select_related("special_stage__rally"):
        set_to = measures.result(by_hand.measure, cars[by_hand.entry_id].rally.measure)
        what = _("%(stage)s set by hand: %(result)s") % {"stage": by_hand.special_stage.title, "result": set_to}
        _put(told, table, cars, by_hand, what, by_hand.reason, by_row.get((RESULT, by_hand.pk)))
    rounds = {each.rally_id: each.pk for each in cars.values()}
    for one in decisions:
        if one.kind == STAGE and one.pk in rounds:
            told[rounds[one.pk]].append(Told("", one.text, one.why, one.number, one.url))
    return told


def _penalty_in_words(penalty: Penalty, each: Round) -> str:
    amount = measures.gap(penalty.amount, each.rally.measure)
    says = _("Penalty %(amount)s") if penalty.amount > 0 else _("Bonus %(amount)s")
    if penalty.special_stage is None:
        return says % {"amount": amount}
    return f"{penalty.special_stage.title}: {says % {'amount': amount}}"


def _put(
    told: dict[int, list[Told]],
    table: Table,
    cars: Mapping[int, Round],
    row: Penalty | Exclusion | TimeByHand,
    what: str,
    why: str,
    by: Decided | None,
) -> None:
    each = cars[row.entry_id]
    who = table.results[each.rally_id].entries[row.entry_id].crew
    told[each.pk].append(Told(who, what, why, by.number if by else None, by.url if by else ""))


def _cars(table: Table, each: Round, line: Line) -> list[Entry]:
    """Return the entries of a round that brought a driver or a team their points."""
    entries = table.results[each.rally_id].entries.values()
    who = line.who
    if isinstance(who, Team):
        return [entry for entry in entries if table.team(entry) == who.name]
    return [entry for entry in entries if who.pk == entry.driver_id or who in table.shared.get(entry.pk, ())]
