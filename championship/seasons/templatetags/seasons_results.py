"""Results that wait for a driver, for the page of my turns."""

from __future__ import annotations

from django import template

from championship.accounts.models import User
from championship.seasons import finished

register = template.Library()


@register.simple_tag
def brought_home(driver: User) -> finished.BroughtHome:
    """What the driver has brought home lately."""
    return finished.brought_home(driver)
