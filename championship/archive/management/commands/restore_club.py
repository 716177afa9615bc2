"""`manage.py restore_club FILE --owner ADDRESS`: restores a club and everything that it owned into this installation.
`--as-it-was` restores its members too, from an archive that the operator vouches for.
"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from championship.accounts.models import User
from championship.archive.services.restoring import restore_club
from championship.platform.refusals import Refused, Stale


class Command(BaseCommand):
    help = "Restores a club from its archive: all of it, or nothing if anything is wrong."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the zip file that an owner downloaded")
        members = parser.add_mutually_exclusive_group(required=True)
        members.add_argument(
            "--owner",
            metavar="ADDRESS",
            help="the mail address of the account that gets the club; the archive's members are invited by mail",
        )
        members.add_argument(
            "--as-it-was",
            action="store_true",
            help="the archive is your own: its people get accounts, and are members, owners and officials as they were",
        )

    def handle(self, *, file: str, owner: str | None, as_it_was: bool, **options: Any) -> None:
        person = None if owner is None else User.objects.filter(email=owner.strip().lower()).first()
        if not as_it_was and person is None:
            raise CommandError(f"Nobody here has the address {owner}. The owner signs up first.")
        try:
            with Path(file).open("rb") as archive:
                club = restore_club(by=None, file=archive, owner=person)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}") from error
        except (Refused, Stale) as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"{club.name} is restored: /clubs/{club.slug}/")
