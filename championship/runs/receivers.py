"""What the runs do when a rally speaks."""

from typing import Any

from django.db import transaction

from championship import task_dispatch
from championship.accounts.models import User
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.runs import tasks
from championship.runs.models import Run
from championship.runs.services.deadline_changes import change_hands, follow_person, follow_rally
from championship.runs.services.opening import open_runs
from championship.runs.services.seals import seal_stages


def on_rally_made(*, rally: Rally, **kwargs: Any) -> None:
    """Seal the chance of its stages, in the transaction that makes the rally."""
    seal_stages(rally=rally)


def on_stage_ready(*, special_stage: SpecialStage, **kwargs: Any) -> None:
    """Open the runs, in the transaction that puts the stage on the road."""
    open_runs(special_stage=special_stage)


def on_entry_handed_over(*, entry: Entry, anew: bool, **kwargs: Any) -> None:
    """Set the open turn's deadline after the commit: runs are locked before rallies, never the other way
    round.
    """

    def afterwards() -> None:
        change_hands(entry=entry, anew=anew)
        for run_id in Run.objects.filter(seats__entry=entry, status="running").values_list("pk", flat=True):
            task_dispatch.send(tasks.drive_codrivers, run_id)

    transaction.on_commit(afterwards, robust=True)


def on_rally_timed(*, rally: Rally, **kwargs: Any) -> None:
    """Its pace has changed, or it goes on after a pause: move the deadlines of its open turns, after the commit."""
    transaction.on_commit(lambda: follow_rally(rally=rally), robust=True)


def on_codriver_to_play(*, run_id: int, **kwargs: Any) -> None:
    """Let a worker drive, after the commit."""
    task_dispatch.after_commit(tasks.drive_codrivers, run_id)


def on_person_timed(*, person: User, **kwargs: Any) -> None:
    """Their zone, holidays or reminders have changed: move deadlines and reminders of their open turns, after the
    commit.
    """
    person_id = person.pk
    transaction.on_commit(lambda: follow_person(person_id=person_id), robust=True)
