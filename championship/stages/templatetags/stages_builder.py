"""Links to the stage builder."""

from django import template

from championship.catalogue import Game
from championship.clubs.models import Club
from championship.stages import builders

register = template.Library()


@register.simple_tag
def builder_url(page: str, club: Club, game: Game) -> str:
    """The URL of a page of the builder, for the stages of a game."""
    return builders.url_of(page, club, game.name)
