"""`manage.py after_restore`: required for fairness after a restore from a backup, before turns are accepted again."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from championship import clock
from championship.lineage import services as lineage
from championship.runs import services


class Command(BaseCommand):
    help = (
        "After a restore: pause rallies, seal all that is open anew, tell drivers. Until then no turn is taken. "
        "--nothing-was-lost only takes note of another server that holds every turn."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--anyway", action="store_true", help="although the service has not noticed any restore")
        parser.add_argument(
            "--nothing-was-lost",
            action="store_true",
            help="no turn is missing: after an upgrade of PostgreSQL, or a standby that had everything",
        )

    def handle(self, *, anyway: bool, nothing_was_lost: bool, **_options: Any) -> None:
        if not lineage.was_set_back() and not anyway:
            raise CommandError(
                "This is the database that the service knows. After a restore it did not notice: --anyway"
            )
        if nothing_was_lost:
            lineage.accept_current_state(now=clock.now())
            self.stdout.write("Noted. Turns are taken again; nothing was paused.")
            return
        done = services.after_restore(now=clock.now())
        self.stdout.write(f"Paused, their entrants told: {done.rallies} rallies")
        self.stdout.write(f"Sealed anew: {done.runs} runs on the road, {done.stages} stages to come")
        for stage in done.not_sealed:
            self.stdout.write(f"Not sealed, for its organisers to decide: {stage}")
        self.stdout.write("Turns are taken again. Organisers let their rallies go on when they have looked at them.")
