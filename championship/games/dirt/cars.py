"""The cars of a run on a page: their dashboards in the order of play, and their positions on the map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.games.dirt.marks import Car
from championship.games.dirt.words import DAMAGE, space_words
from championship.runs.models import Seat
from championship.runs.watch.selectors import RunPage
from engine.dirt.facts import facts

GRID = "grid"


@dataclass(frozen=True, slots=True)
class DiceLeft:
    """The number of dice of a kind that a car has for a turn."""

    kind: str
    count: int
    words: str


@dataclass(frozen=True, slots=True)
class CarShown:
    """A car of the run: its position, its dashboard, and the seconds of its cards so far, from the engine's view.
    `space` is the space to which the page links: the start tile for cars on the grid.
    """

    seat: Seat
    gear: int
    where: str
    seconds: int
    tokens: int
    damage: list[tuple[str, str]]
    spare: bool
    sisu: bool
    sisu_driven: bool
    status: str
    stage_time: int | None
    leads: bool
    plays: bool
    space: str
    dice: list[DiceLeft]

    @property
    def drawn(self) -> list[object]:
        """Everything that a page shows of the car, including its crew and number."""
        entry = self.seat.entry
        shown: list[object] = [getattr(self, each.name) for each in fields(self) if each.name != "seat"]
        return [entry.start_number, entry.colour, entry.crew, *shown]


def cars_shown(page: RunPage, view: Mapping[str, Any], playing: Sequence[str]) -> list[CarShown]:
    """Return all cars: those that still play in this round in the order of play, then the others in starting order,
    finished and retired cars last.
    """
    queue = list(view["queue"])

    def rank(seat: Seat) -> tuple[int, int]:
        driver = view["drivers"][seat.name]
        if seat.name in queue:
            return 0, queue.index(seat.name)
        return (2 if driver["finished"] or driver["retired"] else 1), seat.position

    return [_car(seat, view, playing) for seat in sorted(page.seats, key=rank)]


def _car(seat: Seat, view: Mapping[str, Any], playing: Sequence[str]) -> CarShown:
    driver = view["drivers"][seat.name]
    damage = view["damage"][seat.name]
    status = (
        _("finished")
        if driver["finished"]
        else _("retired")
        if driver["retired"]
        else _("waiting to start")
        if not driver["started"]
        else ""
        if driver["on_track"]
        else _("beside the track")
    )
    return CarShown(
        seat=seat,
        gear=driver["gear"],
        where=space_words(driver["space"]),
        seconds=sum(driver["cards"]),
        tokens=driver["tokens"],
        damage=[(kind, str(DAMAGE[kind])) for kind, count in damage.items() for _n in range(count)],
        spare=driver["spare"],
        sisu=driver["sisu"],
        sisu_driven=view["options"]["sisu"] != "none" and driver.get("newcomer", True),
        status=status,
        stage_time=driver["stage_time"],
        leads=view["leader"] == seat.name and not any(d["finished"] for d in view["drivers"].values()),
        plays=seat.name in playing,
        space="1" if driver["space"] == GRID else driver["space"],
        dice=_dice_left(damage),
    )


def _dice_left(damage: Mapping[str, int]) -> list[DiceLeft]:
    """Return the dashboard's dice that damage leaves (D2)."""
    known = facts()
    counts = (("gear", known.gear_dice), ("coast", known.coast_dice), ("brake", known.brake_dice))
    words = {
        "gear": lambda count: ngettext("gear die", "gear dice", count),
        "coast": lambda count: ngettext("coast die", "coast dice", count),
        "brake": lambda count: ngettext("brake die", "brake dice", count),
    }
    left = [(kind, max(0, count - damage.get(kind, 0))) for kind, count in counts]
    return [DiceLeft(kind, count, words[kind](count)) for kind, count in left]


def cars_on_map(
    page: RunPage, view: Mapping[str, Any], acting: str | None = None, playing: Sequence[str] = ()
) -> list[Car]:
    """Return the cars that are on the road, with the positions and gears of this view. The viewer's own car is
    highlighted, or that of the driver `acting` if one is named; so are those `playing` now. Each car links to its
    dashboard, except in a replay.
    """
    cars = []
    for seat in page.seats:
        driver = view["drivers"][seat.name]
        if driver["finished"] or driver["retired"]:
            continue
        cars.append(
            Car(
                space=driver["space"],
                colour=seat.entry.colour,
                number=seat.name,
                label=_("%(entry)s, gear %(gear)d, %(where)s")
                % {"entry": seat.entry, "gear": driver["gear"], "where": space_words(driver["space"])},
                on_track=driver["on_track"],
                mine=page.mine == seat if acting is None else seat.name == acting,
                plays=seat.name in playing,
                href="" if acting is not None else f"#car-{seat.entry.start_number}",
            )
        )
    return cars
