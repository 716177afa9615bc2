"""What Celery does for stages: driving chunks of runs to rate them."""

from celery import shared_task


@shared_task
def rate_chunk(chunk_id: int) -> None:
    """Drive one chunk of a rating, once."""
    from championship.stages import rating

    rating.drive_chunk(chunk_id=chunk_id)


@shared_task
def rate_forgotten() -> None:
    """Ask again for chunks whose task was lost."""
    from championship.stages import rating

    for chunk_id in rating.forgotten_chunks():
        rate_chunk.delay(chunk_id)
