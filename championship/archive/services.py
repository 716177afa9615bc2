"""Every write about archives: asked for by an owner, made by a worker, downloaded, thrown away."""

from __future__ import annotations

import hashlib
import logging
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from typing import IO

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from championship import clock, task_dispatch
from championship.accounts.models import User
from championship.archive import tasks
from championship.archive.models import KEPT, Archive, Part
from championship.archive.writing import write_archive
from championship.audit import services as audit
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role_to_look
from championship.refusals import Refused, Stale

logger = logging.getLogger(__name__)

PART_BYTES = 1024 * 1024
LOST_AFTER = timedelta(minutes=12)
"""After so long without an end a worker is taken for lost, and another one starts over."""
MOST_TRIES = 3
TOLD_EVERY = 25
"""Records between two words on how far it has come."""


@transaction.atomic
def ask_for_archive(*, by: User, club: Club) -> Archive:
    """Everything the club owns as one file, made by a worker after the commit. Only owners.

    Stale while one is being made: it is shown where this one would be.
    """
    require_role_to_look(by, club, Role.OWNER)
    try:
        with transaction.atomic():
            archive = Archive.objects.create(club=club, asked_by=by)
    except IntegrityError as error:
        raise Stale(_("An archive is being made already.")) from error
    audit.record(actor=by, action="archive asked for", subject=archive, club_id=club.pk)
    task_dispatch.after_commit(tasks.make_archive, archive.pk)
    return archive


def make_archive(*, archive_id: int) -> None:
    """Make an archive that was asked for, unless another worker is at it. A failure is written down, with its log."""
    archive = _claimed(archive_id)
    if archive is None:
        return
    try:
        with tempfile.TemporaryFile() as file:
            write_archive(archive.club, file, lambda done, steps: _tell(archive, done, steps))
            _keep(archive, file)
    except Exception:
        logger.exception("archive %s could not be made", archive_id)
        Archive.objects.filter(pk=archive_id, ready_at=None).update(failed_at=clock.now())


@transaction.atomic
def download(*, by: User, archive: Archive) -> Iterator[bytes]:
    """The bytes of an archive that is ready, in pieces; the log says who took it. Only owners of its club."""
    require_role_to_look(by, archive.club, Role.OWNER)
    archive = Archive.objects.get(pk=archive.pk)
    if archive.ready_at is None:
        raise Refused(_("This archive is not ready."))
    audit.record(
        actor=by,
        action="archive downloaded",
        subject=archive,
        club_id=archive.club_id,
        details={"made_at": archive.ready_at, "sha256": archive.sha256},
    )
    return _pieces(archive.pk)


@transaction.atomic
def look_after_archives() -> list[int]:
    """Throw away what was kept long enough; which archives a worker should take up: those whose task was lost.

    One that was tried too often has failed.
    """
    now = clock.now()
    Archive.objects.filter(ready_at__lte=now - KEPT).delete()
    Archive.objects.filter(failed_at__lte=now - KEPT).delete()
    open_ = Archive.objects.filter(ready_at=None, failed_at=None)
    open_.filter(tries__gte=MOST_TRIES, begun_at__lte=now - LOST_AFTER).update(failed_at=now)
    waiting = Q(begun_at=None, asked_at__lte=now - timedelta(minutes=1))
    return list(open_.filter(waiting | Q(begun_at__lte=now - LOST_AFTER)).values_list("pk", flat=True))


def _claimed(archive_id: int) -> Archive | None:
    with transaction.atomic():
        found = Archive.objects.select_for_update(skip_locked=True, of=("self",)).select_related("club")
        archive = found.filter(pk=archive_id, ready_at=None, failed_at=None).first()
        now = clock.now()
        if archive is None or (archive.begun_at is not None and archive.begun_at > now - LOST_AFTER):
            return None
        archive.begun_at, archive.tries = now, archive.tries + 1
        archive.save(update_fields=["begun_at", "tries"])
        return archive


def _tell(archive: Archive, done: int, steps: int) -> None:
    if done % TOLD_EVERY == 0:
        Archive.objects.filter(pk=archive.pk).update(done=done, steps=steps)


@transaction.atomic
def _keep(archive: Archive, file: IO[bytes]) -> None:
    """The file into the database, where every web process finds it; older ones of the club make room."""
    archive = Archive.objects.select_for_update().get(pk=archive.pk)
    if archive.ready_at is not None or archive.failed_at is not None:
        return
    sha256, size = hashlib.sha256(), 0
    file.seek(0)
    for number, piece in enumerate(iter(lambda: file.read(PART_BYTES), b"")):
        sha256.update(piece)
        size += len(piece)
        Part.objects.create(archive=archive, number=number, content=piece)
    archive.size, archive.sha256, archive.ready_at = size, sha256.hexdigest(), clock.now()
    archive.save(update_fields=["size", "sha256", "ready_at"])
    Archive.objects.filter(club=archive.club_id).exclude(pk=archive.pk).delete()


def _pieces(archive_id: int) -> Iterator[bytes]:
    for number in Part.objects.filter(archive=archive_id).order_by("number").values_list("number", flat=True):
        yield bytes(Part.objects.values_list("content", flat=True).get(archive=archive_id, number=number))
