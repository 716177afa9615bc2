"""Who takes part: clubs, their drivers, their rallies, made through the services that people use."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import time, timedelta
from typing import Any

from championship.accounts.models import User
from championship.accounts.services import create_user
from championship.clubs.models import Club, Membership, Role
from championship.clubs.services import create_club
from championship.rallies import services
from championship.rallies.models import Rally
from championship.stages.models import StageDesign
from championship.stages.services import create_design
from engine.dirt.builder import build
from tests.chaos.habits import Habit, Size, habit_of

TILES = 7
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"quiet_from": time(22), "quiet_to": time(7), "weekends_count": False},
    {"holidays": "codriver", "miss_seconds": 20},
    {"pace": "bank", "bank_hours": 48, "increment_hours": 8},
    {"retire_after": 3, "quiet_from": time(0), "quiet_to": time(6)},
    {"after_miss": "stage", "hand_back_hours": 6},
)
"""How rallies keep time, one club's after the other's."""


@dataclass(slots=True)
class Town:
    """What was founded: drivers with their ways, and the rallies, each with how long after the beginning it starts."""

    habits: dict[int, Habit] = field(default_factory=dict)
    people: dict[int, User] = field(default_factory=dict)
    home: dict[int, Club] = field(default_factory=dict)
    starts: list[tuple[timedelta, Rally, User]] = field(default_factory=list)


def found(size: Size) -> Town:
    """Clubs with drivers, and rallies with all of a club's drivers confirmed, ready to be started."""
    town = Town()
    each = -(-size.drivers // size.clubs)
    for number in range(size.clubs):
        first = number * each
        _club(town, size, number, range(first, min(first + each, size.drivers)))
    town.starts.sort(key=lambda start: start[0])
    return town


def _club(town: Town, size: Size, number: int, drivers: range) -> None:
    organiser = create_user(email=f"organiser{number}@example.org", name=f"Organiser {number}")
    club = create_club(by=organiser, name=f"Club {number}")
    members = [_driver(town, size, club, each) for each in drivers]
    spec = build(tiles=TILES, seed=size.seed * 1000 + number, hazard=1)
    design = create_design(by=organiser, club=club, name="Short stage", game="dirt", spec=spec)
    for turn in range(size.rallies):
        rally = _rally(organiser, club, design, turn, members, number)
        after = timedelta(days=size.days * turn / size.rallies, hours=7 * number % 72, minutes=13 * number % 60)
        town.starts.append((after, rally, organiser))


def _driver(town: Town, size: Size, club: Club, number: int) -> User:
    habit = habit_of(number, seed=size.seed, days=size.days)
    driver = create_user(email=f"driver{number}@example.org", name=f"Driver {number}", time_zone=habit.zone)
    Membership.objects.create(club=club, user=driver, roles=[Role.DRIVER])
    town.habits[driver.pk], town.people[driver.pk], town.home[driver.pk] = habit, driver, club
    return driver


def _rally(organiser: User, club: Club, design: StageDesign, number: int, members: list[User], of_club: int) -> Rally:
    rally = services.create_rally(
        by=organiser,
        club=club,
        name=f"Rally {number + 1} of {club.name}",
        game="dirt",
        designs=[design],
        options={},
        mode=Rally.Mode.CONVOY,
        turn_hours=24,
        reminder_hours=4,
        timekeeping=WAYS[of_club % len(WAYS)],
    )
    for member in members:
        services.enter_rally(by=member, rally=rally, crew=member.name)
    services.confirm_all(by=organiser, rally=rally)
    return rally
