"""The demo's world: a club, a championship of ready-made rallies, the first of them under way; and the rallies beside
it that other games give. In one in which all play at once the codrivers have ended the round, it is the driver's turn.

Made through the services that people use, in one transaction: it is there whole or not at all. What is driven the games
say (`championship.stages.demo_rallies.DEMO`).
"""

from __future__ import annotations

from typing import Any

from django.db import transaction

from championship import games
from championship.accounts.models import User
from championship.accounts.services import create_user
from championship.clubs.models import Club, Role
from championship.clubs.services import accept_invitation, create_club, invite
from championship.demo.persons import CODRIVEN, DRIVER, ORGANISER, Person
from championship.rallies.models import Entry, Rally
from championship.rallies.services import (
    confirm_all,
    create_rally,
    draw_start_list,
    enter_rally,
    set_driven_by,
    start_rally,
)
from championship.seasons.models import Championship
from championship.seasons.services import create_championship, open_round
from championship.stages.demo_rallies import DEMO, DemoRally
from championship.stages.models import StageDesign
from championship.stages.services import load_library

CLUB = "Motor Club Sandstone"
CHAMPIONSHIP = "Sandstone Cup"
TURN_HOURS = 24
REMINDER_HOURS = 23  # an hour after a turn begins, so that the demo's mailbox does not stay empty for long


@transaction.atomic
def seed() -> bool:
    """Make the demo's world unless it is there; says whether it was made."""
    if Championship.objects.filter(name=CHAMPIONSHIP, club__memberships__user__email=ORGANISER.email).exists():
        return False
    load_library()
    organiser = _account(ORGANISER)
    club = create_club(by=organiser, name=CLUB)
    drivers = {person: _member(person, club, organiser) for person in (DRIVER, *CODRIVEN)}
    championship = create_championship(by=organiser, club=club, name=CHAMPIONSHIP)
    told = [(game, rally) for game in games.offers(DEMO) for rally in DEMO.of(game) or ()]
    rounds = [_round(championship, organiser, game, rally) for game, rally in told if rally.in_season]
    beside = [_beside(club, organiser, game, rally) for game, rally in told if not rally.in_season]
    for rally in (*rounds[:1], *beside):
        _start(rally, organiser, drivers)
    return True


def _account(person: Person) -> User:
    """The person's account; one that is there already is taken."""
    account = User.objects.filter(email=person.email).first()
    return account or create_user(email=person.email, name=person.name)


def _member(person: Person, club: Club, organiser: User) -> User:
    """The person's account, having joined the club as a driver by invitation."""
    account = _account(person)
    _, token = invite(by=organiser, club=club, roles=[Role.DRIVER], days=1)
    accept_invitation(by=account, token=token)
    return account


def _round(championship: Championship, organiser: User, game: str, told: DemoRally) -> Rally:
    return open_round(by=organiser, championship=championship, **_as_told(game, told)).rally


def _beside(club: Club, organiser: User, game: str, told: DemoRally) -> Rally:
    return create_rally(by=organiser, club=club, **_as_told(game, told))


def _as_told(game: str, told: DemoRally) -> dict[str, Any]:
    """What the services are given to make a rally."""
    library = StageDesign.objects.filter(club=None, game=game, source__in=told.courses)
    return {
        "name": told.name,
        "game": game,
        "designs": sorted(library, key=lambda design: told.courses.index(design.source)),
        "options": dict(told.options),
        "mode": Rally.Mode.CONVOY,
        "turn_hours": TURN_HOURS,
        "reminder_hours": REMINDER_HOURS,
    }


def _start(rally: Rally, organiser: User, drivers: dict[Person, User]) -> None:
    for person, account in drivers.items():
        entry = enter_rally(by=account, rally=rally, crew=person.crew)
        if person.codriver_drives:
            set_driven_by(by=account, entry=entry, driven_by=Entry.DrivenBy.CODRIVER)
    confirm_all(by=organiser, rally=rally)
    draw_start_list(by=organiser, rally=rally)
    start_rally(by=organiser, rally=rally)
