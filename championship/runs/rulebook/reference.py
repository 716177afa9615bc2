"""The numbered rules of a game, as its engine plays them. Every rule number is an anchor.

The documents consist of headings, paragraphs, of which many begin with a rule number, and tables. Each rule number in
their text becomes a link to its rule. What stands behind the line `<!-- not for players -->` is left out: formats of
files, commands, statistics.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from django.utils.html import escape
from django.utils.safestring import SafeString
from markdown_it.tree import SyntaxTreeNode

from championship import catalogue
from championship.runs.rulebook.text import NUMBER, as_html, blocks_of, inline

NOT_FOR_PLAYERS = "<!-- not for players -->"
_BEGINS = re.compile(r"\*\*([A-Z]\d{1,2})\b")


@dataclass(frozen=True, slots=True)
class Rule:
    """A paragraph, a list or a table; `number` is the number of its rule, empty where it has none. A table has `rows`,
    the first of them the header. A list has `points`, and may be `counted`. Both have no `text`.
    """

    number: str
    text: SafeString
    rows: Sequence[Sequence[SafeString]] = ()
    points: Sequence[SafeString] = ()
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading with its rules and tables in the order of the document."""

    title: str
    rules: list[Rule]


@cache
def reference(game: str) -> tuple[str, list[Chapter]]:
    """Return the title and the chapters of a game's numbered rules; the first chapter has no heading. The game must
    have such a document.
    """
    path = catalogue.get(game).rules
    assert path is not None
    return read(path.read_text("utf-8"))


@cache
def all_numbers(game: str) -> tuple[str, ...]:
    """Return the number of every rule of a game in order, also of those that are not for players."""
    path = catalogue.get(game).rules
    return tuple(dict.fromkeys(_BEGINS.findall(path.read_text("utf-8")))) if path else ()


@cache
def numbers(game: str) -> frozenset[str]:
    """Return the rule numbers that the page of a game's numbered rules shows."""
    if catalogue.get(game).rules is None:
        return frozenset()
    return frozenset(rule.number for chapter in reference(game)[1] for rule in chapter.rules if rule.number)


def read(text: str) -> tuple[str, list[Chapter]]:
    """Return the title and the chapters of a document, which begins with its title."""
    text = text.partition(NOT_FOR_PLAYERS)[0]
    known = frozenset(_BEGINS.findall(text))
    title, *blocks = blocks_of(text)
    chapters = [Chapter("", [])]
    for block in blocks:
        if block.type == "heading":
            chapters.append(Chapter(inline(block).content, []))
        else:
            chapters[-1].rules.append(_rule(block, known))
    return inline(title).content, chapters


def _rule(block: SyntaxTreeNode, known: frozenset[str]) -> Rule:
    if block.type == "table":
        rows = [row for part in block.children for row in part.children]
        return Rule("", SafeString(), [[_html(inline(cell), known) for cell in row.children] for row in rows])
    if block.type.endswith("_list"):
        points = [_html(inline(paragraph), known) for point in block.children for paragraph in point.children]
        return Rule("", SafeString(), points=points, counted=block.type == "ordered_list")
    own = _BEGINS.match(inline(block).content)
    number = own.group(1) if own else ""
    return Rule(number, _html(inline(block), known - {number}))


def _html(node: SyntaxTreeNode, linked: frozenset[str]) -> SafeString:
    def with_links(text: str) -> str:
        return NUMBER.sub(lambda n: f'<a href="#{n[0]}">{n[0]}</a>' if n[0] in linked else n[0], escape(text))

    return as_html(node, text=with_links)
