"""The cache of papers of big rallies. A worker renders a paper once for each state of the rally.

A paper that is younger than FRESH is served even when the rally has changed, so that a busy rally does not need a new
paper all the time. Any number of concurrent requests share one row, and one worker renders the paper.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils.translation import override

from championship.failures.batches import by_batches
from championship.papers import kinds as paper_kinds
from championship.papers.kinds import PaperRequest
from championship.papers.models import KeptPaper
from championship.platform import clock, task_dispatch
from championship.rallies.models import Entry, Rally

logger = logging.getLogger(__name__)

FRESH = timedelta(minutes=1)
LOST_AFTER = timedelta(minutes=3)
"""A worker that has not finished after this time is regarded as dead."""
MOST_TRIES = 3
TRY_AGAIN_AFTER = timedelta(hours=1)
"""A paper that failed can be requested again after this time."""


def is_big(key: str) -> bool:
    """Whether the rally has too many cars times stages to render its papers in a request: one query."""
    size = (
        Rally.objects.filter(key=key)
        .annotate(
            cars=Count("entries", filter=Q(entries__status=Entry.Status.CONFIRMED), distinct=True),
            length=Count("stages", distinct=True),
        )
        .values_list("cars", "length")
        .first()
    )
    return size is not None and size[0] * size[1] > settings.PAPER_CELLS_AT_ONCE


def kept(requested: PaperRequest, tag: str) -> KeptPaper | None:
    """The cached paper, if it is of this state or younger than FRESH: one query."""
    paper = _rows(requested).exclude(content=None).first()
    if paper is None or paper.made_at is None:
        return None
    return paper if paper.made_of == tag or paper.made_at > clock.now() - FRESH else None


def is_queued(requested: PaperRequest) -> bool:
    """Whether a worker is to render the paper already: one query."""
    return _rows(requested).exclude(asked_for="").filter(failed_at=None).exists()


@transaction.atomic
def enqueue(requested: PaperRequest, tag: str) -> bool:
    """Queue the paper of this state for a worker, unless it is queued already.

    Returns False when this state failed less than TRY_AGAIN_AFTER ago.
    """
    now = clock.now()
    rally = Rally.objects.only("pk").get(key=requested.key)
    place = {"rally": rally, "kind": requested.kind, "stage": requested.stage or 0, "language": requested.language}
    KeptPaper.objects.bulk_create([KeptPaper(**place)], ignore_conflicts=True)
    paper = KeptPaper.objects.select_for_update().defer("content").get(**place)
    if paper.failed_at is not None and now - paper.failed_at < TRY_AGAIN_AFTER and paper.asked_for == tag:
        return False
    if paper.is_queued and paper.asked_at > now - LOST_AFTER:
        return True  # it may be queued for an older state: the worker renders the newest one
    paper.asked_for, paper.asked_at, paper.begun_at, paper.failed_at, paper.tries = tag, now, None, None, 0
    paper.save(update_fields=["asked_for", "asked_at", "begun_at", "failed_at", "tries"])
    task_dispatch.after_commit(task_dispatch.named("championship.papers.tasks.make_paper"), paper.pk)
    return True


def make_paper(*, paper_id: int) -> bool:
    """Render a queued paper from the rally's present state.

    Returns False when another worker is rendering it or has finished, or when rendering fails.
    """
    paper = _claimed(paper_id)
    if paper is None:
        return False
    requested = PaperRequest(paper.rally.key, paper.kind, paper.stage or None, paper.language)
    try:
        tag = paper_kinds.tag_of(requested) or ""
        with override(requested.language):
            content = paper_kinds.make(requested)
    except Exception:
        logger.exception("paper %s could not be rendered", paper_id)
        if paper.tries >= MOST_TRIES:
            KeptPaper.objects.filter(pk=paper_id).update(failed_at=clock.now())
        else:
            KeptPaper.objects.filter(pk=paper_id).update(begun_at=None)
        return False
    KeptPaper.objects.filter(pk=paper_id).update(
        content=content, made_of=tag, made_at=clock.now(), asked_for="", begun_at=None
    )
    return True


def forgotten() -> list[int]:
    """The ids of queued papers whose task was lost or whose worker has died."""
    now = clock.now()
    waiting = KeptPaper.objects.exclude(asked_for="").filter(failed_at=None)
    lost = Q(begun_at=None, asked_at__lte=now - timedelta(seconds=30)) | Q(begun_at__lte=now - LOST_AFTER)
    return list(waiting.filter(lost).order_by("asked_at").values_list("pk", flat=True)[:100])


@transaction.atomic
def _claimed(paper_id: int) -> KeptPaper | None:
    rows = KeptPaper.objects.select_for_update(skip_locked=True, of=("self",)).select_related("rally")
    paper = rows.defer("content").filter(pk=paper_id, failed_at=None).exclude(asked_for="").first()
    now = clock.now()
    if paper is None or (paper.begun_at is not None and paper.begun_at > now - LOST_AFTER):
        return None
    if paper.tries >= MOST_TRIES:  # each of its workers died, perhaps because of this paper
        logger.error("paper %s is given up: %s workers died while they rendered it", paper_id, paper.tries)
        paper.failed_at = now
        paper.save(update_fields=["failed_at"])
        return None
    paper.begun_at, paper.tries = now, paper.tries + 1
    paper.save(update_fields=["begun_at", "tries"])
    return paper


def _rows(requested: PaperRequest) -> QuerySet[KeptPaper]:
    return KeptPaper.objects.filter(
        rally__key=requested.key, kind=requested.kind, stage=requested.stage or 0, language=requested.language
    )


def delete_old(before: datetime) -> int:
    """Delete papers that were asked for and made before that moment. Returns their number."""
    rows = KeptPaper.objects.filter(asked_at__lt=before)
    return by_batches(rows.filter(Q(made_at=None) | Q(made_at__lt=before)))
