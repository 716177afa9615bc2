"""Template tags for the rules of a game: pictures of its rulebook, and the way to them from other pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django import template
from django.template import Context
from django.utils.safestring import SafeString

from championship import catalogue
from championship.notices.notice_text import absolute_url
from championship.runs.rulebook import figures
from championship.runs.rulebook.book import Block, Topic, book_of, has_first_page, rule_address

register = template.Library()

ABOUT_A_GAME = ("run", "rally", "design", "championship")
"""Names in the context of a page that is about one game."""


@register.filter
def has_rules(game: str) -> bool:
    """Return whether a game has rules to read."""
    return game in catalogue.names() and catalogue.get(game).has_rules


@register.filter
def has_first_rules(game: str) -> bool:
    """Return whether the rules of a game have a page for a first stage."""
    return has_rules(game) and has_first_page(game)


@register.simple_tag(name="rule_address")
def address_of_rule(game: str | None, number: str | None, *, outside: bool = False) -> str:
    """Return where a rule is explained; "" without a game, and for a number that is no rule of the game. `outside`: for
    use outside the site, as in a mail.
    """
    path = rule_address(game, number) if game and number and has_rules(game) else ""
    return absolute_url(path) if path and outside else path


@register.simple_tag
def rule_sign(game: str, name: str) -> SafeString:
    """Return a single sign of a game's rulebook."""
    return figures.sign(game, name)


@register.inclusion_tag("runs/parts/rule_figure.html")
def rule_figure(game: str, block: Block) -> dict[str, Any]:
    """Show a drawn example of a game's rulebook."""
    return {"views": figures.drawn(game, block.picture), "caption": block.html, "name": block.picture}


@dataclass(frozen=True, slots=True)
class Asked:
    """A topic that a reader may ask about: the term in its address, its title, and its signs."""

    term: str
    title: str
    signs: tuple[SafeString, ...]


def _asked(game: str, names: Iterable[str]) -> list[Asked]:
    """Return the topics of these terms in order, each once with the signs of all its terms. Terms that the rulebook
    does not have are left out.
    """
    book, known = book_of(game) if has_rules(game) else None, figures.figures_of(game).about
    found: dict[str, Asked] = {}
    for name in dict.fromkeys(names):
        term = known.get(name)
        topic = book.topic(term.topic) if book and term else None
        if term and topic:
            before = found.get(topic.ident, Asked(name, topic.title, ()))
            drawn = (figures.sign(game, term.sign),) if term.sign else ()
            found[topic.ident] = Asked(before.term, before.title, before.signs + drawn)
    return list(found.values())


@register.inclusion_tag("runs/parts/rule_terms.html")
def rule_terms(game: str, names: Sequence[str], *, drawn: bool = True) -> dict[str, Any]:
    """List terms of a game's rules: a tap on one explains it beside the map. `drawn`: with their signs, each of which
    may be a picture to fetch.
    """
    return {"terms": _asked(game, names), "game": game, "drawn": drawn}


@register.simple_tag
def option_topic(game: str, option: str) -> Topic | None:
    """Return the topic of a game's rulebook that explains an option of its rallies, if there is one."""
    book = book_of(game) if has_rules(game) else None
    return book.topic(figures.figures_of(game).options.get(option, "")) if book else None


@register.simple_tag
def terms_of(game: str) -> tuple[str, ...]:
    """Return all terms of a game that its rulebook explains."""
    return tuple(figures.figures_of(game).about) if has_rules(game) else ()


@register.simple_tag(takes_context=True)
def game_of_page(context: Context) -> catalogue.Game | None:
    """Return the game that this page is about, if it has rules to read; None on pages about several games or none."""
    for name in ABOUT_A_GAME:
        game = getattr(context.get(name), "game", None)
        if isinstance(game, str) and has_rules(game):
            return catalogue.get(game)
    return None
