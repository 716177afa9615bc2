"""The stewards' room in the admin: read-only, since only another decision may undo a decision."""

from django.contrib import admin

from championship.platform.web.admin_pages import ReadOnlyAdmin
from championship.stewards.models import Decision, Protest


@admin.register(Protest)
class ProtestAdmin(ReadOnlyAdmin[Protest]):
    pass


@admin.register(Decision)
class DecisionAdmin(ReadOnlyAdmin[Decision]):
    pass
