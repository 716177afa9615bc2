"""The Celery tasks for archives: make one, and clean up."""

from championship import task_dispatch
from championship.task_dispatch import task


@task(time_limit=580, soft_time_limit=560)
def make_archive(archive_id: int) -> None:
    """Make an archive, once."""
    from championship.archive import services

    services.make_archive(archive_id=archive_id)


@task()
def look_after_archives() -> None:
    """Make archives whose task was lost, and delete old ones."""
    from championship.archive import services

    for archive_id in services.clean_up_archives():
        if not task_dispatch.send(make_archive, archive_id):
            break
