"""The Celery tasks for lists: import a long one, and look after those whose message was lost.

What reads lists takes memory, so a worker imports it with its first list.
"""

from championship.platform import task_dispatch
from championship.platform.task_dispatch import task


@task(time_limit=580, soft_time_limit=560)
def import_list(pk: int) -> None:
    """Import a long list, once."""
    from championship.lists.services import importing

    importing.import_waiting(pk=pk)


@task()
def look_after_lists() -> None:
    """Import lists whose message was lost."""
    from championship.lists.services import importing

    for pk in importing.lost_imports():
        if not task_dispatch.send(import_list, pk):
            break
