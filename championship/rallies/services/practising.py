"""A practice stage: a rally of the driving school with one stage and one car, on the road at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from championship import clock
from championship.accounts.models import User
from championship.clubs.school import driving_school
from championship.rallies.models import Entry, Rally, SpecialStage, StartPlace
from championship.rallies.services.starting import open_stage
from championship.rallies.signals import rally_made
from championship.stages.models import StageDesign
from engine import ruleset as rulesets

START_NUMBER = 1
HOURS = 720
"""A practice stage waits that long for a turn; then it is forgotten."""


@transaction.atomic
def open_practice(*, by: User, game: str, name: str, spec: Mapping[str, Any]) -> Rally:
    """The person on the stage of that tile list, alone against the clock, with the game's usual options.

    No office bearer takes part, nobody is told and no club's log tells of it. `name`: what the rally is called.
    """
    rules = rulesets.get(game)
    school, now = driving_school(), clock.now()
    stage_spec = rules.read_stage(spec)
    design, _new = StageDesign.objects.update_or_create(
        club=school, name=f"Practice: {game}", defaults={"game": game, "spec": stage_spec}
    )
    rally = Rally.objects.create(
        club=school,
        name=name,
        game=game,
        ruleset_version=rules.version,
        options=rules.clean_options({}),
        mode=Rally.Mode.OPEN_ROAD,
        status=Rally.Status.RUNNING,
        turn_hours=HOURS,
        reminder_hours=0,
        practice=True,
        started_at=now,
    )
    stage = SpecialStage.objects.create(rally=rally, number=1, design=design, spec=stage_spec)
    rally_made.send(sender=Rally, rally=rally)
    entry = Entry.objects.create(
        rally=rally,
        driver=by,
        status=Entry.Status.CONFIRMED,
        start_number=START_NUMBER,
        crew=by.name or by.email.partition("@")[0],
        car=rules.new_car(rally.options),
    )
    StartPlace.objects.create(special_stage=stage, entry=entry, position=1)
    open_stage(stage)
    return rally
