"""Clubs on the administration pages: operators find clubs there, and open closed ones again."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.clubs.services.closing import open_again
from championship.platform.web.admin_pages import ModelAdmin


@admin.action(description=_("Open closed clubs again"), permissions=["change"])
def open_closed_clubs(_admin: ModelAdmin[Club], request: HttpRequest, chosen: QuerySet[Club]) -> None:
    """Open closed clubs again, for example when their owners have left the service."""
    assert isinstance(request.user, User)
    for club in chosen.exclude(closed_at=None).order_by("pk"):
        open_again(by=request.user, club=club)


@admin.register(Club)
class ClubAdmin(ModelAdmin[Club]):
    list_display = ["name", "slug", "created_at", "closed_at"]
    search_fields = ["name", "slug"]
    readonly_fields = ["key", "created_at", "closed_at", "close_reason"]
    actions = [open_closed_clubs]
