"""The way to the forecast of a rally, from other pages."""

from typing import Any

from django import template

from championship.rallies.models import Rally
from championship.seasons.chances import selectors

register = template.Library()


@register.simple_tag(takes_context=True)
def has_rally_forecast(context: dict[str, Any], rally: Rally) -> bool:
    """Return whether the reader may see who is likely to win a rally under way. Two queries at most, else none."""
    return selectors.rally_has_forecast(rally, context["user"])
