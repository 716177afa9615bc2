"""Practice stages: rallies of the driving school with one stage and one pupil, which start at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction

from championship.accounts.models import User
from championship.clubs.practice_club import practice_club
from championship.platform import clock
from championship.rallies.control import career
from championship.rallies.desk.services.starting import open_special_stage
from championship.rallies.followers import rally_followers
from championship.rallies.models import COLOURS, Entry, Rally, SpecialStage, StartPlace
from championship.rallies.results.measures import measure_of_game
from championship.stages.models import StageDesign
from engine import registry
from engine.contract import Courses, required

START_NUMBER = 1
HOURS = 720
"""The hours that a practice stage waits for a turn. After that it is ended as forgotten (runs/services)."""


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
) -> Rally:
    """Create a practice rally in which the person drives that stage at once, alone or against `rivals` codrivers.

    `options` replace the game's default options. Nobody is notified, and no club's log records it. `name`: the name of
    the rally. `exercise`: the name of the game's exercise, "" for its lessons.
    """
    rules, measure = registry.get(game), measure_of_game(game)
    school, now = practice_club(), clock.now()
    stage_spec = required(rules, Courses).read_course(spec)
    design, _new = StageDesign.objects.update_or_create(
        club=school, name=f"Practice: {game} {exercise}".strip(), defaults={"game": game, "spec": stage_spec}
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
        turn_hours=HOURS,
        reminder_hours=0,
        practice=True,
        started_at=now,
    )
    stage = SpecialStage.objects.create(rally=rally, number=1, design=design, spec=stage_spec)
    for follower in rally_followers:
        follower.rally_made(rally)
    _enter(rally, stage, by, START_NUMBER, crew=by.name or by.email.partition("@")[0])
    for number in range(START_NUMBER + 1, START_NUMBER + 1 + rivals):
        driver = _instructor(number)
        _enter(rally, stage, driver, number, crew=driver.name, driven_by=Entry.DrivenBy.CODRIVER)
    open_special_stage(stage)
    return rally


def _enter(rally: Rally, stage: SpecialStage, driver: User, number: int, **how: Any) -> None:
    """Create a confirmed entry and its place on the start list; its position is its start number."""
    entry = Entry.objects.create(
        rally=rally,
        driver=driver,
        status=Entry.Status.CONFIRMED,
        start_number=number,
        colour=(number - START_NUMBER) % COLOURS,
        car=career.new_car(rally),
        **how,
    )
    StartPlace.objects.create(special_stage=stage, entry=entry, position=number)


def _instructor(number: int) -> User:
    """The account of a codriver of the driving school. Nobody can sign in with it."""
    usual = {"name": f"Codriver {number - START_NUMBER}", "is_active": False, "password": make_password(None)}
    address = f"instructor-{number}@driving-school.invalid"
    return User.objects.get_or_create(email=address, defaults=usual)[0]
