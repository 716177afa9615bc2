"""Remember which scenes of a school a person has done."""

from __future__ import annotations

from django.db import transaction

from championship.accounts.models import User
from championship.platform import clock
from championship.rallies.desk.practice_designs import exercise_practised
from championship.rallies.models import Entry
from championship.runs.models import Run, SceneDone
from championship.runs.watch.practice import passes_exam
from championship.runs.watch.scenes import EXAM
from engine.contract import StageResult


@transaction.atomic
def mark_done(*, by: User, game: str, scene: str) -> None:
    """Remember that a person has done a scene, or "exam". Twice has the same effect as once.

    Nothing is written for a guest who has been deleted meanwhile.
    """
    if User.objects.select_for_update(no_key=True).filter(pk=by.pk).exists():
        done = SceneDone(person=by, game=game, scene=scene, done_at=clock.now())
        SceneDone.objects.bulk_create([done], ignore_conflicts=True)


def pass_exam(run: Run, result: StageResult) -> None:
    """Remember that the driver of an exam has passed it: finished, and no codriver did better. The run is locked, which
    keeps a guest from being deleted. Two queries for a practice run, none for any other.
    """
    stage = run.special_stage
    if not stage.rally.practice or exercise_practised(stage) != EXAM:
        return
    for seat in run.seats.filter(entry__driven_by=Entry.DrivenBy.PERSON).select_related("entry"):
        if passes_exam(run.game, result, seat.name):
            passed = SceneDone(person_id=seat.entry.driver_id, game=run.game, scene=EXAM, done_at=clock.now())
            SceneDone.objects.bulk_create([passed], ignore_conflicts=True)


def hand_over_scenes(*, guest: User, person: User) -> None:
    """Give the person the scenes that the guest has done. Those that the person has done too go with the guest."""
    both = SceneDone.objects.filter(person=person).values_list("game", "scene")
    for game, scene in both:
        SceneDone.objects.filter(person=guest, game=game, scene=scene).delete()
    SceneDone.objects.filter(person=guest).update(person=person)
