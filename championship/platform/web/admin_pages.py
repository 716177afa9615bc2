"""Read-only administration pages. Only services change rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

Row = TypeVar("Row", bound=Model)

if TYPE_CHECKING:

    class ModelAdmin(admin.ModelAdmin[Row]):
        """Django's ModelAdmin, as its type stubs declare it."""

else:

    class ModelAdmin(admin.ModelAdmin, Generic[Row]):
        """Django's ModelAdmin, made generic over its row type, as in its type stubs."""


class ReadOnlyAdmin(ModelAdmin[Row]):
    """Rows that nobody adds, changes or deletes by hand."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
