"""The clubs of the demo as they are founded: names, texts, members, and the rallies that the games declare for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from championship import catalogue
from championship.accounts.models import User
from championship.accounts.services import create_user
from championship.clubs.models import Club, Role
from championship.clubs.services import add_member, create_club
from championship.clubs.services.public_profile import change_profile
from championship.demo.persons import (
    CLASSES,
    CODRIVEN,
    DRIVER,
    GUEST,
    HOST,
    LEAGUE,
    NEIGHBOURS,
    ORGANISER,
    PUBLIC,
    STEWARD,
    TEAMS,
    Person,
)
from championship.rallies import services as rallies
from championship.rallies.entries.codrivers import names_of
from championship.rallies.entries.services.seeding import fingerprint
from championship.rallies.models import Entry, Rally
from championship.seasons.models import Championship
from championship.seasons.schemes import READY_MADE
from championship.seasons.services import create_championship, registering
from championship.stages.demo_rallies import DEMO, DemoRally
from championship.stages.models import StageDesign

CLUB = "Motor Club Sandstone"
CHAMPIONSHIP = "Sandstone Cup"
PUBLIC_CLUB = "Harbour Rally Friends"
TURN_HOURS = 24
REMINDER_HOURS = 23  # an hour after a turn begins, so that the demo's mailbox soon has mail

ABOUT = {
    CLUB: """We drive a rally every other week and talk about it for the rest of the month.

Six crews, two classes, three teams. New crews are welcome: ask Olga.""",
    PUBLIC_CLUB: """Four friends who drive in public, for anybody who likes to watch.

- **Rounds** begin on Fridays, and a turn takes a minute a day.
- **Strangers** may follow every turn, every result and every draw.
- Ask to join when you want a car of your own.""",
}
HOUSE_RULES = {CLUB: "Be kind in comments. A protest costs nothing, but write it the day after.", PUBLIC_CLUB: ""}


def declared(*, elsewhere: bool = False) -> list[tuple[str, DemoRally]]:
    """Return the rallies that the installed games declare for the league, or for the public club, each with its
    game.
    """
    found = [(game, rally) for game in catalogue.offers(DEMO) for rally in DEMO.of(game) or ()]
    return [(game, rally) for game, rally in found if rally.elsewhere == elsewhere]


def account(person: Person) -> User:
    """Return the person's account, created unless it exists."""
    found = User.objects.filter(email=person.email).first()
    return found or create_user(email=person.email, name=person.name)


def found_league() -> Championship:
    """Found the league with its members and its championship, in which all drivers are registered."""
    organiser = account(ORGANISER)
    club = _found(CLUB, organiser, LEAGUE, visibility=Club.Visibility.LINK)
    membership = club.memberships.get(user=account(STEWARD))
    membership.roles = [Role.STEWARD.value]
    membership.save(update_fields=["roles"])
    championship = create_championship(
        by=organiser,
        club=club,
        name=CHAMPIONSHIP,
        classes=CLASSES,
        points=READY_MADE["power stage"].scheme.points,
        power=READY_MADE["power stage"].scheme.power,
        tie_breaks=READY_MADE["power stage"].scheme.tie_breaks,
    )
    named = registering.name_teams(by=organiser, championship=championship, names=TEAMS)
    teams = {team.name: team for team in named}
    for number, person in enumerate((DRIVER, *CODRIVEN), start=1):
        registering.register(
            by=organiser,
            championship=championship,
            driver=account(person),
            crew=person.crew,
            car_class=person.car_class,
            start_number=number,
            team=teams[person.team],
        )
    return championship


def found_public_club() -> Club:
    """Found the public club with its members."""
    return _found(PUBLIC_CLUB, account(HOST), PUBLIC, visibility=Club.Visibility.PUBLIC)


def _found(name: str, founder: User, members: Sequence[Person], *, visibility: str) -> Club:
    club = create_club(by=founder, name=name)
    for person in members:
        if person.email != founder.email:
            add_member(person=account(person), club=club, roles=[Role.DRIVER.value])
    return change_profile(
        by=founder,
        club=club,
        name=name,
        visibility=visibility,
        about=ABOUT[name],
        house_rules=HOUSE_RULES[name],
        takes_requests=True,
    )


def settings_of(game: str, rally: DemoRally) -> dict[str, Any]:
    """Return the keyword arguments with which the services create the rally."""
    library = StageDesign.objects.filter(club=None, game=game, source__in=rally.courses)
    return {
        "name": rally.name,
        "game": game,
        "designs": sorted(library, key=lambda design: rally.courses.index(design.source)),
        "options": dict(rally.options),
        "mode": Rally.Mode.CONVOY,
        "turn_hours": TURN_HOURS,
        "reminder_hours": REMINDER_HOURS,
    }


def crews_of(rally: Rally) -> tuple[Person, ...]:
    """Return the persons who drive in a rally beside the championship."""
    crews = (DRIVER, *CODRIVEN) if rally.club.name == CLUB else (GUEST, *NEIGHBOURS)
    cars = {told.name: told.cars for elsewhere in (False, True) for _game, told in declared(elsewhere=elsewhere)}
    return crews[: cars[rally.name]]


def enter(rally: Rally, organiser: User, *, codrivers: bool) -> None:
    """Enter the persons in a rally beside the championship, confirmed. `codrivers`: whether the codriver drives the
    cars of those who let it.
    """
    if not rally.entries.exists():
        for person in crews_of(rally):
            rallies.enter_rally(by=account(person), rally=rally, crew=person.crew)
        rallies.confirm_all(by=organiser, rally=rally)
    if codrivers:
        hand_to_codrivers(rally)


def hand_to_codrivers(rally: Rally) -> None:
    """Give the cars to the codriver of everybody who lets it drive, each in the person's manner."""
    people = {person.email: person for person in (*CODRIVEN, *NEIGHBOURS)}
    for entry in rally.entries.select_related("driver"):
        person = people.get(entry.driver.email)
        if person is not None:
            rallies.set_driven_by(
                by=entry.driver,
                entry=entry,
                driven_by=Entry.DrivenBy.CODRIVER,
                manner=manner_of(person, rally),
            )


def manner_of(person: Person, rally: Rally) -> str:
    """Return the manner of the person's codriver in a rally; "" where the game has none."""
    known = names_of(rally.game)
    return known[min(person.manner, len(known) - 1)] if known else ""


def write_order(rally: Rally, organiser: User, numbers: Sequence[int]) -> None:
    """Write the start list by hand: the start numbers in starting order."""
    entries: Mapping[int | None, int] = {entry.start_number: entry.pk for entry in rally.entries.all()}
    seen = fingerprint([entries[number] for number in sorted(filter(None, entries))], rally.seeded_by)
    order = [entries[number] for number in numbers]
    rallies.write_start_list(by=organiser, rally=rally, order=order, seen=seen)
