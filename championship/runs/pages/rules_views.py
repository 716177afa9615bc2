"""The pages of the rules: all games, the rulebook of a game for players, its numbered rules, a term in a few lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship import catalogue
from championship.platform.web import headers, htmx
from championship.runs.rulebook import figures
from championship.runs.rulebook.book import FIGURE, TEXT, Block, Book, Topic, book_of, first_page_of
from championship.runs.rulebook.reference import all_numbers, numbers, reference
from championship.runs.rulebook.searching import search
from championship.runs.watch.practice import taught_games
from championship.runs.watch.scenes import schooled_games


@dataclass(frozen=True, slots=True)
class BookOnShelf:
    """A game on the page of all rules."""

    game: catalogue.Game
    book: Book | None
    is_taught: bool


@dataclass(frozen=True, slots=True)
class Unnamed:
    """A rule number that no paragraph names. `shown`: whether the page of numbered rules has it."""

    number: str
    shown: bool


@require_safe
def shelf(request: HttpRequest) -> HttpResponse:
    """List the games that have rules to read."""
    headers.allow_indexing(request)
    taught = taught_games()
    shown = [
        BookOnShelf(game, book_of(game.name), game.name in taught)
        for game in map(catalogue.get, catalogue.names())
        if game.has_rules
    ]
    return render(request, "runs/rules_shelf.html", {"shelf": shown, "crumbs": [(_("Rules"), None)]})


def _game(name: str) -> catalogue.Game:
    """Return a game that has rules to read.

    Raises: Http404 when there is no such game, or it has none.
    """
    if name not in catalogue.names() or not catalogue.get(name).has_rules:
        raise Http404
    return catalogue.get(name)


@require_safe
def rules(request: HttpRequest, game: str) -> HttpResponse:
    """Show a game's rulebook for players, and what `q` finds in it. A game without a rulebook shows its numbered
    rules.
    """
    found, book = _game(game), book_of(game)
    headers.allow_indexing(request)
    if book is None:
        return _reference_page(request, found, [(_("Rules"), reverse("runs:rules_shelf")), (str(found), None)])
    named = book.numbers
    context = {
        "game": found,
        "book": book,
        "found": search(book, request.GET.get("q", ""), also=figures.figures_of(game).also.get(book.language, {})),
        "unnamed": [Unnamed(one, one in numbers(game)) for one in all_numbers(game) if one not in named],
        "crumbs": [(_("Rules"), reverse("runs:rules_shelf")), (str(found), None)],
    }
    return render(request, "runs/rulebook.html", context)


@require_safe
def first_page(request: HttpRequest, game: str) -> HttpResponse:
    """Show what a first stage needs: the rules of a game on one page, with links to the rest."""
    found, page = _game(game), first_page_of(game)
    if page is None:
        raise Http404
    headers.allow_indexing(request)
    crumbs = [
        (_("Rules"), reverse("runs:rules_shelf")),
        (str(found), reverse("runs:rules", args=[game])),
        (_("In five minutes"), None),
    ]
    context = {"game": found, "book": page, "is_schooled": game in schooled_games(), "crumbs": crumbs}
    return render(request, "runs/rules_first.html", context)


@require_safe
def numbered_rules(request: HttpRequest, game: str) -> HttpResponse:
    """Show the numbered rules of a game; each number is an anchor."""
    found = _game(game)
    if found.rules is None:
        raise Http404
    crumbs = [
        (_("Rules"), reverse("runs:rules_shelf")),
        (str(found), reverse("runs:rules", args=[game])),
        (_("Numbered rules"), None),
    ]
    return _reference_page(request, found, crumbs)


def _reference_page(request: HttpRequest, game: catalogue.Game, crumbs: list[Any]) -> HttpResponse:
    (title, chapters), book = reference(game.name), book_of(game.name)
    context = {
        "game": game,
        "title": title,
        "chapters": chapters,
        "crumbs": crumbs,
        "book": book,
        "named": book.numbers if book else (),
    }
    return render(request, "runs/rules.html", context)


@require_safe
def about(request: HttpRequest, game: str, term: str) -> HttpResponse:
    """Explain one thing on the table, or the rule of a number, in a few lines with its picture: a part of a page, or a
    page of its own.
    """
    found, book = _game(game), book_of(game)
    told = figures.figures_of(game).about.get(term)
    topic = None if book is None else book.topic(told.topic) if told else book.topic_of_rule(term)
    if topic is None:
        raise Http404
    context = {
        "game": found,
        "topic": topic,
        "blocks": _in_short(topic, "" if told else term),
        "signs": [figures.sign(game, told.sign)] if told and told.sign else [],
        "crumbs": [
            (_("Rules"), reverse("runs:rules_shelf")),
            (str(found), reverse("runs:rules", args=[game])),
            (topic.title, None),
        ],
        "frame": "runs/bare_place.html" if htmx.asks_for_part(request) else "base.html",
    }
    return render(request, "runs/about.html", context)


def _in_short(topic: Topic, number: str) -> list[Block]:
    """Return the first paragraph of a topic. With the number of a rule: the paragraphs that name it, and the drawn
    example that follows. A paragraph that ends with a colon comes with what it announces.
    """
    if not number:
        return _with_announced(topic, [block for block in topic.blocks if block.kind == TEXT][:1])
    named = [block for block in topic.blocks if number in block.rules]
    after = topic.blocks[topic.blocks.index(named[0]) :]
    return _with_announced(topic, [*named, *[block for block in after if block.kind == FIGURE][:1]])


def _with_announced(topic: Topic, blocks: list[Block]) -> list[Block]:
    found: list[Block] = []
    for block in blocks:
        at = topic.blocks.index(block)
        found += [each for each in topic.blocks[at : at + (2 if block.announces else 1)] if each not in found]
    return found
