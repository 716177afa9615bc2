"""`manage.py health [--check] [--acknowledge]`: prints what /readyz reports, whether mail goes out, the age of backups,
free disk space, and each jump of a machine's clock within the last day.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from championship.health import checks, selectors, services
from championship.health.models import ClockJump
from championship.platform import clock


class Command(BaseCommand):
    help = (
        "Checks everything that the service needs. --check ends with status 1 if an operator has to act. --acknowledge "
        "ends the report of the jumps of clocks: somebody has looked at the deadlines."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="end with status 1 if there is a problem")
        parser.add_argument("--acknowledge", action="store_true", help="report the jumps of clocks no more")

    def handle(self, *, check: bool, acknowledge: bool, **_options: Any) -> None:
        problems = checks.problems(checks.ALL)
        for name in checks.ALL:
            self.stdout.write(f"{name}: {problems.get(name, 'good')}")
        found, jumps = list(selectors.of_machine()), list[ClockJump]()
        if not problems.keys() & {"database", "migrations"}:
            now = clock.now()
            found += selectors.of_database(now)
            if acknowledge:
                self.stdout.write(f"jumps of clocks acknowledged: {services.acknowledge_jumps(now=now)}")
            jumps = list(ClockJump.objects.lately(now).order_by("noticed_at"))
        for each in found:
            self.stdout.write(f"{each.name}: {each.text}{' (PROBLEM)' if each.is_problem else ''}")
        for jump in jumps:
            self.stdout.write(
                f"clock: set {jump.seconds:+.0f} seconds, noticed at {jump.noticed_at:%Y-%m-%d %H:%M} UTC; "
                "manage.py health --acknowledge ends this report"
            )
        if check and (problems or jumps or any(each.is_problem for each in found)):
            raise SystemExit(1)
