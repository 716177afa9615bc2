"""Whether other pages link to a film."""

from django import template

from championship.films import cuts
from championship.rallies.models import Rally

register = template.Library()


@register.filter
def has_films(rally: Rally) -> bool:
    """Whether runs of a rally have films when they are over: its game draws a road. No query."""
    return cuts.has_film(rally.game) and not rally.practice and not rally.on_paper
