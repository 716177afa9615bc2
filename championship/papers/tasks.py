"""Celery tasks for papers: rendering those of big rallies, and other files that take long."""

from championship.papers import big_files, services
from championship.platform import task_dispatch
from championship.platform.task_dispatch import task


@task()
def make_paper(paper_id: int) -> None:
    """Render a queued paper, once."""
    services.make_paper(paper_id=paper_id)


@task()
def make_big_file(file_id: int) -> None:
    """Make a queued file, once."""
    big_files.make(file_id=file_id)


@task()
def make_forgotten_papers() -> None:
    """Queue papers and files again whose task was lost."""
    for task_of, waiting in ((make_paper, services.forgotten()), (make_big_file, big_files.forgotten())):
        for pk in waiting:
            if not task_dispatch.send(task_of, pk):
                return
