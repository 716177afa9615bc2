"""`manage.py restore_club FILE`: restores a club and everything that it owned into this installation."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from championship.archive.restoring import restore_club
from championship.refusals import Refused


class Command(BaseCommand):
    help = "Restores a club from its archive: all of it, or nothing if anything is wrong."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the zip file that an owner downloaded")

    def handle(self, *, file: str, **options: Any) -> None:
        try:
            with Path(file).open("rb") as archive:
                club = restore_club(by=None, file=archive)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}") from error
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"{club.name} is restored: /clubs/{club.slug}/")
