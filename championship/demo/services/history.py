"""Records the demo: founds its clubs on an empty database, drives their past, and finds for each rally under way the
moment at which the next turn is interesting.

Everything is done by the services that people use, at injected time. The codrivers of the engine decide every turn, in
the manner of each person. `luck` chooses all secrets and salts: the same luck drives the same recording.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from datetime import datetime, time, timedelta
from random import Random

from django.db import transaction

from championship.archive.services.writing import write_archive
from championship.clubs.models import Club
from championship.demo import dates, story
from championship.demo.clubs import (
    CLUB,
    account,
    declared,
    enter,
    found_league,
    found_public_club,
    manner_of,
    write_order,
)
from championship.demo.persons import DRIVER, GUEST, HOST, ORGANISER, PERSONS, Person
from championship.demo.recording import Given, Recorded, keep_archive, write_under_way
from championship.demo.services import begin_under_way, date_back, new_rally
from championship.demo.services.driving import drive
from championship.platform import clock
from championship.rallies import services as rallies
from championship.rallies.control import career
from championship.rallies.control.awaited_drivers import missing_cards
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.results.selectors import results_of
from championship.runs.models import Run, new_secret
from championship.runs.play.advancing_run import AdvancingRun
from championship.seasons.models import Championship
from championship.seasons.selectors import table
from championship.seasons.services import registering
from championship.stages.demo_rallies import DemoRally
from championship.stages.services import load_library

PAST_ROUNDS = 3
WEEKS_AGO = (7, 5, 3)
"""When the past rounds of the season began."""
TRIES = 3
"""How many rallies are driven to find an interesting moment in one of them."""
LONGEST = 9
"""After so many turns of the visitor's seat a rally has no moment that is worth more."""

Say = Callable[[str], None]


def record(*, luck: int, say: Say) -> None:
    """Record the demo and write the files of `championship.demo.recording`. The database is left as it was.

    Raises: RuntimeError when somebody of the demo has an account here: the database must be empty.
    """
    with transaction.atomic():
        _record(Random(luck), say)  # noqa: S311 - the secrets of a demo are public anyway
        transaction.set_rollback(True)


def _record(draw: Random, say: Say) -> None:
    load_library()
    today = clock.now()
    founded = datetime.combine(today.date() - timedelta(weeks=9), time(17, 5), today.tzinfo)
    with dates.telling(founded):
        championship = found_league()
        league = championship.club
        date_back(league)
        rounds = [each for each in declared() if each[1].in_season][:PAST_ROUNDS]
        for number, ((game, told), weeks) in enumerate(zip(rounds, WEEKS_AGO, strict=True), start=1):
            dates.be(datetime.combine(today.date() - timedelta(weeks=weeks, days=6), time(18, 12), today.tzinfo))
            day = clock.now().date() + timedelta(days=6)
            rally = new_rally(league, game, told, _secrets(draw, told), championship, day)
            registering.enter_registered(by=account(ORGANISER), round=rally.round)
            story.before_start(rally, number)
            date_back(league)
            dates.be(datetime.combine(today.date() - timedelta(weeks=weeks), time(8, 30), today.tzinfo))
            if number > 1:
                rallies.seed_by_standing(by=account(ORGANISER), rally=rally, leader_last=True)
            else:
                write_order(rally, account(ORGANISER), _shuffled(rally, draw))
            _drive_whole(rally, told, draw, gives_up=story.GIVES_UP.get(number))
            story.after_finish(rally, number)
            date_back(league)
            say(f"{rally.name}: {_result(rally)}")
        say(_standings(championship))
        say(f"{CLUB}: {_keep(league, today)} bytes")
        public = _record_public_club(today, draw, say)
        say(f"{public.name}: {_keep(public, today)} bytes")
        write_under_way(dict(_under_way(league, championship, public, draw, today, say)))


def _record_public_club(today: datetime, draw: Random, say: Say) -> Club:
    dates.be(datetime.combine(today.date() - timedelta(weeks=4), time(19, 40), today.tzinfo))
    club = found_public_club()
    date_back(club)
    for game, told in declared(elsewhere=True)[:1]:
        dates.be(datetime.combine(today.date() - timedelta(weeks=2, days=3), time(9, 15), today.tzinfo))
        rally = new_rally(club, game, told, _secrets(draw, told))
        enter(rally, account(HOST), codrivers=False)
        write_order(rally, account(HOST), _shuffled(rally, draw))
        _drive_whole(rally, told, draw)
        story.after_public_rally(rally)
        date_back(club)
        say(f"{rally.name}: {_result(rally)}")
    return club


def _shuffled(rally: Rally, draw: Random) -> list[int]:
    """Return the start numbers of the rally in a drawn order."""
    numbers = sorted(number for number in rally.entries.values_list("start_number", flat=True) if number is not None)
    draw.shuffle(numbers)
    return numbers


def _keep(club: Club, today: datetime) -> int:
    """Write the club's archive as of `today`. Returns the size of what is kept, in bytes."""
    before, archive = clock.now(), io.BytesIO()
    dates.be(today)
    write_archive(club, archive)
    dates.be(before)
    return keep_archive(club.name, archive)


def _secrets(draw: Random, told: DemoRally) -> list[bytes]:
    return [draw.randbytes(len(new_secret())) for _stage in told.courses]


# Rallies that are over ----------------------------------------------------------------------------


def _drive_whole(
    rally: Rally, told: DemoRally, draw: Random, *, gives_up: tuple[int, int, Person] | None = None
) -> None:
    """Start the rally and drive it to its end. `gives_up`: the stage, the turn on it after which a car retires,
    and its driver.
    """
    organiser = account(ORGANISER) if rally.club.name == CLUB else account(HOST)
    rallies.start_rally(by=organiser, rally=rally)
    rally.refresh_from_db()
    while rally.status == Rally.Status.RUNNING:
        stage = rally.stages.exclude(status=SpecialStage.Status.DONE).order_by("number")[0]
        stage.rally = rally
        for run in stage.runs.filter(status=Run.Status.RUNNING):
            here = gives_up if gives_up is not None and gives_up[0] == stage.number else None
            drive(run, _by_codrivers(draw, here))
        _hand_in_cards(rally, stage, told)
        rally.refresh_from_db()


def _by_codrivers(draw: Random, gives_up: tuple[int, int, Person] | None) -> Callable[[AdvancingRun], Given | None]:
    people = {person.email: person for person in PERSONS}

    def orders(advancing: AdvancingRun) -> Given | None:
        rules, state = advancing.rules, advancing.run.state
        for seat in rules.to_play(state):
            dates.later(draw.triangular(1, 40, 6))
            driver, rally = people[advancing.seats[seat].entry.driver.email], advancing.run.special_stage.rally
            if gives_up is not None and driver is gives_up[2] and rules.turns_made(state, seat) >= gives_up[1]:
                return Given(seat, rules.resign(state, seat), _salt(draw))
            return Given(seat, rules.autopilot(state, seat, manner_of(driver, rally)), _salt(draw))
        return None

    return orders


def _salt(draw: Random) -> str:
    return f"{draw.getrandbits(96):024x}"


def _hand_in_cards(rally: Rally, stage: SpecialStage, told: DemoRally) -> None:
    stage.refresh_from_db()
    if stage.status != SpecialStage.Status.TIME_CONTROL:
        return
    last = not rally.stages.filter(number__gt=stage.number).exists()
    for entry in list(missing_cards(stage).select_related("driver").order_by("start_number")):
        dates.later(31)
        asked = career.decisions(rally, stage, entry.car, last=last)
        card = told.card(asked) if told.card is not None else {}
        answers = {each.name: card[each.name] for each in asked if each.name in card}
        rallies.submit_time_control(by=entry.driver, special_stage=stage, decision=answers)


# Rallies under way --------------------------------------------------------------------------------


def _under_way(
    league: Club, championship: Championship, public: Club, draw: Random, today: datetime, say: Say
) -> Iterator[tuple[str, Recorded]]:
    season = [each for each in declared() if each[1].in_season][PAST_ROUNDS : PAST_ROUNDS + 1]
    beside = [each for each in declared() if not each[1].in_season]
    elsewhere = declared(elsewhere=True)[1:2]
    for club, those in ((league, season), (league, beside), (public, elsewhere)):
        for game, told in those:
            best, recorded = 0, None
            for _try in range(TRIES):
                interest, found = _tried(club, championship if told.in_season else None, game, told, draw, today)
                if recorded is None or interest > best:
                    best, recorded = interest, found
            assert recorded is not None
            say(f"{told.name}: interest {best} after {len(recorded.posts)} posts")
            yield told.name, recorded


def _tried(
    club: Club, championship: Championship | None, game: str, told: DemoRally, draw: Random, today: datetime
) -> tuple[int, Recorded]:
    """Drive the first stage of the rally, and take it back. Returns the highest interest of a turn of the visitor's
    seat, and the recording up to this turn.
    """
    secrets, hero = _secrets(draw, told), (DRIVER if club.name == CLUB else GUEST).email
    with transaction.atomic():
        dates.be(today - timedelta(days=1))
        rally = new_rally(club, game, told, secrets, championship)
        if championship is not None:
            registering.enter_registered(by=account(ORGANISER), round=rally.round)
        else:
            enter(rally, account(ORGANISER if club.name == CLUB else HOST), codrivers=False)
        numbers = _shuffled(rally, draw)
        run = begin_under_way(rally, numbers)
        seat = str(rally.entries.get(driver__email=hero).start_number)
        posts: list[Given] = []
        best, at = 0, 0
        others = {str(each.start_number): _manner(each) for each in rally.entries.select_related("driver", "rally")}

        def orders(advancing: AdvancingRun) -> Given | None:
            nonlocal best, at
            rules, state = advancing.rules, advancing.run.state
            playing = rules.to_play(state)
            if not playing or rules.turns_made(state, seat) > LONGEST:
                return None
            if tuple(playing) == (seat,) and posts:
                interest = told.interest(state, seat) if told.interest is not None else len(posts)
                if interest > best:
                    best, at = interest, len(posts)
            next_seat = next((each for each in playing if each != seat), seat)
            salt = _salt(draw) if next_seat == seat else ""
            posts.append(Given(next_seat, rules.autopilot(state, next_seat, others[next_seat]), salt))
            return posts[-1]

        drive(run, orders)
        transaction.set_rollback(True)
    return best, Recorded(game, rally.ruleset_version, [each.hex() for each in secrets], numbers, posts[:at])


def _manner(entry: Entry) -> str:
    person = next(each for each in PERSONS if each.email == entry.driver.email)
    return manner_of(person, entry.rally)


# What the one who records reads -------------------------------------------------------------------


def _result(rally: Rally) -> str:
    results = results_of(rally)
    lines = results.overall_lines(results.complete)
    return ", ".join(f"{line.entry.driver} {line.total}" for line in lines)


def _standings(championship: Championship) -> str:
    lines = table(championship).drivers
    return "; ".join(f"{line.place}. {line.who} {line.total}" for line in lines)
