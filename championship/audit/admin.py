"""The log on the administration pages, read-only."""

from django.contrib import admin

from championship.audit.models import Record
from championship.platform.web.admin_pages import ReadOnlyAdmin


@admin.register(Record)
class RecordAdmin(ReadOnlyAdmin[Record]):
    list_display = ["at", "actor", "action", "subject_label", "club_id", "from_archive"]
    list_filter = ["from_archive", "action"]
    list_select_related = ["actor"]
