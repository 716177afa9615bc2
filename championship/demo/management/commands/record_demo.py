"""`manage.py record_demo`: drives the past of the demo once more and writes the files that every demo begins with."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from championship.accounts.models import User
from championship.demo.persons import PERSONS
from championship.demo.services.history import record

LUCK = 1


class Command(BaseCommand):
    help = "Records the demo again, into championship/demo/recorded. Needs an empty database, and leaves it empty."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--luck", type=int, default=LUCK, help="a number that decides all draws")

    def handle(self, *, luck: int, **options: Any) -> None:
        if User.objects.filter(email__in=[person.email for person in PERSONS]).exists():
            raise CommandError("The demo is here already. Use an empty database: PARC_FERME_VAR=/tmp/record ...")
        record(luck=luck, say=self.stdout.write)
