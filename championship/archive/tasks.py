"""The Celery tasks for archives: make one, restore one, and clean up."""

from championship.archive import services
from championship.archive.services import uploads
from championship.platform import task_dispatch
from championship.platform.task_dispatch import task


@task(time_limit=580, soft_time_limit=560)
def make_archive(archive_id: int) -> None:
    """Make an archive, once."""
    services.make_archive(archive_id=archive_id)


@task(time_limit=580, soft_time_limit=560)
def restore_upload(upload_id: int) -> None:
    """Restore an archive that an operator has uploaded, once."""
    uploads.restore_upload(upload_id=upload_id)


@task()
def look_after_archives() -> None:
    """Make and restore archives whose task was lost, and delete old ones."""
    for archive_id in services.clean_up_archives():
        if not task_dispatch.send(make_archive, archive_id):
            break
    for upload_id in uploads.clean_up_uploads():
        if not task_dispatch.send(restore_upload, upload_id):
            break
