"""What Celery does for the whole project: throwing away at night what was kept long enough."""

from championship.task_dispatch import task


@task()
def throw_away() -> None:
    """Throw away what was kept long enough (retention.py). Safe to run at any time."""
    from championship import retention

    retention.throw_away()
