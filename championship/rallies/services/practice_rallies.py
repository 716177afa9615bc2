"""A practice stage: a rally of the driving school with one stage and one pupil, on the road at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction

from championship import clock
from championship.accounts.models import User
from championship.clubs.practice_club import practice_club
from championship.rallies import career
from championship.rallies.measures import measure_of_game
from championship.rallies.models import COLOURS, Entry, Rally, SpecialStage, StartPlace
from championship.rallies.services.starting import open_stage
from championship.rallies.signals import rally_made
from championship.stages.models import StageDesign
from engine import registry
from engine.contract import Courses, required

START_NUMBER = 1
HOURS = 720
"""A practice stage waits that long for a turn; then it is forgotten."""


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
    """The person on that stage, with the game's usual options but for those that are given: alone against the clock, or
    with as many codrivers as `rivals`.

    No office bearer takes part, nobody is told and no club's log tells of it. `name`: what the rally is called.
    `exercise`: the name of the game's exercise, "" for its lessons.
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
    rally_made.send(sender=Rally, rally=rally)
    _enter(rally, stage, by, START_NUMBER, crew=by.name or by.email.partition("@")[0])
    for number in range(START_NUMBER + 1, START_NUMBER + 1 + rivals):
        driver = _instructor(number)
        _enter(rally, stage, driver, number, crew=driver.name, driven_by=Entry.DrivenBy.CODRIVER)
    open_stage(stage)
    return rally


def _enter(rally: Rally, stage: SpecialStage, driver: User, number: int, **how: Any) -> None:
    """A confirmed entry, on the start list behind those before it."""
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
    """The account of a codriver of the driving school. Nobody signs in with it."""
    usual = {"name": f"Codriver {number - START_NUMBER}", "is_active": False, "password": make_password(None)}
    address = f"instructor-{number}@driving-school.invalid"
    return User.objects.get_or_create(email=address, defaults=usual)[0]
