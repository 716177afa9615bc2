"""Celery tasks for papers: rendering those of big rallies."""

from championship.papers import services
from championship.platform import task_dispatch
from championship.platform.task_dispatch import task


@task()
def make_paper(paper_id: int) -> None:
    """Render a queued paper, once."""
    services.make_paper(paper_id=paper_id)


@task()
def make_forgotten_papers() -> None:
    """Queue papers again whose task was lost."""
    for paper_id in services.forgotten():
        if not task_dispatch.send(make_paper, paper_id):
            break
