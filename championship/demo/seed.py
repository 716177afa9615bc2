"""The demo's world: a club, a championship of the six ready-made rallies, the first of them under way; and beside it a
Grand Prix, and a rally of cards and dice in which all play at once: the codrivers have ended the round, it is the
driver's turn.

Made through the services that people use, in one transaction: it is there whole or not at all.
"""

from __future__ import annotations

from django.db import transaction

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
from championship.stages.models import StageDesign
from championship.stages.services import load_library

CLUB = "Motor Club Sandstone"
CHAMPIONSHIP = "Sandstone Cup"
GAME = "dirt"
# Round by round; the stages of round N are those of the ready-made rally N.
RALLIES = (
    "Rally 1: Foxwood",
    "Rally 2: Three Lakes",
    "Rally 3: Old Quarry",
    "Rally 4: Heather Ridge",
    "Rally 5: Millstream",
    "Rally 6: Lighthouse",
)
STAGES_PER_RALLY = 3
AT_ONCE, AT_ONCE_GAME, AT_ONCE_STAGE = "Dust and Dials", "dust", "saltwind"
"""A rally in which each round is played by all at once."""
GRAND_PRIX = "Sandstone Grand Prix"
CIRCUIT_GAME, CIRCUIT = "formula_d", "monza"
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
    rallies = [_round(championship, organiser, number, name) for number, name in enumerate(RALLIES, start=1)]
    _start(rallies[0], organiser, drivers)
    _start(_at_once(club, organiser), organiser, drivers)
    _start(_grand_prix(club, organiser), organiser, drivers)
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


def _round(championship: Championship, organiser: User, number: int, name: str) -> Rally:
    sources = [f"{number}/{stage}" for stage in range(1, STAGES_PER_RALLY + 1)]
    library = StageDesign.objects.filter(club=None, game=GAME, source__in=sources)
    designs = sorted(library, key=lambda design: sources.index(design.source))
    return open_round(
        by=organiser,
        championship=championship,
        name=name,
        game=GAME,
        designs=designs,
        options={},
        mode=Rally.Mode.CONVOY,
        turn_hours=TURN_HOURS,
        reminder_hours=REMINDER_HOURS,
    ).rally


def _at_once(club: Club, organiser: User) -> Rally:
    return create_rally(
        by=organiser,
        club=club,
        name=AT_ONCE,
        game=AT_ONCE_GAME,
        designs=[StageDesign.objects.get(club=None, game=AT_ONCE_GAME, source=AT_ONCE_STAGE)],
        options={},
        mode=Rally.Mode.CONVOY,
        turn_hours=TURN_HOURS,
        reminder_hours=REMINDER_HOURS,
        auto_start=True,
    )


def _grand_prix(club: Club, organiser: User) -> Rally:
    """A race outside the championship."""
    return create_rally(
        by=organiser,
        club=club,
        name=GRAND_PRIX,
        game=CIRCUIT_GAME,
        designs=[StageDesign.objects.get(club=None, game=CIRCUIT_GAME, source=CIRCUIT)],
        options={"laps": 2, "weather": True},
        mode=Rally.Mode.CONVOY,
        turn_hours=TURN_HOURS,
        reminder_hours=REMINDER_HOURS,
    )


def _start(rally: Rally, organiser: User, drivers: dict[Person, User]) -> None:
    for person, account in drivers.items():
        entry = enter_rally(by=account, rally=rally, crew=person.crew)
        if person.codriver_drives:
            set_driven_by(by=account, entry=entry, driven_by=Entry.DrivenBy.CODRIVER)
    confirm_all(by=organiser, rally=rally)
    draw_start_list(by=organiser, rally=rally)
    start_rally(by=organiser, rally=rally)
