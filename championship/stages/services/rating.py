"""Rating how hard a stage is: a codriver drives it many times, in chunks that workers share.

A worker locks the row of a chunk while it drives it, so each chunk is driven once, even when a process dies. The last
chunk settles the rating. Beat queues chunks again that nobody has driven, and settles ratings that a worker left
unsettled when it died.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.failures.services import Attempts
from championship.platform import clock, task_dispatch
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.stages.models import Chunk, Rating, StageDesign
from engine import registry
from engine.contract import Rating as Rated
from engine.contract import offered, required

RUNS = 200
RUNS_A_CHUNK = 20
FORGOTTEN_AFTER = timedelta(minutes=2)


@transaction.atomic
def rate_stage(*, by: User, design: StageDesign) -> Rating:
    """Start a rating of a club's stage or of a ready-made one: codrivers drive it `RUNS` times.

    A stage that was rated before is rated again, with a new seed.

    Raises: Forbidden when `by` is not an organiser.
    Raises: Stale when a rating of the stage is under way.
    Raises: Refused when the game's codrivers rate no stages.
    """
    if design.club is not None:
        require_role(by, design.club, Role.ORGANISER)
    elif not by.memberships.filter(roles__contains=[Role.ORGANISER]).exists():
        raise Forbidden(_("Only organisers can have stages rated."))
    if not can_be_rated(design):
        raise Refused(_("The codrivers of this game cannot rate stages."), field="game")
    design = StageDesign.objects.select_for_update(of=("self",)).get(pk=design.pk)
    last = design.ratings.order_by("-pk").first()
    if last is not None and last.result is None:
        raise Stale(_("This stage is being rated already."))
    rating = Rating.objects.create(design=design, seed=0 if last is None else last.seed + 1)
    chunks = Chunk.objects.bulk_create(
        Chunk(rating=rating, first=first, runs=RUNS_A_CHUNK) for first in range(1, RUNS + 1, RUNS_A_CHUNK)
    )
    ids = [chunk.pk for chunk in chunks]
    rate_chunk = task_dispatch.named("championship.stages.tasks.rate_chunk")
    for pk in ids:
        task_dispatch.after_commit(rate_chunk, pk)
    return rating


def can_be_rated(design: StageDesign) -> bool:
    """Whether the game's codrivers can rate how hard a stage is."""
    return offered(registry.get(design.game), Rated) is not None


def try_chunk(*, chunk_id: int) -> bool:
    """The same as `drive_chunk`, for the sweep: a chunk that cannot be driven is put off. Returns whether it was
    driven.
    """
    return bool(_tries_of_chunks().attempt(chunk_id, partial(drive_chunk, chunk_id=chunk_id)))


def _tries_of_chunks() -> Attempts:
    return Attempts("chunk of a rating", now=clock.now())


def drive_chunk(*, chunk_id: int) -> bool:
    """Drive one chunk; the last chunk settles the rating. Returns False when the chunk is driven already, or when
    another worker is driving it.
    """
    with transaction.atomic():
        chunk = (
            Chunk.objects.select_for_update(skip_locked=True, of=("self",))
            .select_related("rating__design")
            .filter(pk=chunk_id, driven__isnull=True)
            .first()
        )
        if chunk is None:
            return False
        design = chunk.rating.design
        rules = required(registry.get(design.game), Rated)
        chunk.driven = rules.simulate(design.spec, runs=chunk.runs, seed=chunk.rating.seed, first=chunk.first)
        chunk.save(update_fields=["driven"])
    settle(rating_id=chunk.rating_id)
    return True


@transaction.atomic
def settle(*, rating_id: int) -> None:
    """Compute the result of a rating from its chunks, when all of them are driven."""
    rating = Rating.objects.select_for_update(of=("self",)).select_related("design").get(pk=rating_id)
    if rating.result is not None or rating.chunks.filter(driven__isnull=True).exists():
        return
    runs = [run for chunk in rating.chunks.order_by("first") for run in chunk.driven or ()]
    rating.result = required(registry.get(rating.design.game), Rated).rating(rating.design.spec, runs)
    rating.rated_at = clock.now()
    rating.save(update_fields=["result", "rated_at"])


def forgotten_chunks() -> list[int]:
    """The ids of chunks that have waited longer than `FORGOTTEN_AFTER`, so that their task must be lost."""
    since = clock.now() - FORGOTTEN_AFTER
    waiting = Chunk.objects.filter(driven__isnull=True, rating__result__isnull=True, rating__asked_at__lte=since)
    waiting = waiting.exclude(pk__in=_tries_of_chunks().put_off())
    return list(waiting.order_by("pk").values_list("pk", flat=True)[:RUNS])


def settle_forgotten() -> None:
    """Settle the ratings that their last worker left unsettled. One that cannot be settled is put off."""
    tries = Attempts("rating", now=clock.now())
    for rating_id in unsettled_ratings():
        tries.attempt(rating_id, partial(settle, rating_id=rating_id))


def unsettled_ratings() -> list[int]:
    """The ids of ratings whose chunks are all driven but that have no result: their last worker died before it settled
    them.
    """
    waiting = Exists(Chunk.objects.filter(rating=OuterRef("pk"), driven__isnull=True))
    return list(Rating.objects.filter(~waiting, result__isnull=True).order_by("pk").values_list("pk", flat=True))
