"""`manage.py rebuild RUN`: fold a run's events and compare the state that comes of it with the snapshot."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from championship.runs.models import Run
from championship.runs.services import rebuild


class Command(BaseCommand):
    help = (
        "Fold the events of a run and compare the outcome with its snapshot; --write puts it in the snapshot's place."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", metavar="RUN", help="the key of the run, from its address")
        parser.add_argument("--write", action="store_true", help="replace a snapshot that differs")

    def handle(self, *, run: str, write: bool, **options: Any) -> None:
        found = Run.objects.filter(key=run).first()
        if found is None:
            raise CommandError(f"There is no run {run}.")
        state = rebuild(run=found)
        if state == found.state:
            self.stdout.write(f"{found.events_told} events give the snapshot.")
        elif write:
            Run.objects.filter(pk=found.pk, version=found.version).update(state=state)
            self.stdout.write(f"The snapshot is written anew from {found.events_told} events.")
        else:
            raise CommandError("The events give another state than the snapshot.")
