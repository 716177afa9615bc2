"""The ways of all cars of a run over the map, turn by turn, for films and for lines on the map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from championship.runs.models import Run
from championship.runs.road_views import ROAD_VIEWS, CarSpot, Road
from championship.runs.watch import history
from engine import registry


@dataclass(frozen=True, slots=True)
class Stand:
    """Where the cars of a run are that are on the road, by seat, after event `number`; 0 is before the first."""

    number: int
    cars: Mapping[str, CarSpot]


@dataclass(slots=True)
class TurnWay:
    """A turn of a run: its number (0 before the first turn), its seat, its last event, and where the cars were before
    it and after each event that moved one.
    """

    run: int
    number: int
    stands: list[Stand] = field(default_factory=list)
    seat: str | None = None
    last: int = 0


def turns_of(run: Run) -> tuple[Road | None, Sequence[TurnWay]]:
    """Return the road of a run as it was set up, and its turns in order, as everybody may know them. None and no turn
    for a game that draws no road. One query.
    """
    rules, views = registry.get(run.game), ROAD_VIEWS.of(run.game)
    if views is None:
        return None, []
    state = rules.setup(run.stage, run.entrants, run.options)
    road = views.road(run, rules.view(state, None))
    stand = Stand(0, _cars(road, {}))
    turns = [TurnWay(run.pk, 0, [stand])]
    for number, events in groupby(history.history_of(run, None).events, lambda event: event.turn):
        made = TurnWay(run.pk, number, [stand])
        for event in events:
            state = rules.apply(state, event.data)
            made.seat, made.last = event.driver, event.number
            cars = _cars(views.road(run, rules.view(state, None)), stand.cars)
            if cars != stand.cars:
                stand = Stand(event.number, cars)
                made.stands.append(stand)
        turns.append(made)
    return road, turns


def _cars(road: Road | None, before: Mapping[str, CarSpot]) -> dict[str, CarSpot]:
    """Return where the cars are. One that has not moved keeps its spot of `before`: there are many stands."""
    found = {car.seat: car for car in road.cars} if road else {}
    return {seat: known if (known := before.get(seat)) == car else car for seat, car in found.items()}
