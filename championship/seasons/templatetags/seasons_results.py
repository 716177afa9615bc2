"""What seasons have for the page of my turns: results that a driver has not seen, rounds that ask who comes, and places
in divisions that are offered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.template import Context

from championship.accounts.models import User
from championship.seasons import finished
from championship.seasons.clock.selectors import Question, questions, questions_for
from championship.seasons.divisions.selectors import OfferShown, offers, offers_for

register = template.Library()


def _beside(context: Context) -> Mapping[str, list[Any]]:
    """The rows that the page of my turns has read for seasons; empty on other pages."""
    return getattr(context.get("mine"), "beside", {})


@register.simple_tag(takes_context=True)
def places_offered(context: Context, driver: User) -> list[OfferShown]:
    """Return the places in divisions that wait for the driver's answer. One query, none on the page of my turns."""
    beside = _beside(context)
    return offers(beside["places offered"]) if "places offered" in beside else offers_for(driver)


@register.simple_tag(takes_context=True)
def recent_results(context: Context, driver: User) -> finished.RecentResults:
    """Return the driver's recent results. One query, none on the page of my turns where all are seen."""
    beside = _beside(context)
    read = "recent results" in beside
    return finished.recent_of(driver, beside["recent results"]) if read else finished.recent_results(driver)


@register.simple_tag(takes_context=True)
def rounds_that_ask(context: Context, driver: User) -> list[Question]:
    """Return the rounds that wait for the driver's answer whether they come. No query on the page of my turns."""
    beside = _beside(context)
    return questions(beside["rounds that ask"]) if "rounds that ask" in beside else questions_for(driver)
