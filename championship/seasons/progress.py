"""How a season developed: each driver's points after every round, and which drivers a chart shows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from championship.seasons import standings
from championship.seasons.models import Round
from championship.seasons.selectors import Line, Table

IN_FRONT = 6
"""How many drivers are shown when none are chosen."""
MOST_CURVES = 12
"""The most curves that a reader can tell apart."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A driver's points after each round that is over. `mine`: the viewer's own."""

    line: Line
    totals: Sequence[int]
    mine: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """The rounds that are over, the curves that are drawn, and all drivers by place."""

    rounds: Sequence[Round]
    curves: Sequence[Curve]
    everybody: Sequence[Line]

    @property
    def shown(self) -> set[int]:
        """The ids of drivers whose curves are drawn."""
        return {curve.line.who.pk for curve in self.curves}


def progress_of(table: Table, *, chosen: Collection[int], viewer: int | None) -> Progress:
    """Return the curves of the chosen drivers by id, or of the leading drivers where none are chosen; always with the
    viewer's own.

    At most MOST_CURVES curves, by place.
    """
    totals = standings.progress(table.championship.scheme, table.drives, calendar=table.calendar)
    selected = [line for line in table.drivers if line.who.pk in chosen] or table.drivers[:IN_FRONT]
    mine = [line for line in table.drivers if line.who.pk == viewer and line not in selected]
    drawn = sorted(selected[: MOST_CURVES - len(mine)] + mine, key=lambda line: line.place)
    return Progress(
        rounds=table.over,
        curves=[Curve(line, totals[line.who.pk], line.who.pk == viewer) for line in drawn],
        everybody=table.drivers,
    )
