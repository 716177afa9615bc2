"""`manage.py health [--check]`: prints what /readyz reports, and each jump of a machine's clock within the last day."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from championship import clock
from championship.health import checks
from championship.health.models import ClockJump


class Command(BaseCommand):
    help = "Checks everything that the service needs. --check ends with status 1 if a check fails."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="end with status 1 if there is a problem")

    def handle(self, *, check: bool, **_options: Any) -> None:
        problems = checks.problems(checks.ALL)
        for name in checks.ALL:
            self.stdout.write(f"{name}: {problems.get(name, 'good')}")
        jumps = [] if "database" in problems else list(ClockJump.objects.lately(clock.now()).order_by("noticed_at"))
        for jump in jumps:
            self.stdout.write(
                f"clock: set {jump.seconds:+.0f} seconds, noticed at {jump.noticed_at:%Y-%m-%d %H:%M} UTC"
            )
        if check and (problems or jumps):
            raise SystemExit(1)
