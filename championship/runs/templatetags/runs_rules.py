"""Template tags for the rules of a game: pictures of its rulebook, and the way to them from other pages."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context
from django.utils.safestring import SafeString

from championship import catalogue
from championship.runs.rulebook import figures
from championship.runs.rulebook.book import Block

register = template.Library()

ABOUT_A_GAME = ("run", "rally", "design", "championship")
"""Names in the context of a page that is about one game."""


@register.filter
def has_rules(game: str) -> bool:
    """Return whether a game has rules to read."""
    return game in catalogue.names() and catalogue.get(game).has_rules


@register.simple_tag
def rule_sign(game: str, name: str) -> SafeString:
    """Return a single sign of a game's rulebook."""
    return figures.sign(game, name)


@register.inclusion_tag("runs/parts/rule_figure.html")
def rule_figure(game: str, block: Block) -> dict[str, Any]:
    """Show a drawn example of a game's rulebook."""
    return {"views": figures.drawn(game, block.picture), "caption": block.html, "name": block.picture}


@register.simple_tag(takes_context=True)
def game_of_page(context: Context) -> catalogue.Game | None:
    """Return the game that this page is about, if it has rules to read; None on pages about several games or none."""
    for name in ABOUT_A_GAME:
        game = getattr(context.get(name), "game", None)
        if isinstance(game, str) and has_rules(game):
            return catalogue.get(game)
    return None
