"""What htmx says of a request: whether it asks for a part of a page, and which. django-htmx's middleware reads it."""

from __future__ import annotations

from typing import Protocol, cast

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class HtmxRequest(Protocol):
    """A request that has passed django-htmx's middleware."""

    htmx: HtmxDetails


def details(request: HttpRequest) -> HtmxDetails:
    """The headers of htmx. False when the request is not from htmx."""
    return cast(HtmxRequest, request).htmx


def asks_for_part(request: HttpRequest, target: str = "") -> bool:
    """Whether htmx puts the answer into the page that the reader has: into the element `target`, if one is named. A
    page that htmx restores after "back" is asked for as a whole.
    """
    found = details(request)
    return bool(found) and not found.history_restore_request and (not target or found.target == target)
