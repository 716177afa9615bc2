"""The rules of a game as a page: the document of the game, with an anchor for every rule number.

Only the Markdown that these documents use is parsed: headings, paragraphs that begin with a rule number, tables, bold,
italics and code. Everything is escaped first; rule numbers become links.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from championship import games

_BEGINS = re.compile(r"\*\*([A-Z]\d{1,2})\b")
_NUMBER = re.compile(r"\b[A-Z]\d{1,2}\b(?![^<]*</code>)")
_INLINE = (
    (re.compile(r"\[([^\]]+)\]\([^)]+\)"), r"\1"),
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*([^*]+)\*"), r"<em>\1</em>"),
)


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
    return game in games.names() and games.get(game).rules is not None


@cache
def rulebook(game: str) -> tuple[str, list[Chapter]]:
    """Return the title and the chapters of a game's rules; the first chapter has no heading. The game
    must have rules.
    """
    path = games.get(game).rules
    assert path is not None
    text = path.read_text("utf-8")
    known = set(_BEGINS.findall(text))
    blocks = [block.strip() for block in text.split("\n\n") if block.strip()]
    title, chapters = blocks[0].lstrip("# "), [Chapter("", [], [])]
    for block in blocks[1:]:
        if block.startswith("#"):
            chapters.append(Chapter(block.lstrip("# "), [], []))
        elif block.startswith("|"):
            lines = [line.strip("|").split("|") for line in block.splitlines() if not line.startswith("|---")]
            chapters[-1].rows.extend([[_written(cell.strip(), known) for cell in line] for line in lines])
        else:
            number = _BEGINS.match(block)
            chapters[-1].rules.append(Rule(number.group(1) if number else "", _written(block, known)))
    return title, chapters


def _written(text: str, known: set[str]) -> SafeString:
    """Return a paragraph or a cell as HTML; `known` are the rule numbers that can be linked."""
    own = _BEGINS.match(text)
    html = str(escape(text))
    for pattern, written in _INLINE:
        html = pattern.sub(written, html)

    def link_to(number: re.Match[str]) -> str:
        name = number.group()
        itself = own is not None and name == own.group(1)
        return name if itself or name not in known else f'<a href="#{name}">{name}</a>'

    return mark_safe(_NUMBER.sub(link_to, html))  # noqa: S308 - escaped above
