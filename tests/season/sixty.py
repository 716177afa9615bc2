"""A season of sixty drivers over the three games, played by codrivers from the first entry to the last table.

It has divisions, a transfer, a double finale, a stage that is struck out, heats with a final, and an appeal with a
statement. It is played twice: by hand over HTTP, and by the season's own clock. What the organiser presses is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.test import Client
from django.urls import reverse

from championship.accounts.models import User
from championship.accounts.services import create_user
from championship.clubs.models import Club, Membership, Role
from championship.clubs.services import create_club
from championship.deadlines.tasks import sweep
from championship.platform import clock
from championship.rallies import services as rallies
from championship.rallies.knockout.plan import Cut, Knockout
from championship.rallies.models import Entry, Rally
from championship.seasons import services
from championship.seasons.models import Championship, Round
from championship.seasons.services import registering
from championship.stages.models import StageDesign
from championship.stages.services import create_design, load_library
from championship.stewards.models import Decision, Protest
from engine.dirt.course.random_stages import build
from tests.factories import signed_in
from tests.games.formula_d.engine import pond

DIVISIONS = ("Division 1", "Division 2", "Division 3")
POINTS = tuple(range(60, 0, -1))
DAYS_BETWEEN = 7
DAY = timedelta(days=1)


@dataclass(slots=True)
class League:
    """A club with a season whose rounds take entries, and what its organiser has pressed: "posts" and "pages"."""

    organiser: User
    stewards: list[User]
    club: Club
    drivers: list[User]
    championship: Championship
    pressed: Counter[str] = field(default_factory=Counter)

    def rounds(self) -> list[Round]:
        """Return the rounds as they are now, with their rallies."""
        return list(self.championship.rounds.select_related("rally").order_by("number"))

    def opens(self, address: str) -> None:
        """The organiser opens a page."""
        self.pressed["pages"] += 1
        answer = signed_in(self.organiser).get(address)
        assert answer.status_code == 200, (address, answer.status_code)

    def presses(self, address: str, **fields: Any) -> None:
        """The organiser presses a button; the page that it leads to is part of that."""
        self.pressed["posts"] += 1
        answer = signed_in(self.organiser).post(address, fields)
        assert answer.status_code == 302, (address, answer.status_code, answer.content.decode()[-2000:])


def league(name: str, cars: int, first_day: datetime) -> League:
    """Create a club with so many drivers in three divisions and teams of five, and a season of five rounds."""
    organiser = create_user(email=f"olga.{name}@example.org", name=f"Olga {name}")
    club = create_club(by=organiser, name=f"League {name}")
    stewards = [create_user(email=f"s{n}.{name}@example.org", name=f"Steward {n}") for n in (1, 2)]
    drivers = [create_user(email=f"d{n}.{name}@example.org", name=f"Driver {n:02}") for n in range(1, cars + 1)]
    Membership.objects.bulk_create(
        [Membership(club=club, user=steward, roles=[Role.STEWARD]) for steward in stewards]
        + [Membership(club=club, user=driver, roles=[Role.DRIVER]) for driver in drivers]
    )
    season = services.create_championship(
        by=organiser,
        club=club,
        name="Season of sixty",
        classes=DIVISIONS,
        points=POINTS,
        team_counts=3,
        drop=1,
        tie_breaks=("wins", "best places", "last round"),
        further={"divisions": {"names": list(DIVISIONS), "up": 2, "down": 2}},
    )
    teams = registering.name_teams(
        by=organiser, championship=season, names=[f"Team {n}" for n in range(1, cars // 5 + 1)]
    )
    for number, driver in enumerate(drivers):
        registering.register(
            by=organiser,
            championship=season,
            driver=driver,
            crew=driver.name,
            car_class=DIVISIONS[number * len(DIVISIONS) // cars],
            start_number=number + 1,
            team=teams[number % len(teams)],
        )
    made = League(organiser, stewards, club, drivers, season)
    _make_rounds(made, first_day)
    return made


def _make_rounds(there: League, first_day: datetime) -> None:
    """Two stages; heats and a final; heats, semi-finals and a final in a third game; and a finale of two rounds. The
    last one counts twice.
    """
    if not StageDesign.objects.filter(club=None, game="dust").exists():
        load_library()
    by, club = there.organiser, there.club
    roads = [build(tiles=3, seed=seed, hazard=1, service=False) for seed in (1, 2)]
    short = [
        create_design(by=by, club=club, name=f"Short {number}", game="dirt", spec=road)
        for number, road in enumerate(roads, 1)
    ]
    track = create_design(by=by, club=club, name="Pond", game="formula_d", spec={"csv": pond.track()})
    cards = StageDesign.objects.filter(club=None, game="dust").order_by("pk")[0]
    heats = {"knockout": Knockout((Cut(10, 1),), grid="standing last").as_json()}
    semi = {"knockout": Knockout((Cut(8, 0), Cut(4, 1)), grid="reversed").as_json()}
    plans: list[dict[str, Any]] = [
        {"game": "dirt", "designs": short},
        {"game": "formula_d", "designs": [track], "options": {"start_roll": False, "laps": 1}, "event": heats},
        {"game": "dust", "designs": [cards], "options": {"cards": SHORT_CARDS}, "event": semi},
        {"game": "dirt", "designs": short[:1], "event": {"missed": "slowest", "missed_added": 20}},
        {"game": "dirt", "designs": short[1:]},
    ]
    for number, plan in enumerate(plans):
        services.open_round(
            by=by,
            championship=there.championship,
            name=f"Round {number + 1}",
            mode=Rally.Mode.CONVOY,
            turn_hours=24,
            reminder_hours=4,
            planned_for=(first_day + number * DAYS_BETWEEN * DAY).date(),
            **{"options": {}, **plan},
        )
    Round.objects.filter(championship=there.championship, number=len(plans)).update(factor=200)


SHORT_CARDS = "5"


# What people do in either way -------------------------------------------------------------------------


def hand_over(there: League, rally: Rally) -> None:
    """Every driver lets the codriver drive."""
    for entry in rally.entries.filter(status="confirmed", driven_by="person").select_related("driver"):
        rallies.set_driven_by(by=entry.driver, entry=entry, driven_by=Entry.DrivenBy.CODRIVER)


def dispute(there: League) -> None:
    """After the first round: a protest, a statement, a decision, an appeal and its answer; and a stage is struck out.
    All over HTTP, by the drivers and the stewards.
    """
    rally = there.rounds()[0].rally
    entries = list(rally.entries.filter(status="confirmed").select_related("driver").order_by("start_number"))
    plaintiff, accused = entries[3], entries[7]
    stage = rally.stages.get(number=1)
    file = reverse("stewards:file", args=[rally.key])
    said = {"against": accused.pk, "special_stage": stage.pk, "text": "He blocked the road."}
    sent(signed_in(plaintiff.driver), file, **said)
    protest = Protest.objects.get(rally=rally)
    sent(signed_in(accused.driver), reverse("stewards:answer", args=[protest.key]), text="I let everybody pass.")
    first, second = (signed_in(steward) for steward in there.stewards)
    penalty = {"kind": "penalty", "entry": accused.pk, "special_stage": stage.pk, "amount": 30, "text": "He did."}
    sent(first, reverse("stewards:decide_protest", args=[protest.key]), **penalty)
    decision = Decision.objects.get(rally=rally)
    sent(signed_in(accused.driver), reverse("stewards:appeal", args=[decision.key]), text="Look at the replay.")
    appeal = Protest.objects.get(rally=rally, appealed=decision)
    back = {"kind": "reversal", "undoes": decision.pk, "text": "The replay shows it: nobody was blocked."}
    sent(second, reverse("stewards:decide_protest", args=[appeal.key]), **back)
    struck = {"kind": "struck", "special_stage": rally.stages.get(number=2).pk, "text": "A tree lay across the road."}
    sent(first, reverse("stewards:decide", args=[rally.key]), **struck)
    excluded = {"kind": "exclusion", "entry": entries[11].pk, "text": "An illegal engine."}
    sent(first, reverse("stewards:decide", args=[rally.key]), **excluded)


def sent(client: Client, address: str, **fields: Any) -> None:
    """Send a form, which must be accepted."""
    answer = client.post(address, fields)
    assert answer.status_code == 302, (address, answer.status_code, answer.content.decode()[-2000:])


def transfer(there: League) -> None:
    """Two drivers change teams: the organiser opens their registrations and saves them."""
    found = there.championship.registrations.select_related("team").order_by("start_number")
    one, other = found[0], found[1]
    for member, team in ((one, other.team_id), (other, one.team_id)):
        page = reverse("seasons:registration", args=[there.championship.key, member.pk])
        there.opens(page)
        there.presses(page, crew=member.crew, car_class=member.car_class, start_number=member.start_number, team=team)


def after(there: League, number: int) -> None:
    """What happens when a round is over."""
    if number == 1:
        dispute(there)
    if number == 2:
        transfer(there)


# By hand ---------------------------------------------------------------------------------------------


def play_by_hand(there: League) -> None:
    """The organiser opens the desk of each round, enters everybody, writes the start list and starts."""
    for each in there.rounds():
        rally = each.rally
        desk = reverse("rallies:desk", args=[rally.key])
        there.opens(desk)
        there.presses(reverse("seasons:enter_registered", args=[there.championship.key, each.number]))
        hand_over(there, rally)
        if each.number == 1:
            there.presses(reverse("rallies:act", args=[rally.key, "draw"]))
        else:
            lists = reverse("rallies:start_list", args=[rally.key])
            there.opens(lists)
            there.presses(lists, do="standing")
        there.presses(reverse("rallies:act", args=[rally.key, "start"]))
        rally.refresh_from_db()
        assert rally.status == Rally.Status.FINISHED, (rally, rally.status)
        after(there, each.number)


# By the clock ----------------------------------------------------------------------------------------


def play_by_clock(there: League, at: Callable[[datetime], datetime]) -> None:
    """The organiser starts the clock of the season once. The sweep does the rest, hour by hour."""
    page = reverse("seasons:edit_clock", args=[there.championship.key])
    there.opens(page)
    there.presses(
        page,
        running="on",
        start_time="19:00",
        zone="UTC",
        opens_days="3",
        asks_hours="0",
        closes_hours="12",
        silent="stays",
        draws="standing",
        version="0",
    )
    done: set[int] = set()
    last = clock.now() + 60 * DAY
    while len(done) < len(there.rounds()):
        assert clock.now() < last, "the season does not end"
        sweep()
        for each in there.rounds():
            if each.rally.status == Rally.Status.ENTRIES:
                hand_over(there, each.rally)
            elif each.rally.status == Rally.Status.FINISHED and each.number not in done:
                done.add(each.number)
                after(there, each.number)
        at(clock.now() + timedelta(hours=6))
