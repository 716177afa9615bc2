"""What the last round changed in a table of the season: places won and lost, points, the lead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.formats import localize
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.seasons.models import Round
from championship.seasons.scoring.values import Number, exact
from championship.seasons.selectors import Line, Table


@dataclass(frozen=True, slots=True)
class TableChange:
    """The last round that counts. `column`: its index among the rounds of the table.

    `won`: places won by driver or team id, negative for places lost; without those who were not in the table before.
    `points`: what the round brought. `sentences`: the lead and the best climb in words.
    """

    round: Round
    column: int
    won: Mapping[int, int]
    points: Mapping[int, Number]
    sentences: Sequence[str]


def changed_by_last_round(
    table: Table, lines: Sequence[Line], lines_of: Callable[[Table], Sequence[Line]]
) -> TableChange | None:
    """Return what the last round changed in these `lines` of the table, which `lines_of` finds in an earlier table;
    None before the first round is over. No query.
    """
    if not table.over or not lines:
        return None
    latest = table.over[-1]
    column = table.rounds.index(latest)
    before = lines_of(_without(table, latest))
    places = {line.who.pk: line.place for line in before}
    won = {line.who.pk: places[line.who.pk] - line.place for line in lines if line.who.pk in places}
    scores = {line.who.pk: line.scores[column] for line in lines}
    return TableChange(
        round=latest,
        column=column,
        won=won,
        points={pk: score.points for pk, score in scores.items() if score is not None},
        sentences=[*_lead(lines, before), *_climb(lines, won)],
    )


def _without(table: Table, latest: Round) -> Table:
    """Return the table as it was before this round."""
    results = {rally_id: results for rally_id, results in table.results.items() if rally_id != latest.rally_id}
    given = [each for each in table.adjustments if each.round_id != latest.pk]
    return replace(table, results=results, adjustments=given)


def _lead(lines: Sequence[Line], before: Sequence[Line]) -> list[str]:
    """Return a sentence about the lead: who has it, and by how many points."""
    leaders = [line for line in lines if line.place == 1]
    if len(leaders) > 1:
        return [_("%(names)s share the lead.") % {"names": ", ".join(str(line.who) for line in leaders)}]
    leader = leaders[0]
    taken = bool(before) and leader.who.pk not in {line.who.pk for line in before if line.place == 1}
    ahead = exact(leader.total - lines[1].total) if len(lines) > 1 else None
    if ahead is None:
        said = _("%(name)s leads.")
    elif not ahead:
        said = _("%(name)s takes the lead by a tie-break.") if taken else _("%(name)s leads by a tie-break.")
    elif not isinstance(ahead, int):
        said = _("%(name)s takes the lead, %(n)s points ahead.") if taken else _("%(name)s leads, %(n)s points ahead.")
        return [said % {"name": str(leader.who), "n": localize(ahead)}]
    elif taken:
        said = ngettext(
            "%(name)s takes the lead, %(n)d point ahead.", "%(name)s takes the lead, %(n)d points ahead.", ahead
        )
    else:
        said = ngettext("%(name)s leads, %(n)d point ahead.", "%(name)s leads, %(n)d points ahead.", ahead)
    return [said % {"name": str(leader.who), "n": ahead}]


def _climb(lines: Sequence[Line], won: Mapping[int, int]) -> list[str]:
    """Return a sentence about the line that won most places; nothing where none did."""
    climber = max(lines, key=lambda line: won.get(line.who.pk, 0), default=None)
    places = won.get(climber.who.pk, 0) if climber is not None else 0
    if climber is None or places <= 0:
        return []
    said = ngettext("%(name)s won %(n)d place.", "%(name)s won %(n)d places.", places)
    return [said % {"name": str(climber.who), "n": places}]
