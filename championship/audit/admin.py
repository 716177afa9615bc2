"""The log on the administration pages, read-only."""

from django.contrib import admin

from championship.admin_pages import ReadOnlyAdmin
from championship.audit.models import Record


@admin.register(Record)
class RecordAdmin(ReadOnlyAdmin[Record]):
    list_display = ["at", "actor", "action", "subject_label", "club_id", "from_archive"]
    list_filter = ["from_archive", "action"]
    list_select_related = ["actor"]
