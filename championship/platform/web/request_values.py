"""Values that one layer leaves on a request for another: a hook that runs before a view for the view, a view for a
middleware or a template tag. Each is declared once, with its type, where it is put.

    NEWS_TAG: RequestValue[str] = RequestValue("news_tag")
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from django.http import HttpRequest

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class RequestValue(Generic[Value]):
    """A value of one type on a request. Templates read it as `request.<name>`."""

    name: str

    def put(self, request: HttpRequest, value: Value) -> None:
        """Leave the value on the request, in place of an earlier one."""
        setattr(request, self.name, value)

    def of(self, request: HttpRequest) -> Value | None:
        """The value that was left on the request, or None."""
        found: Value | None = getattr(request, self.name, None)
        return found
