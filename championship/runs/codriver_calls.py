"""Asks a worker to play the codriver's turns of a run.

The worker's task imports the package `play`, which calls this module. So the task is registered when Django is ready.
"""

from __future__ import annotations

from championship.platform import task_dispatch
from championship.platform.task_dispatch import Task

_tasks: list[Task[int]] = []


def register(task: Task[int]) -> None:
    """Register the task that plays the codriver's turns of the run with this id; it replaces the one before."""
    _tasks[:] = [task]


def codriver_to_play(run_id: int) -> None:
    """After the commit, have a worker play the codriver's turns in that run."""
    for task in _tasks:
        task_dispatch.after_commit(task, run_id)
