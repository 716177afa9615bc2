"""What evenings have for the page of my turns: rallies that ask the driver to check in."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.template import Context

from championship.accounts.models import User
from championship.evenings.arriving.selectors import asked_now, check_ins
from championship.rallies.models import Rally

register = template.Library()


@register.simple_tag(takes_context=True)
def evenings_that_ask(context: Context, driver: User) -> list[tuple[Rally, datetime]]:
    """Return the rallies that ask the driver to check in, each with the hour. One query, none on the page of my
    turns.
    """
    beside = getattr(context.get("mine"), "beside", {})
    return check_ins(beside["check-ins"]) if "check-ins" in beside else asked_now(driver)
