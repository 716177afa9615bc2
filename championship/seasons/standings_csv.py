"""A table of a season as CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from championship.platform.csv_text import BYTE_ORDER_MARK, plain
from championship.seasons.models import Round
from championship.seasons.scoring.values import Number
from championship.seasons.selectors import Line, Score


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a table: its heads, and what is written behind a score that is dropped or of an exclusion."""

    heads: tuple[str, str, str, str]
    dropped: str
    excluded: str


FOR_PROGRAMS = Words(("place", "driver", "points", "rallies won"), "dropped", "excluded")
"""The words of the API, the same in every language."""


def for_people(*, teams: bool = False) -> Words:
    """Return the words in the reader's language."""
    who = _("Team") if teams else _("Driver")
    return Words((_("Pos."), who, _("Points"), _("Wins")), _("dropped"), _("excl."))


def standings_csv(lines: Sequence[Line], rounds: Sequence[Round], words: Words) -> str:
    """Return place, driver or team, total, rallies won and the points of each round as CSV. A score that is dropped,
    and one of an exclusion, has the word behind it.
    """
    written = io.StringIO()
    rows = csv.writer(written)
    rows.writerow([plain(head) for head in (*words.heads, *(f"{each.number}: {each.rally.name}" for each in rounds))])
    for line in lines:
        rows.writerow(list(_cells(line, words)))
    return BYTE_ORDER_MARK + written.getvalue()


def _cells(line: Line, words: Words) -> Iterator[str | Number]:
    yield from (line.place, plain(str(line.who)), line.total, line.wins)
    for score in line.scores:
        yield "" if score is None else _cell(score, words)


def _cell(score: Score, words: Words) -> str | Number:
    if score.excluded:
        return f"{score.points} {words.excluded}"
    return f"{score.points} {words.dropped}" if score.dropped else score.points
