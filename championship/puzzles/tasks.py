"""The Celery task for puzzles: look for them in finished runs, and choose the one of the day.

It may run twice at a time or not at all: each run is searched once, and a day has one puzzle. What searches takes
memory, so a worker imports it with its first search.
"""

from championship.lineage.services import was_set_back
from championship.platform import clock
from championship.platform.task_dispatch import task


@task()
def look_for_puzzles() -> None:
    """Search some finished runs, and choose the puzzle of the day."""
    from championship.puzzles import services

    if not was_set_back():
        services.look_for_puzzles(now=clock.now())
