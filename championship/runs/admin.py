"""Runs for the operator: to look at, not to change."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from championship.runs.models import Run, Turn


class LookOnly(admin.ModelAdmin):
    """Nothing here is added, changed or deleted by hand."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Run)
class RunAdmin(LookOnly):
    list_display = ["key", "special_stage", "number", "status", "version", "opened_at", "finished_at"]
    list_filter = ["status", "game"]
    exclude = ["secret", "state"]


@admin.register(Turn)
class TurnAdmin(LookOnly):
    list_display = ["run", "number", "place", "since", "deadline", "ended_at", "missed"]
    list_filter = ["missed"]
