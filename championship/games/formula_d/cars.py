"""The cars of a race on a page: their dashboards in the order of play, and their positions on the map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.games.formula_d.drawing import Car
from championship.games.formula_d.words import TYRES, area_words, gear_words, out_words, space_words
from championship.runs.models import Seat
from championship.runs.watch.selectors import RunPage
from engine.formula_d.facts import facts
from engine.formula_d.race import FINISHED, GARAGE, OUT, QUALIFYING, RACE, RACING, repair_left, team, track_of
from engine.formula_d.track import Track

State = Mapping[str, Any]

TERMS = {
    "tires": "overshoot",
    "brakes": "brakes",
    "gearbox": "skipped-gears",
    "body": "collision",
    "engine": "engine",
    "road": "debris",
}
LOW = 1
"""An area with this number of WP or fewer shows a warning."""


@dataclass(frozen=True, slots=True)
class Wear:
    """An area of wear on a dashboard: how many WP are left of how many."""

    area: str
    name: str
    left: int
    full: int

    @property
    def term(self) -> str:
        """What the rulebook explains about this area (rulebook/figures.toml)."""
        return TERMS.get(self.area, "wear")

    @property
    def low(self) -> bool:
        return self.left <= LOW

    @property
    def pips(self) -> list[bool]:
        """One value for each WP, true for those that are left."""
        return [point < self.left for point in range(max(self.full, self.left))]


@dataclass(frozen=True, slots=True)
class CarShown:
    """A car of the race: its dashboard, its position, its gap to the leader, its status."""

    seat: Seat
    gear: int
    where: str
    space: str
    lap: int
    gap: str
    wear: list[Wear]
    tyres: str
    age: int
    nitro: bool
    repair: int
    stops: str
    team: str
    status: str
    rank: int | None
    points: int
    qualifying: str
    plays: bool
    waits: bool
    races: bool

    @property
    def waiting(self) -> str:
        """Where a car in neutral waits."""
        return gear_words(0) if self.space else self.where or gear_words(0)


@dataclass(frozen=True, slots=True)
class GearRoll:
    """A gear die as rolled for a car."""

    seat: Seat
    gear: int
    spaces: int


MOST_ROLLS = 3
"""The number of gear dice shown beside the log."""


def newest_rolls(page: RunPage) -> list[GearRoll]:
    """Return the newest gear dice of the other cars, from the posts of the page, newest first."""
    seats = {seat.name: seat for seat in page.seats if seat != page.mine}
    rolls = (
        event.data
        for post in page.posts
        for event in reversed(list(post.events.all()))
        if event.kind == "roll" and event.data["seat"] in seats
    )
    return [GearRoll(seats[roll["seat"]], roll["gear"], roll["spaces"]) for roll in islice(rolls, MOST_ROLLS)]


def cars_shown(page: RunPage, view: State, playing: Sequence[str]) -> list[CarShown]:
    """Return all cars: the finishers by rank, then the racing cars by position, then those out of the race."""
    cars = view["cars"]
    seats = {seat.name: seat for seat in page.seats}
    order = in_order(view, [name for name in cars if name in seats])
    leader = next((name for name in order if cars[name]["status"] == RACING), None)
    return [_car(seats[name], view, playing, leader) for name in order]


def in_order(view: State, seats: Sequence[str]) -> list[str]:
    """Return these seats: the finishers by rank, then the racing cars by position, then those out of the race."""
    return sorted(seats, key=lambda name: _merit(view, name))


def _merit(view: State, seat: str) -> tuple[int, ...]:
    car = view["cars"][seat]
    if car["status"] == FINISHED:
        return (0, car["rank"])
    if car["status"] == OUT:
        return (2, *(-number for number in car["distance"] or (0, 0)))
    return (1, -car["lap"], -_along(view, car), -car["gear"], car["arrived"])


def _along(view: State, car: Mapping[str, Any]) -> int:
    if car["space"] is None:
        return -1
    track = track_of(dict(view))
    return track.along[track.index[car["space"]]]


def _car(seat: Seat, view: State, playing: Sequence[str], leader: str | None) -> CarShown:
    name, options = seat.name, view["options"]
    car = view["cars"][name]
    return CarShown(
        seat=seat,
        gear=car["gear"],
        where=space_words(car["space"]) if car["space"] else _where(view, car),
        space=car["space"] or "",
        lap=min(max(1, car["lap"]), options["laps"]),
        gap=_gap(view, car, leader),
        wear=[Wear(area, area_words(area), left, car["full"][area]) for area, left in car["wp"].items()],
        tyres=str(TYRES[car["tyres"]]) if options["tyres"] else "",
        age=car["age"],
        nitro=bool(options["nitro"] and car["nitro"]),
        repair=repair_left(dict(view), name) if options["technical_pit"] else 0,
        stops=_stops(view, car),
        team=team(car) if options["teams"] else "",
        status=_status(car),
        rank=car["rank"],
        points=car["points"],
        qualifying=_qualifying(view, car),
        plays=name in playing,
        waits=name in view["left"] and car["status"] == RACING,
        races=car["status"] == RACING,
    )


def _where(view: State, car: Mapping[str, Any]) -> str:
    if car["status"] != RACING:
        return ""
    return _("in the garage") if view["stage"] in (GARAGE, QUALIFYING) else ""


def _status(car: Mapping[str, Any]) -> str:
    if car["status"] == FINISHED:
        return _("finished as number %(place)d") % {"place": car["rank"]}
    if car["status"] == OUT:
        return _("out: %(why)s") % {"why": out_words(car["why"])}
    return _("spun: goes on in gear 1") if car["spun"] else ""


def _gap(view: State, car: Mapping[str, Any], leader: str | None) -> str:
    """Return how far a car is behind the leader on the track: laps, or spaces of the middle lane."""
    if leader is None or car["space"] is None or view["cars"][leader]["space"] is None or view["stage"] != RACE:
        return ""
    length = length_of_lap(view)
    behind = travelled(view, view["cars"][leader]) - travelled(view, car)
    if behind <= 0:
        return ""
    if behind >= length:
        laps = behind // length
        return ngettext("%(count)d lap behind", "%(count)d laps behind", laps) % {"count": laps}
    return ngettext("%(count)d space behind", "%(count)d spaces behind", behind) % {"count": behind}


def length_of_lap(view: State) -> int:
    """Return the length of a lap, in spaces of the middle lane."""
    return len(_middle_lane(track_of(dict(view))))


def travelled(view: State, car: Mapping[str, Any]) -> int:
    """Return how far a car that is on the circuit has come, in spaces of the middle lane."""
    track = track_of(dict(view))
    lane = _middle_lane(track)
    along = track.along[track.index[car["space"]]]
    return int(car["lap"]) * len(lane) + sum(track.along[at] < along for at in lane)


def _middle_lane(track: Track) -> list[int]:
    return [at for at, lane in enumerate(track.lane) if lane == 2 and not track.in_the_pits(at)]


def _stops(view: State, car: Mapping[str, Any]) -> str:
    """Return the stops made and required in the corner where the car is (C1)."""
    if car["space"] is None or car["status"] != RACING:
        return ""
    track = track_of(dict(view))
    at = track.index[car["space"]]
    if not track.corner[at]:
        return ""
    return _("%(made)d of %(asked)d stops made") % {"made": car["stops"], "asked": track.stops[at]}


def _qualifying(view: State, car: Mapping[str, Any]) -> str:
    if not view["options"]["qualifying"]:
        return ""
    if view["stage"] == QUALIFYING and car["space"] is not None:
        points = car["lap_points"]
    elif car["qualifying"] is not None:
        points = car["qualifying"]
    else:
        return ""
    return ngettext("%(count)d point in qualifying", "%(count)d points in qualifying", points) % {"count": points}


def cars_on_map(page: RunPage, view: State, playing: Sequence[str] = (), acting: str | None = None) -> list[Car]:
    """Return the cars that are on the circuit. The viewer's own car is highlighted, or that of the seat `acting` if one
    is named. Each car links to its dashboard, except in a replay.
    """
    found = []
    for seat in page.seats:
        car = view["cars"][seat.name]
        if car["space"] is None:
            continue
        label = _("%(entry)s, %(gear)s, %(where)s") % {
            "entry": seat.entry,
            "gear": gear_words(car["gear"]),
            "where": space_words(car["space"]),
        }
        found.append(
            Car(
                space=car["space"],
                colour=seat.entry.colour,
                number=seat.name,
                label=label,
                mine=page.mine == seat if acting is None else seat.name == acting,
                plays=seat.name in playing,
                out=car["status"] == OUT,
                href="" if acting is not None else f"#car-{seat.entry.start_number}",
            )
        )
    return found


def slipstreams(view: State, seat: str, *, gear: int | None = None) -> list[str]:
    """Return the free spaces from which a slipstream is possible (S1): behind a rival in a high gear, which is not
    higher than `gear` once the car has chosen its own.
    """
    cars, least = view["cars"], facts().slip_gear
    if view["stage"] != RACE or view["options"]["rules"] == "basic" or (gear is not None and gear < least):
        return []
    rivals = [car for other, car in cars.items() if other != seat and car["status"] == RACING and car["space"]]
    fast = {car["space"] for car in rivals if least <= car["gear"] <= (gear or car["gear"])}
    taken = {car["space"] for car in rivals}
    track = track_of(dict(view))
    found = (
        track.spaces[at]
        for at, ahead in enumerate(track.ahead)
        if ahead >= 0 and track.spaces[ahead] in fast and not track.in_the_pits(at)
    )
    return [name for name in found if name not in taken]
