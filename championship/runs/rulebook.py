"""The rules as the engine plays them, for reading: the document of a game as a page, with a place for every number.

Only the writing that these documents use is understood: headings, paragraphs that begin with a rule's number, tables,
bold, slanted and typewriter words. Everything is escaped first; numbers of rules become links to them.
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
    """A paragraph; `number` is its rule's, empty where it has none."""

    number: str
    text: SafeString


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading with what stands under it: rules, and rows of a table, the first of them its head."""

    title: str
    rules: list[Rule]
    rows: list[list[SafeString]]


def has_rules(game: str) -> bool:
    """Whether there are rules to read for a game of that name."""
    return game in games.names() and games.get(game).rules is not None


@cache
def rulebook(game: str) -> tuple[str, list[Chapter]]:
    """The title and the chapters of a game's rules, the first of them without a heading. `game` has rules."""
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
    """A paragraph or a cell as HTML; `known` are the rules that can be led to."""
    own = _BEGINS.match(text)
    html = str(escape(text))
    for pattern, written in _INLINE:
        html = pattern.sub(written, html)

    def leads(number: re.Match[str]) -> str:
        name = number.group()
        itself = own is not None and name == own.group(1)
        return name if itself or name not in known else f'<a href="#{name}">{name}</a>'

    return mark_safe(_NUMBER.sub(leads, html))  # noqa: S308 - escaped above
