"""What Celery does for rallies: the papers of big ones."""

from championship import task_dispatch
from championship.task_dispatch import task


@task()
def make_paper(paper_id: int) -> None:
    """Make a paper that was asked for, once."""
    from championship.rallies import paper_cache

    paper_cache.make_paper(paper_id=paper_id)


@task()
def make_forgotten_papers() -> None:
    """Ask again for papers whose task was lost."""
    from championship.rallies import paper_cache

    for paper_id in paper_cache.forgotten():
        if not task_dispatch.send(make_paper, paper_id):
            break
