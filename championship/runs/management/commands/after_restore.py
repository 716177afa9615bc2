"""`manage.py after_restore`: required for fairness after a restore from a backup, before turns are accepted again."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from championship.lineage import services as lineage
from championship.platform import clock
from championship.runs import play as services


class Command(BaseCommand):
    help = (
        "After a restore: pauses rallies, replaces the seals of all open runs and stages, and notifies drivers. The "
        "service refuses turns until then. --nothing-was-lost only accepts the new server, which holds every turn; "
        "logs and notices name it to everybody who drives."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--anyway", action="store_true", help="run even if the service has not noticed a restore")
        parser.add_argument(
            "--nothing-was-lost",
            action="store_true",
            help="no turn is missing, as after an upgrade of PostgreSQL or a complete standby",
        )

    def handle(self, *, anyway: bool, nothing_was_lost: bool, **_options: Any) -> None:
        if not lineage.was_set_back() and not anyway:
            raise CommandError("The service knows this database. If it was restored all the same, use --anyway.")
        if nothing_was_lost:
            count = services.accept_without_loss(now=clock.now())
            self.stdout.write(f"Accepted, nothing was paused. Rallies whose log names it: {count}")
            return
        done = services.after_restore(now=clock.now())
        self.stdout.write(f"Rallies paused, entrants notified: {done.rallies}")
        self.stdout.write(f"New seals: {done.runs} open runs, {done.stages} future stages")
        for stage in done.not_sealed:
            self.stdout.write(f"Not sealed, its organisers must decide: {stage}")
        self.stdout.write("The service takes turns again. Organisers check their rallies and then resume them.")
