"""`manage.py seed_demo`: the demo's club, people and rallies, unless they are there."""

from typing import Any

from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Make the demo's club, people and rallies; what is there already is left as it is."

    def handle(self, **options: Any) -> None:
        """Nothing yet."""
