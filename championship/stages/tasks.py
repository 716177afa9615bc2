"""Celery tasks for stages: driving chunks of runs to rate them."""

from championship.platform import task_dispatch
from championship.platform.task_dispatch import task
from championship.stages.services import rating


@task()
def rate_chunk(chunk_id: int) -> None:
    """Drive one chunk of a rating, once."""
    rating.try_chunk(chunk_id=chunk_id)


@task()
def rate_forgotten() -> None:
    """Settle ratings that a dead worker left unsettled, and queue chunks again whose task was lost."""
    rating.settle_forgotten()
    for chunk_id in rating.forgotten_chunks():
        if not task_dispatch.send(rate_chunk, chunk_id):
            break
