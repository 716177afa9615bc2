"""`manage.py seed_demo`: creates the demo's club, persons and rallies unless they exist."""

from typing import Any

from django.core.management.base import BaseCommand

from championship.demo.services import seed


class Command(BaseCommand):
    help = "Creates the demo's club, people and rallies. Existing ones stay as they are."

    def handle(self, *, verbosity: int, **options: Any) -> None:
        made = seed()
        if verbosity:
            self.stdout.write(
                "Created the demo's club, people and rallies."
                if made
                else "The demo's club, people and rallies exist already."
            )
