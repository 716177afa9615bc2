"""What every template may know about the place it is served from."""

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, object]:
    """`demo`: whether this is the demo, which offers its one-click logins."""
    return {"demo": settings.DEMO}
