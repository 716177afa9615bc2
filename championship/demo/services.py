"""The demo's data: a club and a championship of ready-made rallies, the first of which is under way, and the rallies
outside the championship that other games provide. In a game in which all seats play at the same time, the codrivers
have already sent their orders for the round, so it is the driver's turn.

It is made through the services that people use, in one transaction, so it exists completely or not at all. The games
declare which stages are driven (`championship.stages.demo_rallies.DEMO`).
"""

from __future__ import annotations

from typing import Any

from django.db import transaction

from championship import catalogue
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
REMINDER_HOURS = 23  # an hour after a turn begins, so that the demo's mailbox soon has mail


@transaction.atomic
def seed() -> bool:
    """Create the demo's data unless it exists. Returns whether it was created."""
    if Championship.objects.filter(name=CHAMPIONSHIP, club__memberships__user__email=ORGANISER.email).exists():
        return False
    load_library()
    organiser = _account(ORGANISER)
    club = create_club(by=organiser, name=CLUB)
    drivers = {person: _member(person, club, organiser) for person in (DRIVER, *CODRIVEN)}
    championship = create_championship(by=organiser, club=club, name=CHAMPIONSHIP)
    declared = [(game, rally) for game in catalogue.offers(DEMO) for rally in DEMO.of(game) or ()]
    rounds = [_round(championship, organiser, game, rally) for game, rally in declared if rally.in_season]
    single_rallies = [_single_rally(club, organiser, game, rally) for game, rally in declared if not rally.in_season]
    for rally in (*rounds[:1], *single_rallies):
        _start(rally, organiser, drivers)
    return True


def _account(person: Person) -> User:
    """Return the person's account, created unless it exists."""
    account = User.objects.filter(email=person.email).first()
    return account or create_user(email=person.email, name=person.name)


def _member(person: Person, club: Club, organiser: User) -> User:
    """Return the person's account after it has joined the club as a driver by invitation."""
    account = _account(person)
    _, token = invite(by=organiser, club=club, roles=[Role.DRIVER], days=1)
    accept_invitation(by=account, token=token)
    return account


def _round(championship: Championship, organiser: User, game: str, declared: DemoRally) -> Rally:
    return open_round(by=organiser, championship=championship, **_rally_settings(game, declared)).rally


def _single_rally(club: Club, organiser: User, game: str, declared: DemoRally) -> Rally:
    return create_rally(by=organiser, club=club, **_rally_settings(game, declared))


def _rally_settings(game: str, declared: DemoRally) -> dict[str, Any]:
    """Return the keyword arguments with which the services create the rally."""
    library = StageDesign.objects.filter(club=None, game=game, source__in=declared.courses)
    return {
        "name": declared.name,
        "game": game,
        "designs": sorted(library, key=lambda design: declared.courses.index(design.source)),
        "options": dict(declared.options),
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
