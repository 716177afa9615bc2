"""`manage.py archive_club SLUG FILE`: writes everything that a club owns into a file, the same as an owner
downloads.
"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from championship.archive.services.writing import write_archive
from championship.clubs.models import Club


class Command(BaseCommand):
    help = "Writes the archive of a club."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("club", metavar="CLUB", help="the last part of the club's address")
        parser.add_argument("file", metavar="FILE", help="the file to write; it must not exist yet")

    def handle(self, *, club: str, file: str, **options: Any) -> None:
        found = Club.objects.filter(slug=club).first()
        if found is None:
            raise CommandError(f"There is no club {club}.")
        try:
            with Path(file).open("xb") as archive:
                write_archive(found, archive)
        except OSError as error:
            raise CommandError(f"{file} cannot be written: {error.strerror}") from error
        self.stdout.write(f"{file} holds {found.name}.")
