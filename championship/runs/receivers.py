"""Signal receivers of the runs app, mostly for signals of rallies."""

from typing import Any

from django.db import transaction

from championship.accounts.models import User
from championship.platform import task_dispatch
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.runs import tasks
from championship.runs.models import Run
from championship.runs.play.deadline_changes import follow_handover, follow_person, follow_rally
from championship.runs.play.opening import open_runs
from championship.runs.play.sealing import seal_stages


def on_rally_made(*, rally: Rally, **kwargs: Any) -> None:
    """Create the seals of the rally's stages, in the transaction that creates the rally."""
    seal_stages(rally=rally)


def on_stage_ready(*, special_stage: SpecialStage, **kwargs: Any) -> None:
    """Open the runs, in the transaction that opens the stage."""
    open_runs(special_stage=special_stage)


def on_entry_handed_over(*, entry: Entry, full_time: bool, **kwargs: Any) -> None:
    """Update the open turn's deadline after the commit: runs are locked before rallies, never the other way round."""

    def afterwards() -> None:
        follow_handover(entry=entry, full_time=full_time)
        for run_id in Run.objects.filter(seats__entry=entry, status="running").values_list("pk", flat=True):
            task_dispatch.send(tasks.drive_codrivers, run_id)

    transaction.on_commit(afterwards, robust=True)


def on_rally_timed(*, rally: Rally, **kwargs: Any) -> None:
    """Update the deadlines of the rally's open turns after the commit: its pace has changed, or a pause has ended."""
    transaction.on_commit(lambda: follow_rally(rally=rally), robust=True)


def on_codriver_to_play(*, run_id: int, **kwargs: Any) -> None:
    """Ask a worker to play the codriver's turns, after the commit."""
    task_dispatch.after_commit(tasks.drive_codrivers, run_id)


def on_person_timed(*, person: User, **kwargs: Any) -> None:
    """Update deadlines and reminders of the person's open turns after the commit: their time zone, holidays or
    reminders have changed.
    """
    person_id = person.pk
    transaction.on_commit(lambda: follow_person(person_id=person_id), robust=True)
