"""`manage.py clock [--check] [--json]`: what is due, overdue and stuck, and when beat last gave a sign of life."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from championship import clock
from championship.runs.deadline_health import clock_health


class Command(BaseCommand):
    help = (
        "Prints what is due, overdue and stuck, and the time of the last sweep of deadlines. "
        "--check ends with status 1 if an operator must act."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="end with status 1 if there is a problem")
        parser.add_argument("--json", action="store_true", help="print JSON, for a monitor")

    def handle(self, *, check: bool, **options: Any) -> None:
        found = clock_health(clock.now())
        self.stdout.write(json.dumps(found.plain(), indent=1) if options["json"] else "\n".join(found.lines()))
        if check and not found.healthy:
            raise SystemExit(1)
