"""Celery tasks for the whole project: the nightly deletion of old data."""

from championship.platform import retention
from championship.platform.task_dispatch import task


@task()
def delete_expired() -> None:
    """Delete what was kept long enough (retention.py). Safe to run at any time."""
    retention.delete_expired()
