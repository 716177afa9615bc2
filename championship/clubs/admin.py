"""Clubs on the administration pages: to look up; what changes them is done by their own members."""

from django.contrib import admin

from championship.admin_pages import ModelAdmin
from championship.clubs.models import Club


@admin.register(Club)
class ClubAdmin(ModelAdmin[Club]):
    list_display = ["name", "slug", "created_at"]
    search_fields = ["name", "slug"]
    readonly_fields = ["key", "created_at"]
