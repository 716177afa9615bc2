"""The page of a game's rules, to which the log and refusals link. Every rule number of the game's document is an
anchor.

The documents consist of headings, paragraphs, of which many begin with a rule number, and tables. Each rule number in
their text becomes a link to its rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from championship import catalogue

_PARSER = MarkdownIt("zero").enable(["heading", "table", "emphasis", "backticks", "link"])
_BEGINS = re.compile(r"\*\*([A-Z]\d{1,2})\b")
_NUMBER = re.compile(r"\b[A-Z]\d{1,2}\b")
_TAGS = {"strong": "strong", "em": "em", "code_inline": "code"}


@dataclass(frozen=True, slots=True)
class Rule:
    """A paragraph; `number` is the number of its rule, empty where it has none."""

    number: str
    text: SafeString


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading with its rules, and the rows of its table, the first of them the header."""

    title: str
    rules: list[Rule]
    rows: list[list[SafeString]]


def has_rules(game: str) -> bool:
    """Return whether the game of that name has a document of rules."""
    return game in catalogue.names() and catalogue.get(game).rules is not None


@cache
def rulebook(game: str) -> tuple[str, list[Chapter]]:
    """Return the title and the chapters of a game's rules; the first chapter has no heading. The game
    must have rules.
    """
    path = catalogue.get(game).rules
    assert path is not None
    return _read(path.read_text("utf-8"))


def _read(text: str) -> tuple[str, list[Chapter]]:
    """Return the title and the chapters of a document, which begins with its title."""
    known = frozenset(_BEGINS.findall(text))
    title, *blocks = SyntaxTreeNode(_PARSER.parse(text)).children
    chapters = [Chapter("", [], [])]
    for block in blocks:
        if block.type == "heading":
            chapters.append(Chapter(_inline(block).content, [], []))
        elif block.type == "table":
            rows = [row for part in block.children for row in part.children]
            chapters[-1].rows.extend([[_html(_inline(cell), known) for cell in row.children] for row in rows])
        else:
            own = _BEGINS.match(_inline(block).content)
            number = own.group(1) if own else ""
            chapters[-1].rules.append(Rule(number, _html(_inline(block), known - {number})))
    return _inline(title).content, chapters


def _inline(block: SyntaxTreeNode) -> SyntaxTreeNode:
    """Return the content of a heading, a paragraph or a cell."""
    return block.children[0]


def _html(node: SyntaxTreeNode, linked: frozenset[str]) -> SafeString:
    """Return a part of the text as HTML. The rule numbers in `linked` become links, but not in code. Links of the
    document itself lead to files, so only their text is kept.
    """
    content: str
    if node.type == "code_inline":
        content = escape(node.content)
    elif node.type == "text":
        content = _with_links(node.content, linked)
    elif node.type == "softbreak":
        content = "\n"
    else:
        content = "".join(_html(child, linked) for child in node.children)
    tag = _TAGS.get(node.type)
    return mark_safe(f"<{tag}>{content}</{tag}>" if tag else content)  # noqa: S308 - each text in it is escaped


def _with_links(text: str, linked: frozenset[str]) -> str:
    def link_to(number: re.Match[str]) -> str:
        return f'<a href="#{number[0]}">{number[0]}</a>' if number[0] in linked else number[0]

    return _NUMBER.sub(link_to, escape(text))


@require_safe
def rules(request: HttpRequest, game: str) -> HttpResponse:
    """Show all rules of a game; each number is an anchor."""
    if not has_rules(game):
        raise Http404
    title, chapters = rulebook(game)
    context = {"title": title, "chapters": chapters, "crumbs": [(_("Rules"), None)]}
    return render(request, "runs/rules.html", context)
