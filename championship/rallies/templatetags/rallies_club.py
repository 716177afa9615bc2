"""Lists of rallies, for pages about all clubs."""

from typing import Any

from django import template

from championship.rallies.selectors import rallies_taking_entries, rallies_under_way

register = template.Library()


@register.inclusion_tag("rallies/parts/open_rallies.html")
def rallies_that_take_entries() -> dict[str, Any]:
    """Rallies of public clubs that take entries, the newest first."""
    return {"rallies": rallies_taking_entries()}


@register.inclusion_tag("rallies/parts/rallies_under_way.html")
def rallies_on_the_road() -> dict[str, Any]:
    """Rallies of public clubs that are under way, the newest first."""
    return {"rallies": rallies_under_way()}
