"""The participants: clubs, drivers and rallies, created through the services."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import time, timedelta
from typing import Any

from championship.accounts.models import User
from championship.accounts.services import create_user
from championship.clubs.models import Club, Membership, Role
from championship.clubs.services import create_club
from championship.notices.services.notice_choices import add_browser
from championship.notices.services.webhooks import Owner, add
from championship.rallies import services
from championship.rallies.models import Rally
from championship.stages.models import StageDesign
from championship.stages.services import create_design
from engine.dirt.course.random_stages import build
from tests.chaos.habits import SHAPES, Habit, Size, habit_of
from tests.chaos.receivers import Receivers

TILES = 7
STAGES = 4
"""The number of different stages. Clubs share them, so that the codriver's tables are computed once for each."""
LAST_START = 0.85
"""Share of the season after which no rally starts."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a rally is driven, and its time limits."""

    timekeeping: dict[str, Any]
    mode: str = Rally.Mode.CONVOY
    stages: int = 1


WAYS = (
    Way({}),
    Way({"quiet_from": time(22), "quiet_to": time(7), "weekends_count": False}),
    Way({"holidays": "codriver", "miss_penalty": 20}),
    Way({"pace": "bank", "bank_hours": 48, "increment_hours": 8}),
    Way({"pace": "closing", "stage_hours": 150}, mode=Rally.Mode.OPEN_ROAD),
    Way({"retire_after": 3, "quiet_from": time(0), "quiet_to": time(6)}),
    Way({"after_miss": "stage", "hand_back_hours": 6}),
    Way({}, stages=2),
)
"""The rallies take turns with these. There is a time control between two stages."""


@dataclass(slots=True)
class Town:
    """The created rows: drivers with their habits, and the rallies, each with its start as a time after the
    beginning.
    """

    habits: dict[int, Habit] = field(default_factory=dict)
    people: dict[int, User] = field(default_factory=dict)
    home: dict[int, Club] = field(default_factory=dict)
    starts: list[tuple[timedelta, Rally, User]] = field(default_factory=list)


def found(size: Size, receivers: Receivers) -> Town:
    """Create clubs with drivers, and rallies in which all drivers of the club are confirmed, ready to start. Some
    people and every second club also get their notices as posts to the receivers.
    """
    town = Town()
    each = -(-size.drivers // size.clubs)
    clubs = []
    for number in range(size.clubs):
        first = number * each
        clubs.append(_club(town, size, receivers, number, range(first, min(first + each, size.drivers))))
    for number in range(size.rallies):
        design = clubs[number % size.clubs]
        members = [driver for driver, club in town.home.items() if club == design.club]
        rally = _rally(design, number, [town.people[driver] for driver in members])
        share = LAST_START * number / size.rallies
        town.starts.append((timedelta(days=size.days) * share, rally, design.created_by))
    return town


def _club(town: Town, size: Size, receivers: Receivers, number: int, drivers: range) -> StageDesign:
    """Create the club and its stage."""
    organiser = create_user(email=f"organiser{number}@example.org", name=f"Organiser {number}")
    club = create_club(by=organiser, name=f"Club {number}")
    if number % 2:
        add(Owner(organiser, club), url=receivers.hook, shape=SHAPES[number // 2 % len(SHAPES)])
    for each in drivers:
        _driver(town, size, receivers, club, each)
    spec = build(tiles=TILES, seed=size.seed * 1000 + number % STAGES, hazard=1)
    return create_design(by=organiser, club=club, name="Short stage", game="dirt", spec=spec)


def _driver(town: Town, size: Size, receivers: Receivers, club: Club, number: int) -> None:
    habit = habit_of(number, seed=size.seed, days=size.days)
    driver = create_user(email=f"driver{number}@example.org", name=f"Driver {number}", time_zone=habit.zone)
    Membership.objects.create(club=club, user=driver, roles=[Role.DRIVER])
    if habit.browser:
        add_browser(person=driver, **receivers.browser(driver.pk))
    if habit.hook:
        add(Owner(driver), url=receivers.hook, shape=habit.hook)
    town.habits[driver.pk], town.people[driver.pk], town.home[driver.pk] = habit, driver, club


def _rally(design: StageDesign, number: int, members: list[User]) -> Rally:
    organiser, way = design.created_by, WAYS[number % len(WAYS)]
    rally = services.create_rally(
        by=organiser,
        club=design.club,
        name=f"Rally {number + 1}",
        game="dirt",
        designs=[design] * way.stages,
        options={},
        mode=way.mode,
        turn_hours=24,
        reminder_hours=4,
        timekeeping=way.timekeeping,
    )
    for member in members:
        services.enter_rally(by=member, rally=rally, crew=member.name)
    services.confirm_all(by=organiser, rally=rally)
    return rally
