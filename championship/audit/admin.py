"""The log on the administration pages: to read only."""

from django.contrib import admin
from django.http import HttpRequest

from championship.audit.models import Record


@admin.register(Record)
class RecordAdmin(admin.ModelAdmin):
    list_display = ["at", "actor", "action", "subject_label", "club_id"]
    list_filter = ["action"]
    list_select_related = ["actor"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False
