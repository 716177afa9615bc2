"""Seasons in the admin: read-only. Data is written through services."""

from django.contrib import admin

from championship.platform.web.admin_pages import ReadOnlyAdmin
from championship.seasons.models import Championship, Round


@admin.register(Championship)
class ChampionshipAdmin(ReadOnlyAdmin[Championship]):
    list_display = ("name", "club", "created_at")
    list_select_related = ("club",)


@admin.register(Round)
class RoundAdmin(ReadOnlyAdmin[Round]):
    list_display = ("championship", "number", "rally")
    list_select_related = ("championship", "rally")
