"""The script of a film: its shots in order, each with the way of its cars over the map and with its captions.

Cars that drive in runs of their own drive side by side here: first everybody's first turn, then everybody's second.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import AnonymousUser

from championship.films.cuts import Cut
from championship.rallies.models import SpecialStage
from championship.runs.models import Event, Run, Seat
from championship.runs.road_views import CarSpot, Road
from championship.runs.watch import car_ways, story, watching
from championship.runs.watch.car_ways import TurnWay
from championship.runs.watch.story import Told

MOST_SHOTS = 160
"""A film of more turns shows several at once."""
MOST_CAPTIONS = 24
"""How many sentences of the story a film has; turning points come before news, and these before colour."""
CarName = tuple[int, str]
"""A car of a stage: the key of its run, and its seat."""
Stand = Mapping[CarName, CarSpot]
"""Where each car is that is on the road."""


@dataclass(slots=True)
class Shot:
    """A turn, or several that are shown at once: who drives, where the cars are before it and after each of its events,
    and what is told of it. `number`: of the turn, 0 before the first.
    """

    car: CarName | None
    number: int
    stands: list[Stand]
    captions: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Script:
    """A film: the road, the seats by car, and the shots in order."""

    road: Road
    seats: Mapping[CarName, Seat]
    shots: Sequence[Shot]

    @property
    def told(self) -> list[str]:
        """All captions in order."""
        return [caption for shot in self.shots for caption in shot.captions]


def script_of(stage: SpecialStage, runs: Sequence[Run], cut: Cut) -> Script:
    """Return the script of a cut of these runs, which have been read with their seats. One query for each run, and
    those of the story. The captions are in the active language.
    """
    seats = {(run.pk, seat.name): seat for run in runs for seat in run.seats.all()}
    told: dict[tuple[int, int], list[Told]] = defaultdict(list)
    for one in told_of(stage, runs, cut):
        told[one.run.pk, one.number].append(one)
    road: Road | None = None
    turns = list[Sequence[TurnWay]]()
    for run in runs:
        drawn, made = car_ways.turns_of(run)
        road = road or drawn
        turns.append(made)
    assert road is not None, "games without a road have no films"
    shots = _shots(list(_side_by_side(turns)), cut, told, at_once=watching.game_hides_events(stage.rally.game))
    return Script(road, seats, _few(shots))


def told_of(stage: SpecialStage, runs: Sequence[Run], cut: Cut) -> list[Told]:
    """Return the sentences of the story that a cut of these runs has room for, in order: its text version. One query,
    and those of the story.
    """
    wanted = {run.pk for run in runs}
    own = [one for one in story.of_stage(stage, AnonymousUser()) if one.run.pk in wanted]
    if cut.seat or cut.first or cut.last:
        turns = _turns_of_events(own)
        own = [one for one in own if cut.has(*turns.get((one.run.pk, one.number), (0, None)))]
    heaviest = sorted(range(len(own)), key=lambda place: (-own[place].weight, place))[:MOST_CAPTIONS]
    return [own[place] for place in sorted(heaviest)]


def _turns_of_events(told: Sequence[Told]) -> dict[tuple[int, int], tuple[int, str | None]]:
    """Return the number and the seat of the turn in which each sentence's event happened. One query."""
    rows = Event.objects.filter(run__in={one.run.pk for one in told}, number__in={one.number for one in told})
    fields = ("run", "number", "post__turn__number", "post__turn__seat__name")
    return {(run, number): (turn or 0, seat) for run, number, turn, seat in rows.values_list(*fields)}


def _side_by_side(runs: Sequence[Sequence[TurnWay]]) -> Iterator[TurnWay]:
    """Yield the turns of all runs: the nth turns of all cars before any next one, each run in its own order."""

    def ordered(turns: Sequence[TurnWay]) -> Iterator[tuple[int, int, int, TurnWay]]:
        made: dict[str | None, int] = defaultdict(int)
        so_far = 0
        for place, turn in enumerate(turns):
            made[turn.seat] += 1
            so_far = max(so_far, made[turn.seat] if turn.seat else 0)
            yield so_far, turn.run, place, turn

    for *_key, turn in heapq.merge(*map(ordered, runs)):
        yield turn


class _Names(dict[CarName, CarName]):
    """One and the same name for a car in all stands: there are thousands of them."""

    def __missing__(self, name: CarName) -> CarName:
        self[name] = name
        return name


def _shots(
    turns: Sequence[TurnWay], cut: Cut, told: Mapping[tuple[int, int], Sequence[Told]], *, at_once: bool
) -> list[Shot]:
    """Return a shot of each turn of the cut. Cars whose turns are not shown stand where they have come to. `at_once`:
    all seats play at once, so that no shot is one car's.
    """
    now: dict[int, Mapping[str, CarSpot]] = {}
    for turn in turns:
        now.setdefault(turn.run, turn.stands[0].cars)
    named = _Names()
    first: dict[int, int] = defaultdict(int)
    shots = list[Shot]()
    for turn in turns:
        captions = [one.text for number in range(first[turn.run] + 1, turn.last + 1) for one in told[turn.run, number]]
        first[turn.run] = max(first[turn.run], turn.last)
        stands = list[Stand]()
        for here in turn.stands:
            now[turn.run] = dict(here.cars)
            stands.append({named[run, seat]: spot for run, cars in now.items() for seat, spot in cars.items()})
        moves = len(stands) > 1
        if cut.has(turn.number, turn.seat) and (moves or captions or not shots):
            car = (turn.run, turn.seat) if turn.seat and not at_once else None
            shots.append(Shot(car, turn.number, stands, captions))
    return shots


def _few(shots: Sequence[Shot]) -> list[Shot]:
    """Return at most MOST_SHOTS shots: several turns in each where there are more."""
    each = -(-len(shots) // MOST_SHOTS)
    if each <= 1:
        return list(shots)
    found = []
    for place in range(0, len(shots), each):
        some = shots[place : place + each]
        stands = [stand for shot in some for stand in (shot.stands if shot is some[0] else shot.stands[1:])]
        captions = [caption for shot in some for caption in shot.captions]
        found.append(Shot(some[-1].car, some[-1].number, stands, captions))
    return found
