"""The tables of a season as grids, of which every file is made. A column is declared here once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from championship.papers.grids import Cell, Grid
from championship.seasons.front import SeasonFront
from championship.seasons.models import Round
from championship.seasons.selectors import Line, Score, Table


@dataclass(frozen=True, slots=True)
class GridWords:
    """The words of a table: its heads, and what is written behind a score that is dropped or of an exclusion."""

    heads: tuple[str, str, str, str]
    dropped: str
    excluded: str


FOR_PROGRAMS = GridWords(("place", "driver", "points", "rallies won"), "dropped", "excluded")
"""The words of the API, the same in every language."""


def for_people(*, teams: bool = False) -> GridWords:
    """Return the words in the reader's language."""
    who = _("Team") if teams else _("Driver")
    return GridWords((_("Pos."), who, _("Points"), _("Wins")), _("dropped"), _("excl."))


def standings_grid(name: str, lines: Sequence[Line], rounds: Sequence[Round], words: GridWords) -> Grid:
    """Return place, driver or team, total, rallies won and the points of each round. A score that is dropped, and one
    of an exclusion, has the word behind it.
    """
    heads = (*words.heads, *(f"{each.number}: {each.rally.name}" for each in rounds))
    return Grid(name, heads, tuple(tuple(_cells(line, words)) for line in lines))


def _cells(line: Line, words: GridWords) -> Iterator[Cell]:
    yield from (line.place, str(line.who), line.total, line.wins)
    for score in line.scores:
        yield None if score is None else _cell(score, words)


def _cell(score: Score, words: GridWords) -> Cell:
    if score.excluded:
        return f"{score.points} {words.excluded}"
    return f"{score.points} {words.dropped}" if score.dropped else score.points


def calendar_grid(table: Table) -> Grid:
    """Return the rounds: number, name, day, state, and who won."""
    heads = (_("Round"), _("Name"), _("Day"), _("State"), _("Won by"))
    rows = tuple(
        (
            each.round.number,
            each.rally.name,
            each.day.isoformat() if each.day else None,
            str(each.rally.get_status_display()),
            each.winners,
        )
        for each in SeasonFront(table).rounds
    )
    return Grid(_("Calendar"), heads, rows)


def tables_of_season(table: Table) -> list[Grid]:
    """Return every table with a line: the drivers', one for each class, the teams'; in the reader's language."""
    people, teams = for_people(), for_people(teams=True)
    found = [standings_grid(_("Drivers"), table.drivers, table.rounds, people)]
    for name, lines in table.classes.items():
        found.append(standings_grid(_("Class %(name)s") % {"name": name}, lines, table.rounds, people))
    found.append(standings_grid(_("Teams"), table.teams, table.rounds, teams))
    return [each for each in found if each.rows]
