"""`manage.py sign_in_letter MAIL`: print the letter with the code that could not be sent, to sign in without mail."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from championship.accounts.services import sign_in_mail
from championship.platform import clock


class Command(BaseCommand):
    help = (
        "Prints the letter with the code for this address, while mail does not go out. Ask for the code on the page of "
        "the service first, and type it there in the same browser. A letter that was sent is not stored any more."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("mail", help="the mail address that was typed on the page")

    def handle(self, *, mail: str, **_options: Any) -> None:
        text = sign_in_mail.waiting_text(address=mail, now=clock.now())
        if text is None:
            raise CommandError(
                f"No letter to {mail} waits. Ask for a code at /account/login/ first. If the mail server took the "
                "letter, stop the worker for mail, ask for another code, and run this again."
            )
        self.stdout.write(text)
