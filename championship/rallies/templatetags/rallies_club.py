"""A list of rallies that take entries, for pages about all clubs."""

from typing import Any

from django import template

from championship.rallies.selectors import rallies_taking_entries

register = template.Library()


@register.inclusion_tag("rallies/parts/open_rallies.html")
def rallies_that_take_entries() -> dict[str, Any]:
    """Rallies of public clubs that take entries, the newest first."""
    return {"rallies": rallies_taking_entries()}
