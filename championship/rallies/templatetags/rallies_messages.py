"""Messages to the entrants, for pages of their rally."""

from __future__ import annotations

from typing import Any

from django import template

from championship.rallies.models import Rally

register = template.Library()

SHOWN = 20


@register.inclusion_tag("rallies/parts/messages.html")
def messages_of(rally: Rally, heading: str = "") -> dict[str, Any]:
    """What organisers wrote to the entrants, newest first; nothing where nobody wrote. One query."""
    found = rally.messages.select_related("by").order_by("-at", "-pk")[:SHOWN]
    return {"written": list(found), "heading": heading}
