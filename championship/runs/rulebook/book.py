"""The rulebook of a game for players: reads its Markdown in the reader's language.

# Title, one paragraph with the aim
## Section {#id}, ### Topic {#id}, paragraphs, lists, tables, pictures; {E3 E4} names the numbers of the rules
<!-- more -->  separates what a first stage needs from the rest

The folder `first` beside it holds the same on one page, in few words: "in five minutes". The id of a section there is
that of the topic of the rulebook that says more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from markdown_it.tree import SyntaxTreeNode

from championship import catalogue
from championship.runs.rulebook import figures, reference
from championship.runs.rulebook.text import NUMBER, as_html, as_plain, blocks_of, inline

MORE = "<!-- more -->"
FIRST = "first"
_HEADING = re.compile(r"(?P<title>.*?)\s*\{#(?P<id>[a-z][a-z0-9-]*)\}")
_RULES = re.compile(r"\s*\{(?P<numbers>[A-Z]\d{1,2}(?:[ ,]+[A-Z]\d{1,2})*)\}\s*$")
NO_TEXT = SafeString("")
TEXT, LIST, STEPS, TABLE, FIGURE, SIGN = "text", "list", "steps", "table", "figure", "sign"


class RulebookError(ValueError):
    """A rulebook does not keep to its format."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list, numbered steps, a table, or a picture. `html` is its text, for a picture the caption;
    `picture` the name of the picture; `points` the items of a list; `rows` those of a table, the first of them the
    header. `rules` are the numbers that it names, `aliases` those whose links lead to it. `plain` is all its text, for
    the search.
    """

    kind: str
    plain: str
    html: SafeString = NO_TEXT
    picture: str = ""
    points: tuple[SafeString, ...] = ()
    rows: tuple[tuple[SafeString, ...], ...] = ()
    rules: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def announces(self) -> bool:
        """Whether the block says what the next one lists."""
        return self.kind == TEXT and self.plain.rstrip().endswith(":")


@dataclass(slots=True)
class Topic:
    """What one can link to: a heading with its blocks. A section is the topic that its subordinate topics follow."""

    ident: str
    title: str
    is_section: bool
    blocks: list[Block] = field(default_factory=list)

    @property
    def is_drawn(self) -> bool:
        """Whether the topic has a drawn example."""
        return any(block.kind == FIGURE for block in self.blocks)


@dataclass(slots=True)
class Book:
    """A rulebook. `aim`: the paragraphs below the title. `first`: the topics for a first stage, `more`: the rest."""

    title: str
    language: str
    aim: list[Block] = field(default_factory=list)
    first: list[Topic] = field(default_factory=list)
    more: list[Topic] = field(default_factory=list)

    @property
    def topics(self) -> list[Topic]:
        return [*self.first, *self.more]

    def topic(self, ident: str) -> Topic | None:
        return next((topic for topic in self.topics if topic.ident == ident), None)

    def topic_of_rule(self, number: str) -> Topic | None:
        """Return the first topic with a drawn example that names the number of a rule; else the first that names it."""
        naming = [topic for topic in self.topics if any(number in block.rules for block in topic.blocks)]
        return next((topic for topic in naming if topic.is_drawn), naming[0] if naming else None)

    def blocks(self) -> Iterator[Block]:
        yield from self.aim
        for topic in self.topics:
            yield from topic.blocks

    @property
    def numbers(self) -> frozenset[str]:
        """The numbers of the rules that the book names."""
        return frozenset(number for block in self.blocks() for number in block.rules)


def book_of(game: str) -> Book | None:
    """Return the rulebook of a game in the reader's language, in English where it is not written in that. None for a
    game without one.
    """
    folder = catalogue.get(game).rulebook
    return None if folder is None else _book(game, folder, get_language() or "en")


def rule_address(game: str, number: str) -> str:
    """Return the path of the page that explains a rule of a game: its paragraphs and an example, where the rulebook
    names the number, else the rules. "" where there is nothing to read about it.
    """
    if number not in reference.all_numbers(game):
        return ""
    book = book_of(game)
    if book is not None and book.topic_of_rule(number):
        return reverse("runs:rules_about", args=[game, number])
    return f"{reverse('runs:rules', args=[game])}#{number}"


def first_page_of(game: str) -> Book | None:
    """Return what a first stage needs, on one page, in the reader's language. None for a game without such a page."""
    folder = catalogue.get(game).rulebook
    return _book(game, folder / FIRST, get_language() or "en") if folder and has_first_page(game) else None


def has_first_page(game: str) -> bool:
    """Return whether a game has a page of rules for a first stage."""
    folder = catalogue.get(game).rulebook
    return folder is not None and (folder / FIRST / "en.md").exists()


@lru_cache(maxsize=100)
def _book(game: str, folder: Path, language: str) -> Book:
    written = language if (folder / f"{language}.md").exists() else "en"
    return read((folder / f"{written}.md").read_text("utf-8"), game=game, language=written)


def read(text: str, *, game: str, language: str) -> Book:
    """Return a rulebook. Its pictures and the links of its rule numbers are those of the game.

    Raises: RulebookError when the document does not keep to the format.
    """
    begin, _more, rest = text.partition(MORE)
    title, *blocks = blocks_of(begin)
    if title.type != "heading" or title.tag != "h1":
        raise RulebookError("a rulebook begins with its title")
    book, reader = Book(inline(title).content, language), _Reader(game)
    reader.read(blocks, book.first, book.aim)
    reader.read(blocks_of(rest), book.more, None)
    _add_aliases(book)
    return book


def _add_aliases(book: Book) -> None:
    """Let the link of each number lead to where its own page begins: to the first paragraph that names it, in the topic
    of the rule. A number that no topic names is an anchor below the title.
    """
    leads_to = {number: book.topic_of_rule(number) for number in book.numbers}
    given: set[str] = set()
    for topic in (None, *book.topics):
        blocks = book.aim if topic is None else topic.blocks
        for at, block in enumerate(blocks):
            here = dict.fromkeys(number for number in block.rules if leads_to[number] is topic)
            blocks[at] = replace(block, aliases=tuple(number for number in here if number not in given))
            given |= set(here)


class _Reader:
    """Reads blocks one after the other, and remembers which ids were before."""

    def __init__(self, game: str) -> None:
        self.game = game
        self.known = reference.numbers(game)
        self.idents: set[str] = set()

    def read(self, nodes: list[SyntaxTreeNode], topics: list[Topic], before: list[Block] | None) -> None:
        """Add topics with their blocks. The blocks before the first heading are added to `before`."""
        blocks = before
        for node in nodes:
            if node.type == "heading":
                topics.append(self._topic(node))
                blocks = topics[-1].blocks
            elif blocks is None:
                raise RulebookError(f"no heading before: {as_plain(inline(node))[:60]}")
            else:
                blocks.append(self._block(node))

    def _topic(self, node: SyntaxTreeNode) -> Topic:
        found = _HEADING.fullmatch(inline(node).content)
        if found is None or node.tag not in ("h2", "h3"):
            raise RulebookError(f"a heading is ## or ### with {{#id}}: {inline(node).content}")
        if found["id"] in self.idents:
            raise RulebookError(f"two headings have the id {found['id']}")
        self.idents.add(found["id"])
        return Topic(found["id"], found["title"], node.tag == "h2")

    def _block(self, node: SyntaxTreeNode) -> Block:
        if node.type == "table":
            rows = [[inline(cell) for cell in row.children] for part in node.children for row in part.children]
            plain = " ".join(as_plain(cell) for row in rows for cell in row)
            return Block(TABLE, plain, rows=tuple(tuple(self._html(cell) for cell in row) for row in rows))
        if node.type.endswith("_list"):
            points = [inline(paragraph) for point in node.children for paragraph in point.children]
            return self._named(STEPS if node.type == "ordered_list" else LIST, points)
        content = inline(node)
        if len(content.children) == 1 and content.children[0].type == "image":
            image = content.children[0]
            kind, _colon, name = str(image.attrs["src"]).partition(":")
            if kind not in (FIGURE, SIGN):
                raise RulebookError(f"a picture is figure:name or sign:name, not {image.attrs['src']}")
            caption = "".join(self._html(child) for child in image.children)
            return Block(kind, image.content, mark_safe(caption), name)  # noqa: S308 - each text in it is escaped
        return self._named(TEXT, [content])

    def _named(self, kind: str, contents: list[SyntaxTreeNode]) -> Block:
        """Return the block of a paragraph or a list, whose texts may end with rule numbers."""
        texts, rules = [], []
        for content in contents:
            last = content.children[-1]
            found = _RULES.search(last.content) if last.type == "text" else None
            numbers = NUMBER.findall(found["numbers"]) if found else []
            if found and last.token:
                last.token.content = last.content[: found.start()]
            rules += numbers
            texts.append(mark_safe(self._html(content) + self._links(numbers)))  # noqa: S308 - escaped
        plain = " ".join(map(as_plain, contents))
        if kind != TEXT:
            return Block(kind, plain, points=tuple(texts), rules=tuple(rules))
        return Block(kind, plain, texts[0], rules=tuple(rules))

    def _links(self, numbers: list[str]) -> str:
        """Return the small links to the numbered rules. A number that is not for players has no link."""
        if not numbers:
            return ""
        address = reverse("runs:rules_reference", args=[self.game])
        links = ", ".join(
            f'<a href="{address}#{number}">{number}</a>' if number in self.known else number for number in numbers
        )
        return f' <small class="rules"><span class="visually-hidden">{escape(_("Rules:"))} </span>{links}</small>'

    def _html(self, node: SyntaxTreeNode) -> SafeString:
        return as_html(node, picture=self._small)

    def _small(self, source: str, caption: str) -> str:
        """Return a sign within a text or a table."""
        kind, _colon, name = source.partition(":")
        if kind != SIGN:
            raise RulebookError(f"only a sign can stand within a text, not {source}")
        drawn = figures.sign(self.game, name)
        return f'<span class="ruleicon" role="img" aria-label="{escape(caption)}">{drawn}</span>'
