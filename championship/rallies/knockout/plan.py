"""Heats, semi-finals and a final: who goes on, and who drives at which table. No queries.

The first stage is driven in heats by everybody. Each further stage is a cut: only the best of the stage before drive
it. The last stage is the final, at one table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from championship.rallies.entries.table_groups import deal
from engine.contract import Game, Heats, offered

T = TypeVar("T")
MOST_CUTS = 2
"""Semi-finals and a final."""


class Division(models.TextChoices):
    """How a start list is divided into heats."""

    SNAKE = "snake", gettext_lazy("like a snake: 1 2 3, then 3 2 1")
    DEAL = "deal", gettext_lazy("dealt in turn: 1 2 3, then 1 2 3")
    LOT = "lot", gettext_lazy("drawn at random")


class Grid(models.TextChoices):
    """The order in which the cars of one heat start."""

    LIST = "list", gettext_lazy("as on the start list; later the best result first")
    REVERSED = "reversed", gettext_lazy("reversed: the best last")
    STANDING = "standing", gettext_lazy("by the championship, the leader first")
    STANDING_LAST = "standing last", gettext_lazy("by the championship, the leader last")


@dataclass(frozen=True, slots=True)
class Cut:
    """Who goes on to a further stage: the best `each` of every heat, and the best of the others, `cars` in all."""

    cars: int
    each: int


@dataclass(frozen=True, slots=True)
class Knockout:
    """The plan of a rally with heats: one cut for each stage after the first."""

    cuts: tuple[Cut, ...]
    division: str = Division.SNAKE
    grid: str = Grid.LIST

    @property
    def stages(self) -> int:
        """How many stages it has."""
        return len(self.cuts) + 1

    def cut_before(self, number: int) -> Cut:
        """The cut that leads to the stage of that number, from 2 on."""
        return self.cuts[number - 2]

    def is_final(self, number: int) -> bool:
        """Whether the stage of that number is the final."""
        return number == self.stages

    def as_json(self) -> dict[str, Any]:
        """Return it as `Rally.knockout` stores it."""
        cuts = [{"cars": cut.cars, "each": cut.each} for cut in self.cuts]
        return {"cuts": cuts, "division": str(self.division), "grid": str(self.grid)}


def plan_of(kept: object) -> Knockout | None:
    """Return the plan that `Rally.knockout` holds; None for a rally without one, or for a value that is no plan."""
    if not isinstance(kept, Mapping) or not isinstance(kept.get("cuts"), list):
        return None
    cuts = [cut for cut in kept["cuts"] if isinstance(cut, Mapping)][:MOST_CUTS]
    read = tuple(Cut(_whole(cut.get("cars"), 1), _whole(cut.get("each"), 0)) for cut in cuts)
    division, grid = kept.get("division"), kept.get("grid")
    if not read:
        return None
    return Knockout(
        read,
        str(division) if division in Division.values else Division.SNAKE,
        str(grid) if grid in Grid.values else Grid.LIST,
    )


def _whole(value: object, least: int) -> int:
    return max(least, value) if isinstance(value, int) and not isinstance(value, bool) else least


ROUNDS = {
    0: pgettext_lazy("part of an event", "final"),
    1: pgettext_lazy("part of an event", "semi-finals"),
}
HEATS = pgettext_lazy("part of an event", "heats")


def part_called(plan: Knockout, number: int) -> str:
    """The name of a part: "heats", "semi-finals" or "final"."""
    return str(HEATS if number == 1 else ROUNDS.get(plan.stages - number, HEATS))


# Tables --------------------------------------------------------------------------------------------


def heat_sizes(cars: int, rules: Game, options: Mapping[str, Any], most: int = 0) -> list[int]:
    """Return how many cars each heat has: by the game where it says so, else as equal as possible. `most`: the most at
    a table when it is less than the game's; 0 for the game's.
    """
    if cars < 1:
        return []
    dealing = offered(rules, Heats)
    if dealing is not None:
        return list(dealing.heats(cars, options))
    limit = max(rules.seats.least, min(most or rules.seats.most, rules.seats.most))
    count = -(-cars // limit)
    return [cars // count + (number < cars % count) for number in range(count)]


def divide(order: Sequence[T], sizes: Sequence[int], division: str) -> list[list[T]]:
    """Divide a start list into heats of these sizes. Each heat keeps the order of the list. For `Division.LOT` the
    caller passes a list in random order.
    """
    if division != Division.SNAKE:
        return deal(order, sizes)
    groups: list[list[T]] = [[] for _size in sizes]
    rest, forward = list(order), True
    while rest:
        there = [number for number, size in enumerate(sizes) if len(groups[number]) < size]
        for number in there if forward else reversed(there):
            if rest:
                groups[number].append(rest.pop(0))
        forward = not forward
    return groups


# Who goes on ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Driven:
    """A car that may go on: its entry, its heat, and the key of its result, smaller is better; None without one."""

    entry: int
    heat: int
    key: tuple[Any, ...] | None
    retired: bool = False


@dataclass(frozen=True, slots=True)
class Through:
    """A car that goes on: its place in its heat, and whether that place was enough."""

    entry: int
    heat: int
    place: int
    direct: bool


def goes_on(cars: Sequence[Driven], cut: Cut, lots: Sequence[int], *, least: int = 1) -> list[Through]:
    """Return the cars that go on, the best result first.

    The best `cut.each` of every heat go on, then the best of the others, until `cut.cars` are found. Where the heats
    have more firsts than there is room, the better results go on. A car that has retired goes on only when fewer than
    `least` others do. Equal results go by `lots`, entries in random order.
    """
    ranked = {entry: rank for rank, entry in enumerate(lots)}

    def order(car: Driven) -> tuple[Any, ...]:
        return (car.retired, car.key, ranked.get(car.entry, len(ranked)), car.entry)

    running = sorted((car for car in cars if car.key is not None), key=order)
    heats: dict[int, list[Driven]] = defaultdict(list)
    for car in running:
        heats[car.heat].append(car)
    places = {car.entry: place for heat in heats.values() for place, car in enumerate(heat, 1)}
    fit = [car for car in running if not car.retired]
    direct = [car for car in fit if places[car.entry] <= cut.each]
    direct.sort(key=lambda car: (places[car.entry], order(car)))
    chosen = direct[: cut.cars]
    others = [car for car in fit if car not in chosen]
    chosen += others[: cut.cars - len(chosen)]
    if len(chosen) < least:
        chosen += [car for car in running if car.retired][: min(least, cut.cars) - len(chosen)]
    return [
        Through(car.entry, car.heat, places[car.entry], places[car.entry] <= cut.each and not car.retired)
        for car in sorted(chosen, key=order)
    ]


# In words ------------------------------------------------------------------------------------------


def in_words(plan: Knockout, cars: int, rules: Game, options: Mapping[str, Any], most: int = 0) -> str:
    """What comes of a number of cars: "60 cars: 6 heats of 10. The best one of each and 4 more by result drive the
    final." Empty for no car.
    """
    if cars < 1:
        return ""
    sentences, here = [], cars
    for number, cut in enumerate(plan.cuts, 2):
        sizes = heat_sizes(here, rules, options, most)
        if number == 2:
            first = ngettext("%(n)d car: %(tables)s.", "%(n)d cars: %(tables)s.", cars)
            sentences.append(first % {"n": cars, "tables": _tables_in_words(sizes)})
        going = min(cut.cars, here)
        direct = min(going, cut.each * len(sizes))
        sentences.append(_cut_in_words(plan.is_final(number), cut.each, direct, going))
        here = going
    return " ".join(sentences)


def _tables_in_words(sizes: Sequence[int]) -> str:
    said = {"n": len(sizes), "most": max(sizes), "least": min(sizes)}
    if said["most"] == said["least"]:
        return ngettext("%(n)d heat of %(most)d", "%(n)d heats of %(most)d", len(sizes)) % said
    return ngettext("%(n)d heat of %(least)d or %(most)d", "%(n)d heats of %(least)d or %(most)d", len(sizes)) % said


def _cut_in_words(final: bool, each: int, direct: int, going: int) -> str:
    said = {"each": each, "others": going - direct, "cars": going}
    if not direct:
        says = _("The best drive the final: %(cars)d.") if final else _("The best drive the semi-finals: %(cars)d.")
    elif going == direct and final:
        says = ngettext("The best one of each drives the final.", "The best %(each)d of each drive the final.", each)
    elif going == direct:
        says = ngettext(
            "The best one of each drives the semi-finals.", "The best %(each)d of each drive the semi-finals.", each
        )
    elif final:
        says = ngettext(
            "The best one of each and %(others)d more by result drive the final.",
            "The best %(each)d of each and %(others)d more by result drive the final.",
            each,
        )
    else:
        says = ngettext(
            "The best one of each and %(others)d more by result drive the semi-finals.",
            "The best %(each)d of each and %(others)d more by result drive the semi-finals.",
            each,
        )
    return says % said
