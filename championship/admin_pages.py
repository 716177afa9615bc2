"""Administration pages to look at: rows are shown there, and services alone change them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

Row = TypeVar("Row", bound=Model)

if TYPE_CHECKING:

    class ModelAdmin(admin.ModelAdmin[Row]):
        """Django's."""

else:

    class ModelAdmin(admin.ModelAdmin, Generic[Row]):
        """Django's, with the type of its rows in brackets, as its type stubs have it."""


class ReadOnlyAdmin(ModelAdmin[Row]):
    """Rows that nobody adds, changes or deletes by hand."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
