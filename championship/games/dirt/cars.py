"""The cars of a run on a page: their dashboards in the order of play, and where they stand on the map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.games.dirt.marks import Car
from championship.games.dirt.words import DAMAGE, space_words
from championship.runs.models import Seat
from championship.runs.selectors import RunPage
from engine.dirt.facts import facts

GRID = "grid"


@dataclass(frozen=True, slots=True)
class DiceLeft:
    """How many dice of a kind a car has for a turn."""

    kind: str
    count: int
    words: str


@dataclass(frozen=True, slots=True)
class CarShown:
    """A car of the run: where it is, its dashboard, its time so far (seconds of its cards), as the engine's
    view tells. `space` is the place to look at, the start tile for those who wait on the grid.
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
        """All that a page shows of the car, its crew and number among it."""
        entry = self.seat.entry
        shown: list[object] = [getattr(self, each.name) for each in fields(self) if each.name != "seat"]
        return [entry.start_number, entry.colour, entry.crew, *shown]


def cars_shown(page: RunPage, view: Mapping[str, Any], playing: Sequence[str]) -> list[CarShown]:
    """All cars: who plays now, who plays after, then the others in starting order, those out last."""
    queue = list(view["queue"])

    def rank(seat: Seat) -> tuple[int, int]:
        driver = view["drivers"][seat.driver]
        if seat.driver in queue:
            return 0, queue.index(seat.driver)
        return (2 if driver["finished"] or driver["retired"] else 1), seat.position

    return [_car(seat, view, playing) for seat in sorted(page.seats, key=rank)]


def _car(seat: Seat, view: Mapping[str, Any], playing: Sequence[str]) -> CarShown:
    driver = view["drivers"][seat.driver]
    damage = view["damage"][seat.driver]
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
        sisu_driven=view["options"]["sisu"] != "none",
        status=status,
        stage_time=driver["stage_time"],
        leads=view["leader"] == seat.driver and not any(d["finished"] for d in view["drivers"].values()),
        plays=seat.driver in playing,
        space="1" if driver["space"] == GRID else driver["space"],
        dice=_dice_left(damage),
    )


def _dice_left(damage: Mapping[str, int]) -> list[DiceLeft]:
    """D2: what damage leaves of the dashboard's dice."""
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
    """The cars that are on the road, in the places and gears of this view. The viewer's own stands out, or the one
    that is `acting` where a driver is named; so do those `playing` now. Each leads to its card, but not in a replay.
    """
    cars = []
    for seat in page.seats:
        driver = view["drivers"][seat.driver]
        if driver["finished"] or driver["retired"]:
            continue
        cars.append(
            Car(
                space=driver["space"],
                colour=seat.entry.colour,
                number=seat.driver,
                label=_("%(entry)s, gear %(gear)d, %(where)s")
                % {"entry": seat.entry, "gear": driver["gear"], "where": space_words(driver["space"])},
                on_track=driver["on_track"],
                mine=page.mine == seat if acting is None else seat.driver == acting,
                plays=seat.driver in playing,
                href="" if acting is not None else f"#car-{seat.entry.start_number}",
            )
        )
    return cars
