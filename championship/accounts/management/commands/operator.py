"""`manage.py operator MAIL`: make somebody an operator, with an account if there is none. They sign in with a code."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from championship.accounts.services import appoint_operator, dismiss_operator
from championship.platform.refusals import Refused


class Command(BaseCommand):
    help = "Makes the person with this mail address an operator of the service, who signs in with a code as before."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("mail", help="the mail address; an account is created if there is none")
        parser.add_argument(
            "--name", default="", help="name of a new account; the default is the first part of the address"
        )
        parser.add_argument("--language", default="en", help="language of a new account: en, pl or de")
        parser.add_argument("--dismiss", action="store_true", help="remove the rights of an operator")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["dismiss"]:
                dismiss_operator(email=options["mail"])
                self.stdout.write(f"{options['mail']} is no operator any more.")
                return
            made = appoint_operator(email=options["mail"], name=options["name"], language=options["language"])
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal
        account = "A new account" if made else "The account"
        self.stdout.write(
            f"{account} {options['mail']} is an operator. Sign in at /account/login/ with a code by mail."
        )
