"""A season with classes and teams, in which the codriver drives every car through the services."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from championship.accounts.models import User
from championship.accounts.services import create_user
from championship.clubs.models import Club, Membership, Role
from championship.clubs.services import create_club
from championship.rallies import services as rallies
from championship.rallies.models import Entry, Rally
from championship.seasons import services
from championship.seasons.models import Championship, Round
from championship.seasons.schemes import Scheme
from championship.seasons.services import registering
from championship.stages.models import StageDesign
from championship.stages.services import create_design
from engine.dirt.course.random_stages import build


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a season: rounds of `stages` special stages of `tiles` tiles each."""

    rounds: int
    drivers: int
    classes: int
    teams: int
    stages: int
    tiles: int = 4
    seed: int = 1


@dataclass(slots=True)
class World:
    """The people of the season, and the stages that they drive."""

    organiser: User
    club: Club
    drivers: list[User]
    designs: list[StageDesign]


def world(size: Size) -> World:
    """Create a club with its drivers, and as many short stages as a rally has."""
    organiser = create_user(email=f"organiser.{size.seed}@example.org", name="Olga Organiser")
    club = create_club(by=organiser, name="Season club")
    drivers = [create_user(email=f"d{n}.{size.seed}@example.org", name=f"Driver {n:02}") for n in range(size.drivers)]
    Membership.objects.bulk_create(Membership(club=club, user=driver, roles=[Role.DRIVER]) for driver in drivers)
    designs = [
        create_design(
            by=organiser,
            club=club,
            name=f"Stage {number}",
            game="dirt",
            spec=build(tiles=size.tiles, seed=size.seed * 100 + number, hazard=2, service=number == 0),
        )
        for number in range(size.stages)
    ]
    return World(organiser, club, drivers, designs)


def season_of(world: World, size: Size, scheme: Scheme, name: str = "Season") -> Championship:
    """Create a championship with classes and teams, with everybody registered."""
    classes = [f"Class {number}" for number in range(1, size.classes + 1)]
    championship = services.create_championship(
        by=world.organiser,
        club=world.club,
        name=name,
        classes=classes,
        points=scheme.points,
        power=scheme.power,
        class_points=scheme.class_points,
        team_counts=scheme.team_counts,
        drop=scheme.drop,
        tie_breaks=scheme.tie_breaks,
    )
    names = [f"Team {number}" for number in range(1, size.teams + 1)]
    teams = registering.name_teams(by=world.organiser, championship=championship, names=names)
    for number, driver in enumerate(world.drivers):
        registering.register(
            by=world.organiser,
            championship=championship,
            driver=driver,
            crew=driver.name,
            car_class=classes[number % len(classes)] if classes else "",
            start_number=number + 1,
            team=teams[number % len(teams)] if teams else None,
        )
    return championship


def drive_round(world: World, championship: Championship, number: int, *, draw: Random) -> Round:
    """Drive one round from entries to the podium. Some drivers do not enter, the codriver drives for the others, some
    get penalties.
    """
    round = services.open_round(
        by=world.organiser,
        championship=championship,
        name=f"Rally {number}",
        game="dirt",
        designs=world.designs,
        options={},
        mode=Rally.Mode.CONVOY,
        turn_hours=24,
        reminder_hours=4,
    )
    for entry in registering.enter_registered(by=world.organiser, round=round):
        if draw.random() < 0.1 and round.rally.entries.filter(status="confirmed").count() > 2:
            rallies.withdraw_entry(by=world.organiser, entry=entry)
        else:
            rallies.set_driven_by(by=world.organiser, entry=entry, driven_by=Entry.DrivenBy.CODRIVER)
    rallies.start_rally(by=world.organiser, rally=round.rally)
    round.rally.refresh_from_db()
    confirmed = list(round.rally.entries.filter(status="confirmed"))
    for entry in draw.sample(confirmed, min(3, len(confirmed))):
        rallies.give_penalty(
            by=world.organiser,
            entry=entry,
            amount=draw.choice([10, 30, 60, -5]),
            reason="Late at time control",
            special_stage=draw.choice([None, *round.rally.stages.all()]),
        )
    return round
