"""`manage.py operator MAIL`: make somebody an operator, with an account if there is none. They sign in with a code."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from championship.accounts.services import appoint_operator, dismiss_operator
from championship.refusals import Refused


class Command(BaseCommand):
    help = "Make the person with this mail address an operator of the service; they sign in with a code like everybody."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("mail", help="the mail address; an account is made where there is none")
        parser.add_argument("--name", default="", help="how a new account is called; by default as the address begins")
        parser.add_argument("--language", default="en", help="of a new account: en, pl or de")
        parser.add_argument("--dismiss", action="store_true", help="take the operator's rights away again")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["dismiss"]:
                dismiss_operator(email=options["mail"])
                self.stdout.write(f"{options['mail']} is an ordinary account now.")
                return
            made = appoint_operator(email=options["mail"], name=options["name"], language=options["language"])
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal
        account = "A new account" if made else "The account"
        self.stdout.write(
            f"{account} {options['mail']} is an operator's. Sign in at /account/login/ with a code by mail."
        )
