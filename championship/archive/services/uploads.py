"""Archives that operators upload: stored by the page, restored by a worker, one at a time."""

from __future__ import annotations

import logging
import tempfile
from datetime import timedelta
from typing import IO

from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from championship.accounts.models import User
from championship.archive.models import KEPT, Upload, UploadPart
from championship.archive.services.restoring import check_owner, restore_club
from championship.notices.services import enqueue
from championship.platform import clock, task_dispatch
from championship.platform.refusals import Refused, Stale

logger = logging.getLogger(__name__)

PART_BYTES = 1024 * 1024
LOST_AFTER = timedelta(minutes=12)
"""After this time a worker is taken for lost, and another one starts over."""
MOST_TRIES = 3
RESTORED, REFUSED = "archive restored", "archive refused"
TOO_SLOW = gettext_noop("It takes longer than a worker may. Restore it with the command on the server.")


@transaction.atomic
def upload(*, by: User, file: IO[bytes], owner: str) -> Upload:
    """Store an archive that a worker restores after the commit. `owner`: the mail address of the account that gets the
    club. Only operators call this.

    Raises: Refused when nobody has that address, or the account cannot own a club (field owner).
    Raises: Stale when another archive is being restored.
    """
    person = User.objects.filter(email=owner.strip().lower()).first()
    if person is None:
        says = _("Nobody here has this address. The owner signs up first; then you restore the club.")
        raise Refused(says, field="owner")
    check_owner(person)
    try:
        with transaction.atomic():
            stored = Upload.objects.create(by=by, owner=person)
    except IntegrityError as error:
        raise Stale(_("Another archive is being restored. Wait until it is done, then upload this one.")) from error
    file.seek(0)
    for number, piece in enumerate(iter(lambda: file.read(PART_BYTES), b"")):
        stored.size += len(piece)
        UploadPart.objects.create(upload=stored, number=number, content=piece)
    stored.save(update_fields=["size"])
    task_dispatch.after_commit(task_dispatch.named("championship.archive.tasks.restore_upload"), stored.pk)
    return stored


def restore_upload(*, upload_id: int) -> None:
    """Restore an uploaded archive, unless another worker does or it is done. The club and the mark that it is restored
    are committed together, so a worker that starts over restores it once.
    """
    stored = _claimed(upload_id)
    if stored is None:
        return
    try:
        with translation.override(stored.by.language), tempfile.TemporaryFile() as file, transaction.atomic():
            _read_into(file, upload_id)
            locked = Upload.objects.select_for_update().get(pk=upload_id)
            if not locked.waits:
                return
            locked.club = restore_club(by=stored.by, file=file, owner=stored.owner)
            locked.done_at = clock.now()
            locked.save(update_fields=["club", "done_at"])
            _finish(locked)
    except (Refused, Stale) as refusal:
        _fail(upload_id, str(refusal))
    except SoftTimeLimitExceeded:
        logger.exception("archive %s takes too long to be restored", upload_id)
        with translation.override(stored.by.language):
            _fail(upload_id, _(TOO_SLOW))
    except Exception:
        logger.exception("archive %s could not be restored", upload_id)
        _fail(upload_id, "")


@transaction.atomic
def clean_up_uploads() -> list[int]:
    """Delete the rows of uploads that were kept long enough, and return the ids of those that a worker should restore
    because their task was lost. An upload that was tried too often is marked as failed.
    """
    now = clock.now()
    Upload.objects.filter(Q(done_at__lte=now - KEPT) | Q(failed_at__lte=now - KEPT)).delete()
    waiting = Upload.objects.filter(done_at=None, failed_at=None)
    for lost in waiting.filter(tries__gte=MOST_TRIES, begun_at__lte=now - LOST_AFTER):
        _fail(lost.pk, "")
    overdue = Q(begun_at=None, sent_at__lte=now - timedelta(minutes=1)) | Q(begun_at__lte=now - LOST_AFTER)
    return list(waiting.filter(overdue).values_list("pk", flat=True))


def _claimed(upload_id: int) -> Upload | None:
    with transaction.atomic():
        found = Upload.objects.select_for_update(skip_locked=True, of=("self",)).select_related("by", "owner")
        stored = found.filter(pk=upload_id, done_at=None, failed_at=None).first()
        now = clock.now()
        if stored is None or (stored.begun_at is not None and stored.begun_at > now - LOST_AFTER):
            return None
        stored.begun_at, stored.tries = now, stored.tries + 1
        stored.save(update_fields=["begun_at", "tries"])
        return stored


def _read_into(file: IO[bytes], upload_id: int) -> None:
    parts = UploadPart.objects.filter(upload=upload_id)
    for number in parts.order_by("number").values_list("number", flat=True):
        file.write(bytes(parts.values_list("content", flat=True).get(number=number)))
    file.seek(0)


@transaction.atomic
def _fail(upload_id: int, refusal: str) -> None:
    locked = Upload.objects.select_for_update(of=("self",)).select_related("by", "owner").get(pk=upload_id)
    if locked.waits:
        locked.failed_at, locked.refusal = clock.now(), refusal
        locked.save(update_fields=["failed_at", "refusal"])
        _finish(locked)


def _finish(stored: Upload) -> None:
    """Delete the bytes, and notify the operator and the owner of a restored club."""
    UploadPart.objects.filter(upload=stored).delete()
    club = stored.club
    for person in {stored.by.pk: stored.by, **({stored.owner.pk: stored.owner} if club else {})}.values():
        enqueue(
            recipient=person,
            kind=RESTORED if club else REFUSED,
            subject_key=f"upload {stored.pk}",
            context={"club": club.name if club else "", "refusal": stored.refusal},
            link=club.get_absolute_url() if club and person == stored.owner else "/operator/restore/",
        )
