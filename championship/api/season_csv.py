"""The drivers' table of a season for spreadsheets: a line per driver, points as whole numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from championship.platform.csv_text import BYTE_ORDER_MARK, plain
from championship.seasons.selectors import Line, Table
from championship.seasons.standings import Score

HEADS = ("place", "driver", "points", "rallies won")


def season_csv(table: Table) -> str:
    """Return place, driver, total, rallies won and the points of each round as CSV. A dropped score is in
    brackets; a score of an exclusion has the word behind it.
    """
    written = io.StringIO()
    rows = csv.writer(written)
    rounds = [f"{each.number}: {each.rally.name}" for each in table.rounds]
    rows.writerow([plain(head) for head in (*HEADS, *rounds)])
    for line in table.drivers:
        rows.writerow(list(_cells(line)))
    return BYTE_ORDER_MARK + written.getvalue()


def _cells(line: Line) -> Iterator[str | int]:
    yield from (line.place, plain(str(line.who)), line.total, line.wins)
    for score in line.scores:
        yield "" if score is None else _cell(score)


def _cell(score: Score) -> str | int:
    if score.excluded:
        return f"{score.points} excluded"
    return f"({score.points})" if score.dropped else score.points
