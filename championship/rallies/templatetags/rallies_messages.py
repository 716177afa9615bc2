"""Messages to the entrants, for the pages of a rally."""

from __future__ import annotations

from typing import Any

from django import template

from championship.rallies.front import MESSAGES_SHOWN
from championship.rallies.models import Rally

register = template.Library()


@register.inclusion_tag("rallies/parts/messages.html")
def messages_of(rally: Rally, heading: str = "") -> dict[str, Any]:
    """The last MESSAGES_SHOWN messages of organisers to the entrants, newest first. One query."""
    found = rally.messages.select_related("by").order_by("-at", "-pk")[:MESSAGES_SHOWN]
    return {"written": list(found), "heading": heading}
