"""Writes about archives: requested by an owner, made by a worker, downloaded, deleted.

Modules beside this one: writing and restoring an archive, uploads, and the import of lists that a league brings.
"""

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

from championship.accounts.models import User
from championship.archive.models import KEPT, REMEMBERED, Archive, ArchivedMember, Part
from championship.archive.services.writing import write_archive
from championship.audit import services as audit
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role_to_read
from championship.failures.services import Attempts
from championship.platform import clock, task_dispatch
from championship.platform.refusals import Refused, Stale

logger = logging.getLogger(__name__)

PART_BYTES = 1024 * 1024
LOST_AFTER = timedelta(minutes=12)
"""After this time a worker is taken for lost, and another one starts over."""
MOST_TRIES = 3
PROGRESS_EVERY = 25
"""Records between two updates of the progress."""


@transaction.atomic
def request_archive(*, by: User, club: Club) -> Archive:
    """Request everything that the club owns as one file. A worker makes it after the commit. Only owners.

    Raises: Stale when another one is being made; the page shows that one.
    """
    require_role_to_read(by, club, Role.OWNER)
    try:
        with transaction.atomic():
            archive = Archive.objects.create(club=club, asked_by=by)
    except IntegrityError as error:
        raise Stale(_("An archive is being made already.")) from error
    audit.record(actor=by, action="archive asked for", subject=archive, club_id=club.pk)
    task_dispatch.after_commit(task_dispatch.named("championship.archive.tasks.make_archive"), archive.pk)
    return archive


def make_archive(*, archive_id: int) -> None:
    """Make a requested archive, unless another worker is making it. A failure is logged and stored."""
    archive = _claimed(archive_id)
    if archive is None:
        return
    try:
        with tempfile.TemporaryFile() as file:
            write_archive(archive.club, file, lambda done, steps: _store_progress(archive, done, steps))
            _store_file(archive, file)
    except Exception:
        logger.exception("archive %s could not be written", archive_id)
        Archive.objects.filter(pk=archive_id, ready_at=None).update(failed_at=clock.now())


@transaction.atomic
def download(*, by: User, archive: Archive) -> Iterator[bytes]:
    """Return the bytes of an archive that is ready, in pieces. The log records who downloaded it. Only owners of its
    club.

    Raises: Refused when the archive is not ready.
    """
    require_role_to_read(by, archive.club, Role.OWNER)
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


def clean_up_archives() -> list[int]:
    """Delete archives that were kept long enough, and return the ids of those that a worker should make because their
    task was lost. An archive that was tried too often is marked as failed. One that cannot be deleted is put off.
    """
    now = clock.now()
    old, tries = Q(ready_at__lte=now - KEPT) | Q(failed_at__lte=now - KEPT), Attempts("old archive", now=now)
    for archive in Archive.objects.filter(old):
        tries.attempt_in_transaction(archive.pk, archive.delete)
    ArchivedMember.objects.filter(at__lte=now - REMEMBERED).delete()
    open_ = Archive.objects.filter(ready_at=None, failed_at=None)
    given_up = open_.filter(tries__gte=MOST_TRIES, begun_at__lte=now - LOST_AFTER)
    if ids := list(given_up.values_list("pk", flat=True)):
        tries.attempt_together(ids, lambda some: given_up.filter(pk__in=some).update(failed_at=now))
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


def _store_progress(archive: Archive, done: int, steps: int) -> None:
    if done % PROGRESS_EVERY == 0:
        Archive.objects.filter(pk=archive.pk).update(done=done, steps=steps)


@transaction.atomic
def _store_file(archive: Archive, file: IO[bytes]) -> None:
    """Store the file in the database, where every web process finds it, and delete the club's older archives."""
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
