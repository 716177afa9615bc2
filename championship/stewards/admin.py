"""The stewards' room for operators: to read only, since decisions are undone by other decisions alone."""

from django.contrib import admin

from championship.admin_pages import ReadOnlyAdmin
from championship.stewards.models import Decision, Protest


@admin.register(Protest)
class ProtestAdmin(ReadOnlyAdmin[Protest]):
    pass


@admin.register(Decision)
class DecisionAdmin(ReadOnlyAdmin[Decision]):
    pass
