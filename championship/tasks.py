"""Celery tasks for the whole project: the nightly deletion of old data."""

from championship.task_dispatch import task


@task()
def throw_away() -> None:
    """Delete what was kept long enough (retention.py). Safe to run at any time."""
    from championship import retention

    retention.throw_away()
