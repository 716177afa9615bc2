"""What guests drive: it becomes a person's when they sign in, and is deleted when they do not come back."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from championship.accounts.models import User
from championship.failures.services import Attempts
from championship.platform import clock
from championship.rallies.models import Entry, Rally
from championship.runs.models import Draft, Event, Post, Practice, Run, SceneDone, SentAhead
from championship.runs.play.advancing_run import locked_run
from championship.runs.play.practice_runs import end_practice
from championship.runs.play.scenes_done import hand_over_scenes

WITHOUT_A_TURN = timedelta(days=1)
"""A guest who has begun a stage and never played is deleted after this time, where RETENTION_DAYS says no less."""


def hand_over(*, guest: User, person: User) -> None:
    """Give the person all stages of the guest. A stage of the person that is under way ends if the guest has one under
    way too: the person was driving that one just now.

    It locks the guest's runs first, so that a turn that is being played is either handed over or refused.
    """
    User.objects.select_for_update(no_key=True).get(pk=person.pk)
    for run_id in _runs_of(guest).values_list("pk", flat=True):
        locked_run(run_id)
    if Practice.objects.filter(person=guest, ended_at=None).exists():
        for current in Practice.objects.filter(person=person, ended_at=None):
            end_practice(current)
    crew = person.name or person.email.partition("@")[0]
    Entry.objects.filter(driver=guest, crew=guest.name).update(crew=crew)
    Entry.objects.filter(driver=guest).update(driver=person)
    Practice.objects.filter(person=guest).update(person=person)
    Post.objects.filter(by=guest).update(by=person)
    Draft.objects.filter(person=guest).update(person=person)
    SentAhead.objects.filter(person=guest).update(person=person)
    hand_over_scenes(guest=guest, person=person)


def delete_forgotten(before: datetime) -> int:
    """Delete the guests who have begun no stage, played no turn and done no scene since, with all that they drove, each
    in a transaction of their own. Returns how many.
    """
    tries = Attempts("forgotten guest", now=clock.now())
    gone = _gone(before).exclude(pk__in=tries.put_off()).order_by("pk")
    return sum(tries.attempt(pk, partial(_delete, pk, before)) or 0 for pk in gone.values_list("pk", flat=True))


def _gone(before: datetime) -> QuerySet[User]:
    posted = Post.objects.filter(by=OuterRef("pk"))
    begun = Practice.objects.filter(person=OuterRef("pk"))
    learned = SceneDone.objects.filter(person=OuterRef("pk"))
    guests = User.objects.filter(is_guest=True)
    guests = guests.exclude(Exists(learned.filter(done_at__gte=before)))
    idle = guests.exclude(Exists(posted.filter(at__gte=before))).exclude(Exists(begun.filter(begun_at__gte=before)))
    early = max(before, clock.now() - WITHOUT_A_TURN)
    still = guests.exclude(Exists(posted)).exclude(Exists(begun.filter(begun_at__gte=early)))
    return (idle.filter(date_joined__lt=before) | still.filter(date_joined__lt=early)).distinct()


@transaction.atomic
def _delete(guest_id: int, before: datetime) -> bool:
    """Delete a guest, who may have come back or signed in meanwhile. Returns whether it did."""
    guest = User.objects.select_for_update(no_key=True).filter(pk=guest_id, is_guest=True).first()
    if guest is None:
        return False
    runs = list(_runs_of(guest).values_list("pk", flat=True))
    for run_id in runs:
        locked_run(run_id)
    if not _gone(before).filter(pk=guest_id).exists():
        return False
    rallies = list(Practice.objects.filter(person=guest).values_list("rally", flat=True))
    Event.objects.filter(run__in=runs).delete()
    Run.objects.filter(pk__in=runs).delete()
    Practice.objects.filter(person=guest).delete()
    Rally.objects.filter(pk__in=rallies).delete()
    guest.delete()
    return True


def _runs_of(guest: User) -> QuerySet[Run]:
    """The runs of the guest's stages, in the order in which they are locked."""
    return Run.objects.filter(special_stage__rally__practised__person=guest).order_by("pk")
