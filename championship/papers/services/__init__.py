"""The cache of papers of big rallies. A worker renders a paper once for each state of the rally (services/keeping.py).

Any number of concurrent requests share one row, and one worker renders the paper.
"""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.utils.translation import override

from championship.failures.batches import by_batches
from championship.papers import kinds as paper_kinds
from championship.papers.kinds import PaperRequest
from championship.papers.models import BigFile, KeptPaper
from championship.papers.services import keeping
from championship.platform import task_dispatch
from championship.rallies.models import Entry, Rally


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
    """The cached paper, if it is of this state or fresh enough (`keeping.kept`): one query."""
    return keeping.kept(_rows(requested), tag)


def is_queued(requested: PaperRequest) -> bool:
    """Whether a worker is to render the paper already: one query."""
    return keeping.is_queued(_rows(requested))


def enqueue(requested: PaperRequest, tag: str) -> bool:
    """Queue the paper of this state, unless it is queued already. Returns False when this state failed lately."""
    rally = Rally.objects.only("pk").get(key=requested.key)
    place = {"rally": rally, "kind": requested.kind, "stage": requested.stage or 0, "language": requested.language}
    return keeping.enqueue(KeptPaper, place, tag, task_dispatch.named("championship.papers.tasks.make_paper"))


def make_paper(*, paper_id: int) -> bool:
    """Render a queued paper from the rally's present state.

    Returns False when another worker is rendering it or has finished, or when rendering fails.
    """
    return keeping.make(KeptPaper.objects.select_related("rally"), paper_id, _rendered)


def _rendered(paper: KeptPaper) -> tuple[str, bytes]:
    requested = PaperRequest(paper.rally.key, paper.kind, paper.stage or None, paper.language)
    tag = paper_kinds.tag_of(requested) or ""
    with override(requested.language):
        return tag, paper_kinds.make(requested)


def forgotten() -> list[int]:
    """The ids of queued papers whose task was lost or whose worker has died."""
    return keeping.forgotten(KeptPaper.objects.all())


def _rows(requested: PaperRequest) -> QuerySet[KeptPaper]:
    return KeptPaper.objects.filter(
        rally__key=requested.key, kind=requested.kind, stage=requested.stage or 0, language=requested.language
    )


def delete_old(before: datetime) -> int:
    """Delete papers and files that were asked for and made before that moment. Returns their number."""
    old = Q(made_at=None) | Q(made_at__lt=before)
    return sum(by_batches(model.objects.filter(old, asked_at__lt=before)) for model in (KeptPaper, BigFile))
