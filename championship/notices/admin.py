"""The outbox on the administration pages: to see what waits and what died, and why."""

from django.contrib import admin

from championship.notices.models import Notice


@admin.register(Notice)
class NoticeAdmin(admin.ModelAdmin):
    list_display = ["created_at", "recipient", "kind", "subject_key", "status", "attempts", "next_try_at"]
    list_filter = ["status", "kind"]
    list_select_related = ["recipient"]
    readonly_fields = [field.name for field in Notice._meta.fields if field.name not in {"status", "next_try_at"}]
