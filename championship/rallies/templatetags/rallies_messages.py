"""Messages to the entrants, for the pages of a rally."""

from __future__ import annotations

from typing import Any

from django import template

from championship.rallies.front import newest
from championship.rallies.models import Rally

register = template.Library()


@register.inclusion_tag("rallies/parts/messages.html")
def messages_of(rally: Rally, heading: str = "") -> dict[str, Any]:
    """The newest messages of organisers to the entrants, as the first page of the rally has them. One query."""
    found = newest(rally.messages.all())
    return {"written": list(found), "heading": heading}
