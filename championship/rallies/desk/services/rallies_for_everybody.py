"""Rallies that no organiser makes, with one stage each.

Open stages are rallies for everybody with one random stage. Each driver drives it once and alone, and all drivers have
the same random draws. People may start as long as the stage is open.

Practice stages are rallies of the driving school with one pupil, which start at once.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from championship import catalogue
from championship.accounts.models import User
from championship.clubs.models import Ban
from championship.clubs.services import open_club, practice_club
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.control import career
from championship.rallies.desk.practice_designs import practice_design
from championship.rallies.desk.services.starting import open_special_stage
from championship.rallies.entries.codrivers import called
from championship.rallies.followers import rally_followers
from championship.rallies.locks import locked_rally
from championship.rallies.models import COLOURS, Entry, Rally, SpecialStage, StartPlace
from championship.rallies.results.measures import measure_of_game
from championship.rallies.results.services.recording_results import end_stage
from championship.stages.models import StageDesign
from engine import registry
from engine.contract import Courses, OpenStage, offered, required

logger = logging.getLogger(__name__)

MOST_CARS = 999
"""Start numbers have three digits."""
REMINDER_HOURS = 24
TURN_HOURS = 720
"""Has no effect: all turns of a stage with a closing time end at that time."""
PUPIL_NUMBER = 1
PRACTICE_HOURS = 720
"""The hours that a practice stage waits for a turn. After that it is ended as forgotten (runs/play)."""


def games_for_everybody() -> tuple[str, ...]:
    """The names of the installed games that can generate an open stage, sorted."""
    return tuple(sorted(name for name in catalogue.names() if offered(registry.get(name), OpenStage) is not None))


@transaction.atomic
def make_rally_for_everybody(*, game: str, name: str, closes_at: datetime) -> Rally:
    """Generate a random stage of the game, make its seal and open it until `closes_at`. It has no entries yet, and
    nobody is notified. `name`: the name of the rally and of its stage design, unique in the club of open stages.

    Raises: GameError when the game finds no stage.
    Raises: NotOffered when the game generates no open stages.
    """
    rules, measure, club = registry.get(game), measure_of_game(game), open_club()
    drawing = required(rules, OpenStage)
    spec = required(rules, Courses).read_course(drawing.draw_stage(seed=secrets.randbits(64)))
    design = StageDesign.objects.create(club=club, name=name, game=game, spec=spec)
    rally = Rally.objects.create(
        club=club,
        name=name,
        game=game,
        ruleset_version=rules.version,
        unit=measure.unit,
        better=measure.better,
        options=rules.clean_options(drawing.open_options()),
        mode=Rally.Mode.OPEN_ROAD,
        status=Rally.Status.RUNNING,
        pace=Rally.Pace.CLOSING,
        turn_hours=TURN_HOURS,
        reminder_hours=REMINDER_HOURS,
        for_everybody=True,
        started_at=clock.now(),
    )
    stage = SpecialStage.objects.create(rally=rally, number=1, design=design, spec=spec)
    for follower in rally_followers:
        follower.rally_made(rally)
    open_special_stage(stage)
    stage.closes_at = closes_at
    stage.save(update_fields=["closes_at"])
    return rally


@transaction.atomic
def enter_for_everybody(*, by: User, rally: Rally) -> Entry:
    """Enter the person in an open stage, as the last on its start list. Returns the existing entry of a person who has
    entered already.

    The rally stays locked, and the caller opens the run. Bots are refused because they could drive the same draws as
    often as they like.

    Raises: Refused when the stage has closed or is full, when the person is banned, or when it is a bot.
    """
    rally = locked_rally(rally.pk)
    mine = rally.entries.filter(driver=by).first()
    if mine is not None:
        return mine
    stage = rally.stages.get(number=1)
    now = clock.now()
    if stage.status != SpecialStage.Status.RUNNING or stage.closes_at is None or stage.closes_at <= now:
        raise Refused(_("This open stage has closed. Drive the next one."))
    if by.is_bot:
        raise Refused(_("Bots cannot drive the open stage."))
    if Ban.objects.filter(club=rally.club_id, person=by, lifted_at=None).exists():
        raise Refused(_("You were removed from the open stage."))
    number = (rally.entries.aggregate(last=Max("start_number"))["last"] or 0) + 1
    if number > MOST_CARS:
        raise Refused(_("%(most)d cars have started: this stage is full. Drive the next one.") % {"most": MOST_CARS})
    entry = Entry.objects.create(
        rally=rally,
        driver=by,
        status=Entry.Status.CONFIRMED,
        start_number=number,
        colour=(number - 1) % COLOURS,
        crew=by.name or _("Driver %s") % number,
        car=career.new_car(rally),
    )
    StartPlace.objects.create(special_stage=stage, entry=entry, position=number)
    return entry


@transaction.atomic
def close_now(*, rally: Rally, now: datetime) -> None:
    """Set the closing time of an open stage to now. The next sweep retires the cars that are still on the road."""
    stages = locked_rally(rally.pk).stages
    stages.filter(status=SpecialStage.Status.RUNNING, closes_at__gt=now).update(closes_at=now)


@transaction.atomic
def close_for_everybody(*, rally: Rally, now: datetime, without: Collection[int] = ()) -> bool:
    """End an open stage whose closing time has passed and on which nobody drives any more. Returns whether it did.

    `without`: entries that could not be retired. The stage does not wait for their results, which are recorded later.
    After that its results are final, its seal is public, and everybody may see everything about it.
    """
    rally = locked_rally(rally.pk)
    stage = rally.stages.get(number=1)
    due = stage.status == SpecialStage.Status.RUNNING and stage.closes_at is not None and stage.closes_at <= now
    started = set(stage.start_places.values_list("entry_id", flat=True))
    if not due or started - set(stage.times.values_list("entry_id", flat=True)) - set(without):
        return False
    end_stage(rally, stage)
    return True


@transaction.atomic
def open_practice(
    *,
    by: User,
    game: str,
    name: str,
    spec: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
    rivals: int = 0,
    exercise: str = "",
    manner: str = "",
) -> Rally:
    """Create a practice rally in which the person drives that stage at once, alone or against `rivals` codrivers.

    `options` replace the game's default options. Nobody is notified, and no club's log records it. `name`: the name of
    the rally. `exercise`: the name of the game's exercise, "" for its lessons. `manner`: that of the codrivers, who
    have its name then; "" for the usual one.
    """
    rules, measure = registry.get(game), measure_of_game(game)
    school, now = practice_club(), clock.now()
    stage_spec = required(rules, Courses).read_course(spec)
    design, _new = StageDesign.objects.update_or_create(
        club=school, name=practice_design(game, exercise), defaults={"game": game, "spec": stage_spec}
    )
    rally = Rally.objects.create(
        club=school,
        name=name,
        game=game,
        ruleset_version=rules.version,
        unit=measure.unit,
        better=measure.better,
        options=rules.clean_options(options or {}),
        mode=Rally.Mode.CONVOY if rivals else Rally.Mode.OPEN_ROAD,
        status=Rally.Status.RUNNING,
        turn_hours=PRACTICE_HOURS,
        reminder_hours=0,
        practice=True,
        started_at=now,
    )
    stage = SpecialStage.objects.create(rally=rally, number=1, design=design, spec=stage_spec)
    for follower in rally_followers:
        follower.rally_made(rally)
    _enter(rally, stage, by, PUPIL_NUMBER, crew=by.name or by.email.partition("@")[0])
    for number in range(PUPIL_NUMBER + 1, PUPIL_NUMBER + 1 + rivals):
        driver = _instructor(number)
        crew = called(game, manner) if manner else driver.name
        _enter(rally, stage, driver, number, crew=crew, driven_by=Entry.DrivenBy.CODRIVER, manner=manner)
    open_special_stage(stage)
    return rally


def _enter(rally: Rally, stage: SpecialStage, driver: User, number: int, **how: Any) -> None:
    """Create a confirmed entry and its place on the start list; its position is its start number."""
    entry = Entry.objects.create(
        rally=rally,
        driver=driver,
        status=Entry.Status.CONFIRMED,
        start_number=number,
        colour=(number - PUPIL_NUMBER) % COLOURS,
        car=career.new_car(rally),
        **how,
    )
    StartPlace.objects.create(special_stage=stage, entry=entry, position=number)


def _instructor(number: int) -> User:
    """The account of a codriver of the driving school. Nobody can sign in with it."""
    usual = {"name": f"Codriver {number - PUPIL_NUMBER}", "is_active": False, "password": make_password(None)}
    address = f"instructor-{number}@driving-school.invalid"
    return User.objects.get_or_create(email=address, defaults=usual)[0]
