"""The searches for all rolls of one turn, made from one search for the longest roll.

The legality of a step does not depend on the roll, so the paths of a short roll are the beginnings of those of a long
one. Only a slide (W7) depends on the roll: paths that have slid within the roll are driven further.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.formula_d.facts import TOTAL, facts
from engine.formula_d.movement.moving import drive_for
from engine.formula_d.movement.path_price import MOVE, Budget, PathPrice, Search, price_or_broken_rule
from engine.formula_d.movement.reach import Layer, Trace, layers, onward
from engine.formula_d.movement.walk import Drive, PathPosition
from engine.formula_d.table import Table
from engine.formula_d.track import PIT


class Fan:
    """The searches of one kind of movement, for every count up to `most`."""

    def __init__(self, table: Table, kind: str, most: int) -> None:
        self.drive = drive_for(table, kind, most)
        self.layers = layers(self.drive)
        kinds = self.drive.track.kind
        self.early = [at for layer in self.layers for at in layer if at.ended or kinds[at.space] >= PIT]

    def search(self, count: int, budget: Budget) -> Search:
        """Return the search for a count, the same as a separate search would find."""
        drive = replace(self.drive, count=count)
        search = Search(drive, budget)
        search.layers = self._layers(drive)
        return search

    def _layers(self, drive: Drive) -> list[Layer]:
        found = self.layers[: drive.count + 1]
        if not drive.slide or len(found) <= drive.count:
            return found
        layer: Layer = {at: trace for at, trace in found[-1].items() if at.slid}
        for _ in range(drive.slide):
            then: Layer = {}
            for at, trace in layer.items():
                for to in onward(drive, at):
                    known = then.get(to)
                    then[to] = Trace(known.before, known.paths + trace.paths) if known else Trace(at, trace.paths)
            if not then:
                break
            found.append(then)
            layer = then
        return found

    def ends(self, search: Search) -> Iterator[tuple[PathPosition, PathPrice]]:
        """Yield the ends of a movement that can be paid: with ordinary brakes, and by emergency braking if needed."""
        wp, count, found = search.budget.wp, search.drive.count, False
        brakes = 0 if search.budget.extra else wp[TOTAL] - facts().keeps if TOTAL in wp else wp["brakes"]
        least = max(0, count - max(0, brakes))
        short = (at for at in self.early if at.driven < least)
        for at in (*short, *(at for layer in search.layers[least:] for at in layer)):
            if not at.lost and isinstance(price := price_or_broken_rule(search, at, 0), PathPrice):
                found = True
                yield at, price
        if search.budget.kind != MOVE or search.budget.extra or TOTAL in wp:
            return
        if (not found or brakes > facts().brakes_first) and search.blocked:  # B3
            farthest = search.layers[search.farthest.driven]
            each = ((at, price) for at in farthest if not at.lost for price in search.prices(at))
            yield from ((at, price) for at, price in each if price.tires)
