"""Results that a driver has not seen yet, for the page of my turns."""

from __future__ import annotations

from django import template

from championship.accounts.models import User
from championship.seasons import finished

register = template.Library()


@register.simple_tag
def recent_results(driver: User) -> finished.RecentResults:
    """Return the driver's recent results."""
    return finished.recent_results(driver)
