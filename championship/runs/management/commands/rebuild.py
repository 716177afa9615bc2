"""`manage.py rebuild RUN`: rebuild a run's state from its events and compare it with the snapshot."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from championship.runs.models import Run
from championship.runs.play import check_snapshot


class Command(BaseCommand):
    help = "Folds the events of a run and compares the result with its snapshot. --write replaces the snapshot."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", metavar="RUN", help="the key of the run, from its address")
        parser.add_argument("--write", action="store_true", help="replace a snapshot that differs")

    def handle(self, *, run: str, write: bool, **options: Any) -> None:
        found = Run.objects.filter(key=run).first()
        if found is None:
            raise CommandError(f"There is no run {run}.")
        if check_snapshot(run=found, write=write):
            self.stdout.write("The events match the snapshot.")
        elif write:
            self.stdout.write("The snapshot was replaced from the events.")
        else:
            raise CommandError("The events do not match the snapshot.")
