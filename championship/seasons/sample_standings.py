"""The tables of a season with invented results, as a preview before the season is created.

The results are the same for every season with the same number of rounds. Points, dropped rounds and ties are computed
by the same code as for real results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cached_property
from random import Random

from championship.accounts.models import User
from championship.rallies.models import Rally
from championship.rallies.results.classification import places
from championship.seasons.models import Championship, Registration, Round, Team
from championship.seasons.scoring.values import RETIRED, Result
from championship.seasons.season_plans import Plan, usual_power_stage
from championship.seasons.selectors import Table

NAMES = ("Ana", "Bo", "Cem", "Dag", "Eva", "Finn", "Gro", "Hugo", "Ida", "Jan")
LEVEL = (2, 3)
"""Two drivers who swap places from round to round, so that they end with equal points and a tie-break must decide."""
SEED = 7
FIRST_ROUNDS = 6
"""How many rounds are invented for a calendar without any."""


class SampleTable(Table):
    """A table over invented results."""

    @cached_property
    def over(self) -> list[Round]:
        """All rounds."""
        return list(self.rounds)

    @cached_property
    def people(self) -> dict[int, User]:
        """The drivers, by ids that no real user has."""
        return {-number: User(pk=-number, name=name) for number, name in enumerate(NAMES, 1)}

    def round_results(self, each: Round) -> list[Result]:
        """Their results in a round."""
        found = _round(each.number, self.members, len(self.rounds))
        return found if each.power_stage != 0 else [replace(one, power=None) for one in found]


def sample_table(plan: Plan, stages: Sequence[int] = ()) -> SampleTable:
    """Return the tables that the planned season would have after its last round. `stages`: how many stages each round
    has, where it is known; a round with one has no power stage unless the plan names it. No queries.
    """
    championship = Championship(name=plan.name, classes=list(plan.classes))
    for name, value in asdict(plan.scheme).items():
        setattr(championship, name, value)
    named = [each.name for each in plan.rounds] or [""] * FIRST_ROUNDS
    rounds = [
        Round(number=number, rally=Rally(pk=-number, name=name), power_stage=_power_stage(plan, stages, number))
        for number, name in enumerate(named, 1)
    ]
    teams = [Team(pk=-number, name=name) for number, name in enumerate(plan.teams, 1)]
    registrations = [
        Registration(
            driver_id=-number,
            crew=name,
            car_class=plan.classes[(number - 1) % len(plan.classes)] if plan.classes else "",
            team=teams[(number - 1) % len(teams)] if teams else None,
        )
        for number, name in enumerate(NAMES, 1)
    ]
    return SampleTable(championship, rounds, registrations, teams, {})


def _power_stage(plan: Plan, stages: Sequence[int], number: int) -> int | None:
    planned = plan.rounds[number - 1].power_stage if number <= len(plan.rounds) else None
    return usual_power_stage(planned, stages[number - 1] if number <= len(stages) else 2)


def _round(number: int, members: dict[int, Registration], rounds: int) -> list[Result]:
    """Return one round: fast drivers are mostly in front, and now and then one does not enter or retires."""
    draw = Random(SEED + number)  # noqa: S311 - the same for everybody, on purpose
    order = sorted(range(len(NAMES)), key=lambda driver: driver + draw.uniform(0, 5))
    quick = sorted(range(len(NAMES)), key=lambda driver: driver + draw.uniform(0, 7))
    steady = Random(SEED + (number - 1) // 2)  # noqa: S311 - the same for two rounds in a row
    at, fast = sorted(steady.sample(range(4), 2)), sorted(steady.sample(range(4), 2))
    shared = number == rounds and rounds % 2 == 1
    swap = number % 2 == 0
    seconds = _put(order, at, swap, shared)
    power = _put(quick, fast, swap, shared)
    absent = {len(NAMES) - 1} if number % 4 == 2 else set()
    starters = [driver for driver in sorted(seconds, key=lambda driver: seconds[driver]) if driver not in absent]
    place_of = dict(zip(starters, places([seconds[driver] for driver in starters]), strict=True))
    retired_drivers = {starters[-1]} if number % 3 == 0 else set()
    on_power = [driver for driver in sorted(power, key=lambda driver: power[driver]) if driver in starters]
    power_of = dict(zip(on_power, places([power[driver] for driver in on_power]), strict=True))
    found = []
    for driver in starters:
        member = members[-driver - 1]
        found.append(
            Result(
                driver=str(-driver - 1),
                car=driver,
                team=str(member.team_id or ""),
                car_class=member.car_class,
                place=place_of[driver],
                status=RETIRED if driver in retired_drivers else "",
                retired=driver in retired_drivers,
                power=None if driver in retired_drivers else power_of[driver],
                fastest_lap=power_of[driver] == 1 and driver not in retired_drivers,
                pole=driver == quick[number % 2],
                stage_wins=int(power_of[driver] <= 2) + int(driver == LEVEL[1] and number == 1),
            )
        )
    return found


def _put(order: list[int], at: list[int], swap: bool, shared: bool) -> dict[int, int]:
    """Return the seconds of the drivers, in that order, with the two of LEVEL put at their places."""
    others = [driver for driver in order if driver not in LEVEL]
    pair = list(reversed(LEVEL)) if swap else list(LEVEL)
    for place, driver in zip(at, pair, strict=True):
        others.insert(place, driver)
    seconds = {driver: 200 + 4 * place for place, driver in enumerate(others)}
    if shared:
        seconds[pair[1]] = seconds[pair[0]]
    return seconds
