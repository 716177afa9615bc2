"""Rallies in the administration: to look at. Writes go through services; time-control cards stay sealed."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from championship.rallies.models import Entry, Penalty, Rally, SpecialStage, StageTime


class ReadOnlyAdmin(admin.ModelAdmin):
    """Shows rows and changes none."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Rally)
class RallyAdmin(ReadOnlyAdmin):
    list_display = ("name", "club", "status", "created_at")
    list_filter = ("status",)
    list_select_related = ("club",)
    search_fields = ("name", "key")


@admin.register(SpecialStage)
class SpecialStageAdmin(ReadOnlyAdmin):
    list_display = ("rally", "number", "name", "status")
    list_select_related = ("rally",)


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ("rally", "start_number", "crew", "driver", "status", "driven_by")
    list_select_related = ("rally", "driver")
    search_fields = ("crew", "driver__name")


@admin.register(StageTime)
class StageTimeAdmin(ReadOnlyAdmin):
    list_display = ("special_stage", "entry", "seconds", "retired")
    list_select_related = ("special_stage", "entry")


@admin.register(Penalty)
class PenaltyAdmin(ReadOnlyAdmin):
    list_display = ("rally", "entry", "special_stage", "seconds", "reason")
    list_select_related = ("rally", "entry", "special_stage")
