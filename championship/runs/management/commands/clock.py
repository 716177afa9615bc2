"""`manage.py clock [--check] [--json] [--retry]`: what is due, overdue, stuck and failing, and the last sweep."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from championship.failures.services import try_all_again
from championship.platform import clock
from championship.runs.watch.deadline_health import clock_health


class Command(BaseCommand):
    help = (
        "Prints what is due, overdue, stuck and failing, and the time of the last sweep of deadlines. "
        "--check ends with status 1 if an operator must act."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="end with status 1 if there is a problem")
        parser.add_argument("--json", action="store_true", help="print JSON, for a monitor")
        parser.add_argument("--retry", action="store_true", help="have work that failed tried again by the next sweep")

    def handle(self, *, check: bool, **options: Any) -> None:
        if options["retry"]:
            try_all_again(now=clock.now())
        found = clock_health(clock.now())
        self.stdout.write(json.dumps(found.plain(), indent=1) if options["json"] else "\n".join(found.lines()))
        if check and not found.healthy:
            raise SystemExit(1)
