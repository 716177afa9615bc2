"""`manage.py bounced ADDRESS --reason TEXT`: the command for a mail server's bounce handler."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from championship.notices.services import refuse_address


class Command(BaseCommand):
    help = "Write no more to an address that mail has come back from; its owner is told on every page."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address")
        parser.add_argument("--reason", default="", help="what the mail server said")

    def handle(self, *args: Any, **options: Any) -> None:
        person = refuse_address(address=options["address"], reason=options["reason"])
        if person is None:
            raise CommandError(f"Nobody here has the address {options['address']}.")
        self.stdout.write(f"{person.email} gets no mail until its owner has looked.")
