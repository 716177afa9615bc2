"""What evenings have for the page of my turns: rallies that ask the driver to check in."""

from __future__ import annotations

from datetime import datetime

from django import template

from championship.accounts.models import User
from championship.evenings.arriving.selectors import asked_now
from championship.rallies.models import Rally

register = template.Library()


@register.simple_tag
def evenings_that_ask(driver: User) -> list[tuple[Rally, datetime]]:
    """Return the rallies that ask the driver to check in, each with the hour. One query."""
    return asked_now(driver)
