"""`manage.py api_schema`: writes the schema of the API to docs/openapi.json."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from championship.api import schema


class Command(BaseCommand):
    help = "Writes the schema of the API to docs/openapi.json."

    def handle(self, *args: Any, **options: Any) -> None:
        (settings.BASE_DIR / "docs" / "openapi.json").write_text(schema.as_text(), encoding="utf-8")
