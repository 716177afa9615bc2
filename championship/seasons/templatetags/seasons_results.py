"""What seasons have for the page of my turns: results that a driver has not seen, rounds that ask who comes, and places
in divisions that are offered.
"""

from __future__ import annotations

from django import template

from championship.accounts.models import User
from championship.seasons import finished
from championship.seasons.clock.selectors import Question, questions_for
from championship.seasons.divisions.selectors import OfferShown, offers_for

register = template.Library()


@register.simple_tag
def places_offered(driver: User) -> list[OfferShown]:
    """Return the places in divisions that wait for the driver's answer. One query."""
    return offers_for(driver)


@register.simple_tag
def recent_results(driver: User) -> finished.RecentResults:
    """Return the driver's recent results."""
    return finished.recent_results(driver)


@register.simple_tag
def rounds_that_ask(driver: User) -> list[Question]:
    """Return the rounds that wait for the driver's answer whether they come. One query."""
    return questions_for(driver)
