"""What runs do when something happens in the apps below: in rallies, and to the times of people."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from championship.accounts import guests
from championship.accounts.models import User
from championship.platform import task_dispatch
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.runs import tasks
from championship.runs.models import Run, Seat
from championship.runs.play.deadline_changes import follow_handover, follow_person, follow_rally
from championship.runs.play.guest_runs import hand_over
from championship.runs.play.opening import open_runs
from championship.runs.play.sealing import seal_stages

PAGES_OF_PRACTICE = ("runs:practice", "runs:skip_lesson", "runs:leave_practice")
PAGES_OF_A_RUN = (
    *("runs:run", "runs:changes", "runs:turn", "runs:draft", "runs:ahead", "runs:at", "runs:place"),
    *("runs:log", "runs:gaps", "runs:replay", "runs:proof", "runs:record"),
    *("runs:ledger", "runs:ledger_turn", "runs:lines"),
)


class RunsOfRallies:
    """Runs and seals of the stages of rallies."""

    def rally_made(self, rally: Rally) -> None:
        """Create the seals of the rally's stages, in the transaction that creates the rally."""
        seal_stages(rally=rally)

    def stage_ready(self, special_stage: SpecialStage) -> None:
        """Open the runs, in the transaction that opens the stage."""
        open_runs(special_stage=special_stage)

    def entry_handed_over(self, entry: Entry, *, full_time: bool) -> None:
        """Update the open turn's deadline after the commit: runs are locked before rallies, never the other way
        round.
        """

        def afterwards() -> None:
            follow_handover(entry=entry, full_time=full_time)
            for run_id in Run.objects.filter(seats__entry=entry, status="running").values_list("pk", flat=True):
                task_dispatch.send(tasks.drive_codrivers, run_id)

        transaction.on_commit(afterwards, robust=True)

    def rally_timed(self, rally: Rally) -> None:
        """Update the deadlines of the rally's open turns after the commit: its pace has changed, or a pause has
        ended.
        """
        transaction.on_commit(lambda: follow_rally(rally=rally), robust=True)


class DrivesOfGuests:
    """What guests drive."""

    def guest_signed_in(self, guest: User, person: User) -> None:
        """Give the person the guest's stages."""
        hand_over(guest=guest, person=person)


class TurnsOfPeople:
    """Open turns, whose deadlines and reminders depend on their drivers."""

    def person_timed(self, person: User) -> None:
        """Update deadlines and reminders of the person's open turns after the commit."""
        person_id = person.pk
        transaction.on_commit(lambda: follow_person(person_id=person_id), robust=True)


def admit_guests() -> None:
    """Let guests be the user of practice, and of all pages of a run that they drive."""
    guests.admit(PAGES_OF_PRACTICE)
    guests.admit(PAGES_OF_A_RUN, _drives)


def _drives(guest_id: int, arguments: Mapping[str, Any]) -> bool:
    """Whether the guest drives in the run that the address names. One query."""
    return Seat.objects.filter(run__key=arguments["key"], entry__driver=guest_id).exists()
