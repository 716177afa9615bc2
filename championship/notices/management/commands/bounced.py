"""`manage.py bounced ADDRESS --reason TEXT`: the command for a mail server's bounce handler."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from championship.notices.services import refuse_address


class Command(BaseCommand):
    help = "Stops all mail to an address that bounced. Every page tells its owner."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address")
        parser.add_argument("--reason", default="", help="the answer of the mail server")

    def handle(self, *args: Any, **options: Any) -> None:
        person = refuse_address(address=options["address"], reason=options["reason"])
        if person is None:
            raise CommandError(f"No account has the address {options['address']}.")
        self.stdout.write(f"{person.email} gets no mail until its owner confirms the address.")
