"""The demo's data: a league whose season is three rounds old, with a fourth round and other rallies under way, and a
public club. The past of the clubs is restored from recorded archives (`recording`); rallies under way are begun here,
and their recorded posts are played again by the rules. So proofs verify as everywhere.

It is made through the services that people use, in one transaction, so it exists completely or not at all. The games
declare which stages are driven (`championship.stages.demo_rallies.DEMO`). A rally without a recording is begun and left
at its start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import date, datetime, timedelta
from itertools import chain, count, repeat

from django.db import models, transaction
from django.utils import timezone

from championship import catalogue
from championship.accounts.models import User
from championship.archive.services.restoring import restore_club
from championship.archive.tables import TABLES
from championship.audit.models import Record
from championship.clubs.models import Club
from championship.demo import dates
from championship.demo.clubs import (
    CHAMPIONSHIP,
    CLUB,
    PUBLIC_CLUB,
    account,
    declared,
    enter,
    found_league,
    found_public_club,
    hand_to_codrivers,
    settings_of,
    write_order,
)
from championship.demo.persons import DRIVER, GUEST, HOST, ORGANISER
from championship.demo.recording import Given, Recorded, archive_of, file_of, games_in, under_way
from championship.demo.services.driving import drive
from championship.platform import clock
from championship.profiles.services import show
from championship.rallies.models import Entry, Rally
from championship.rallies.services import create_rally, draw_start_list, mark_result_seen, start_rally
from championship.runs.models import Run
from championship.runs.play.advancing_run import AdvancingRun
from championship.runs.play.sealing import recorded_secrets
from championship.seasons.models import Championship
from championship.seasons.services import open_round, registering
from championship.stages.demo_rallies import DemoRally
from championship.stages.services import load_library

CALENDAR_MADE = timedelta(days=9)
"""How long before now the coming rounds were put into the calendar."""
DAYS_BETWEEN_ROUNDS = 14
STARTED = tuple(timedelta(hours=hours) for hours in (50, 45, 31, 27))
"""How long before now the rallies under way have started; the last value also for all others."""
LAST_POSTS = tuple(timedelta(minutes=minutes) for minutes in (430, 75, 40, 20))
"""How long before now the last posts came in them."""


@transaction.atomic
def seed() -> bool:
    """Create the demo's data unless it exists. Returns whether it was created."""
    if Championship.objects.filter(name=CHAMPIONSHIP, club__memberships__user__email=ORGANISER.email).exists():
        return False
    load_library()
    now, recorded = clock.now(), under_way()
    league = _restored(CLUB, now) or found_league().club
    public = _restored(PUBLIC_CLUB, now) or found_public_club()
    for person in (DRIVER, GUEST):
        show(by=account(person))
    with dates.telling(now - CALENDAR_MADE):
        begun = [*_rounds(league, recorded, now), *_beside(league, recorded), *_elsewhere(public, recorded)]
        for rally, started, last_post in zip(begun, _held(STARTED), _held(LAST_POSTS), strict=False):
            dates.be(now - started)
            _begin(rally, recorded.get(rally.name), now - last_post)
    for person in (DRIVER, GUEST):
        for entry in Entry.objects.filter(driver=account(person), rally__status=Rally.Status.FINISHED):
            mark_result_seen(by=account(person), rally=entry.rally)
    return True


def _held(values: Sequence[timedelta]) -> Iterator[timedelta]:
    """Yield the values, and the last one for ever."""
    return chain(values, repeat(values[-1]))


def _restored(club: str, now: datetime) -> Club | None:
    """Restore the recorded past of a club. Returns None when a game that was driven there is not installed."""
    if not file_of(club).exists() or not games_in(club) <= set(catalogue.names()):
        return None
    return restore_club(by=None, file=archive_of(club, now=now), owner=None)


def _rounds(league: Club, recorded: Mapping[str, Recorded], now: datetime) -> list[Rally]:
    """Open the rounds that the past does not have. Returns the one that is under way."""
    championship = league.championships.get(name=CHAMPIONSHIP)
    known = set(championship.rounds.values_list("rally__name", flat=True))
    rounds = [each for each in declared() if each[1].in_season and each[1].name not in known]
    opened = []
    for number, (game, told) in enumerate(rounds):
        day = (now - STARTED[0]).date() + timedelta(days=number * DAYS_BETWEEN_ROUNDS)
        opened.append(new_rally(league, game, told, _secrets_of(recorded.get(told.name)), championship, day))
    date_back(league)
    return opened[:1]


def _beside(league: Club, recorded: Mapping[str, Recorded]) -> list[Rally]:
    found = [each for each in declared() if not each[1].in_season]
    made = [new_rally(league, game, told, _secrets_of(recorded.get(told.name))) for game, told in found]
    date_back(league)
    return made


def _elsewhere(public: Club, recorded: Mapping[str, Recorded]) -> list[Rally]:
    known = set(public.rallies.values_list("name", flat=True))
    found = [each for each in declared(elsewhere=True) if each[1].name not in known]
    made = [new_rally(public, game, told, _secrets_of(recorded.get(told.name))) for game, told in found[:1]]
    date_back(public)
    return made


def _secrets_of(recorded: Recorded | None) -> Sequence[bytes] | None:
    return None if recorded is None else [bytes.fromhex(each) for each in recorded.secrets]


def new_rally(
    club: Club,
    game: str,
    told: DemoRally,
    secrets: Sequence[bytes] | None,
    championship: Championship | None = None,
    day: date | None = None,
) -> Rally:
    """Create the rally that a game declares, in the club, or as a round of the championship planned for a day.
    `secrets`: those of its stages; None for random ones.
    """
    organiser = account(ORGANISER if club.name == CLUB else HOST)
    with nullcontext() if secrets is None else recorded_secrets(secrets):
        if championship is None:
            return create_rally(by=organiser, club=club, **settings_of(game, told))
        made = open_round(by=organiser, championship=championship, planned_for=day, **settings_of(game, told))
        return made.rally


def begin_under_way(rally: Rally, numbers: Sequence[int]) -> Run:
    """Start a rally whose entries are confirmed, in this order of start numbers, with the codriver in all cars but the
    visitor's. Returns the run of its first stage.
    """
    organiser = account(ORGANISER if rally.club.name == CLUB else HOST)
    hand_to_codrivers(rally)
    write_order(rally, organiser, numbers)
    start_rally(by=organiser, rally=rally)
    return Run.objects.get(special_stage__rally=rally, special_stage__number=1)


def _begin(rally: Rally, recorded: Recorded | None, last_post: datetime) -> None:
    """Start the rally and play its recorded posts, the last at `last_post`. Those of other rules are not played: the
    rally then stands at its start.
    """
    started, organiser = clock.now(), account(ORGANISER if rally.club.name == CLUB else HOST)
    season = Championship.objects.filter(rounds__rally=rally).first()
    if season is not None:
        registering.enter_registered(by=organiser, round=rally.round)
    else:
        enter(rally, organiser, codrivers=False)
    if recorded is None or recorded.version != rally.ruleset_version:
        dates.be(last_post)
        hand_to_codrivers(rally)
        draw_start_list(by=organiser, rally=rally)
        start_rally(by=organiser, rally=rally)
    else:
        run = begin_under_way(rally, recorded.order)
        drive(run, _as_recorded(recorded.posts, started, last_post))
        dates.be(started)
    Entry.objects.filter(rally=rally).update(created_at=started)


def _as_recorded(
    posts: Sequence[Given], started: datetime, last_post: datetime
) -> Callable[[AdvancingRun], Given | None]:
    """Return orders for `drive`: the recorded ones, evenly between two moments."""
    step, numbers = (last_post - started) / max(len(posts), 1), count()

    def orders(_advancing: AdvancingRun) -> Given | None:
        number = next(numbers)
        if number >= len(posts):
            return None
        dates.be(started + step * (number + 1))
        return posts[number]

    return orders


def date_back(club: Club) -> None:
    """Let what the club has be as old as the clock tells: dates that the machine's clock gave are in its future."""
    now = clock.now()
    for table in TABLES:
        for field in table.model._meta.concrete_fields:
            given = isinstance(field, models.DateTimeField) and (field.auto_now_add or field.default is timezone.now)
            if given and table.model is not Record:
                rows = table.model._default_manager.filter(**{table.club: club.pk, f"{field.name}__gt": now})
                rows.update(**{field.name: now})


__all__ = ["CHAMPIONSHIP", "CLUB", "PUBLIC_CLUB", "User", "begin_under_way", "date_back", "new_rally", "seed"]
