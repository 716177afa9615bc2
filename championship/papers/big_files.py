"""Files that take long and are no papers of a rally: a worker makes each once for each state, and it is kept.

The app whose files they are registers each kind when Django is ready.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import override

from championship.papers.models import BigFile
from championship.papers.services import keeping
from championship.platform import task_dispatch

Maker = Callable[[str], tuple[str, bytes]]
_makers: dict[str, Maker] = {}


@dataclass(frozen=True, slots=True)
class FileRequest:
    """One file: the club (its id), the registered kind, the key of what it shows, and the language."""

    club: int
    kind: str
    subject: str
    language: str


def register(kind: str, maker: Maker) -> None:
    """Register what makes the files of a kind: from the key of a subject, the tag of its state and the file, in the
    active language and zone. A kept file is the same for all readers, so its zone is UTC. Registering a kind again
    replaces its maker.
    """
    _makers[kind] = maker


def kept(requested: FileRequest, tag: str | None) -> BigFile | None:
    """The kept file, if it is of this state or fresh enough (`keeping.kept`): one query."""
    return keeping.kept(_rows(requested), tag)


def is_queued(requested: FileRequest) -> bool:
    """Whether a worker is to make the file already: one query."""
    return keeping.is_queued(_rows(requested))


def enqueue(requested: FileRequest, tag: str) -> bool:
    """Queue the file of this state, unless it is queued already. Returns False when this state failed lately."""
    place = {"kind": requested.kind, "subject": requested.subject, "language": requested.language}
    return keeping.enqueue(
        BigFile, place, tag, task_dispatch.named("championship.papers.tasks.make_big_file"), {"club_id": requested.club}
    )


def make(*, file_id: int) -> bool:
    """Make a queued file from the present state. Returns False when there is nothing to do, or when it fails."""
    return keeping.make(BigFile.objects.all(), file_id, _rendered)


def _rendered(row: BigFile) -> tuple[str, bytes]:
    with override(row.language), timezone.override(UTC):
        return _makers[row.kind](row.subject)


def forgotten() -> list[int]:
    """The ids of queued files whose task was lost or whose worker has died."""
    return keeping.forgotten(BigFile.objects.all())


def _rows(requested: FileRequest) -> QuerySet[BigFile]:
    return BigFile.objects.filter(kind=requested.kind, subject=requested.subject, language=requested.language)
