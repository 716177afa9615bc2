"""Administration pages for stage designs. Operators use them to look designs up; clubs make their own designs."""

from django.contrib import admin

from championship.platform.web.admin_pages import ModelAdmin
from championship.stages.models import StageDesign


@admin.register(StageDesign)
class StageDesignAdmin(ModelAdmin[StageDesign]):
    list_display = ["__str__", "club", "game", "source", "designer", "created_at"]
    list_filter = ["game"]
    search_fields = ["name", "source", "designer"]
    readonly_fields = ["key", "club", "game", "source", "spec", "created_by", "created_at"]
