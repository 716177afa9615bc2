"""Read-only admin pages for runs. While something is hidden in a run, these pages do not show that it moves."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from championship.platform.web.admin_pages import ReadOnlyAdmin
from championship.runs.models import Run, Turn

MOVING = ["version", "events_told", "drawn"]
"""The columns that every post changes."""


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin[Run]):
    list_display = ["key", "special_stage", "number", "status", "opened_at", "finished_at"]
    list_filter = ["status", "game"]

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Leave out columns that nobody may know yet."""
        return ["secret", "second_seal", "state", "common", *(MOVING if obj is not None and obj.hidden else ())]


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin[Turn]):
    list_display = ["run", "number", "seat", "since", "deadline", "ended_at", "missed"]
    list_filter = ["missed"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Turn]:
        """Return turns of runs in which nothing is hidden."""
        return super().get_queryset(request).filter(run__hidden=False)
