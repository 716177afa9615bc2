"""Remember which scenes of a school a person has done."""

from __future__ import annotations

from django.db import transaction

from championship.accounts.models import User
from championship.platform import clock
from championship.runs.models import SceneDone


@transaction.atomic
def mark_done(*, by: User, game: str, scene: str) -> None:
    """Remember that a person has done a scene, or "exam". Twice has the same effect as once.

    Nothing is written for a guest who has been deleted meanwhile.
    """
    if User.objects.select_for_update(no_key=True).filter(pk=by.pk).exists():
        done = SceneDone(person=by, game=game, scene=scene, done_at=clock.now())
        SceneDone.objects.bulk_create([done], ignore_conflicts=True)


def hand_over_scenes(*, guest: User, person: User) -> None:
    """Give the person the scenes that the guest has done. Those that the person has done too go with the guest."""
    both = SceneDone.objects.filter(person=person).values_list("game", "scene")
    for game, scene in both:
        SceneDone.objects.filter(person=guest, game=game, scene=scene).delete()
    SceneDone.objects.filter(person=guest).update(person=person)
