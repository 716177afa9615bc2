"""`manage.py seed_demo`: creates the demo's club, persons and rallies unless they exist."""

from typing import Any

from django.core.management.base import BaseCommand

from championship.demo.seed import seed


class Command(BaseCommand):
    help = "Make the demo's club, people and rallies; what is there already is left as it is."

    def handle(self, *, verbosity: int, **options: Any) -> None:
        made = seed()
        if verbosity:
            self.stdout.write("Made the demo's world." if made else "The demo's world is there already.")
