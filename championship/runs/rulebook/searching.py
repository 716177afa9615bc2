"""Searches a rulebook: which topics have a paragraph with all the words that a reader typed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from championship.runs.rulebook.book import LIST, STEPS, TEXT, Block, Book, Topic

NOTHING: Mapping[str, str] = {}
LONGEST_QUERY = 80
MOST_HITS = 30
EXCERPT = 160
"""Characters of a paragraph that a hit shows."""
SHORTEST_STEM, LONGEST_ENDING = 5, 3
"""A word is found by its beginning where it ends otherwise: how many letters that has at least, how many it lacks."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A topic in which the words were found, and the beginning of the first such paragraph with the words marked."""

    topic: Topic
    excerpt: SafeString


@dataclass(frozen=True, slots=True)
class Found:
    """What was searched for and found. `blocks` are the paragraphs to highlight."""

    query: str
    hits: Sequence[Hit]
    blocks: Sequence[Block]


def search(book: Book, query: str, *, also: Mapping[str, str] = NOTHING) -> Found | None:
    """Return what a book says about words. Each word must begin a word of the paragraph or of its heading; case and
    accents do not matter. Where nothing is found it may stand within a word, as in German compounds; then it may end
    otherwise, as "accelerate" in "accelerating". `also`: more words by topic, which are found as if its heading had
    them. None for an empty query.
    """
    query = " ".join(query.replace("\x00", "")[:LONGEST_QUERY].split())
    words = [word for word in re.split(r"\W+", plain(query)) if word]
    if not words:
        return None
    stems = [word[: max(SHORTEST_STEM, len(word) - LONGEST_ENDING)] for word in words]
    for patterns in (
        [rf"\b{re.escape(word)}" for word in words],
        [re.escape(word) if len(word) >= SHORTEST_STEM else rf"\b{word}" for word in words],
        [rf"\b{re.escape(stem)}" for stem in stems],
    ):
        found = _found(book, query, patterns, also)
        if found.hits:
            break
    return found


def _found(book: Book, query: str, patterns: Sequence[str], also: Mapping[str, str]) -> Found:
    hits, blocks = [], []
    for topic in book.topics:
        heading = f"{topic.title} {also.get(topic.ident, '')}"
        found = [block for block in topic.blocks if _has(f"{heading} {block.plain}", patterns)]
        if found:
            told = next((block for block in found if block.kind in (TEXT, LIST, STEPS)), found[0])
            hits.append(Hit(topic, _excerpt(_with_what_follows(topic, told), patterns)))
            blocks += found
    return Found(query, hits[:MOST_HITS], blocks)


def _with_what_follows(topic: Topic, block: Block) -> str:
    """Return the text of a block of a topic, and with it the list that it announces."""
    after = topic.blocks[topic.blocks.index(block) + 1 :][:1] if block.announces else []
    return " ".join(each.plain for each in (block, *after))


def plain(text: str) -> str:
    """Return a text of the same length without accents and capitals."""
    return "".join(_plain_letter(letter) for letter in text)


def _plain_letter(letter: str) -> str:
    base = {"ł": "l", "Ł": "l", "ß": "s"}.get(letter) or unicodedata.normalize("NFD", letter)[0]
    lower = base.lower()
    return lower if len(lower) == 1 else base


def _has(text: str, patterns: Sequence[str]) -> bool:
    text = plain(text)
    return all(re.search(pattern, text) for pattern in patterns)


def _excerpt(text: str, patterns: Sequence[str]) -> SafeString:
    """Return the part of a text around the first of the words, as HTML with the words marked."""
    pattern = re.compile("|".join(rf"{each}\w*" for each in patterns))
    first = pattern.search(plain(text))
    begin = max(0, first.start() - EXCERPT // 2) if first else 0
    begin = text.rfind(" ", 0, begin) + 1
    end = min(len(text), begin + EXCERPT)
    end = text.rfind(" ", begin, end) if end < len(text) and " " in text[begin:end] else end
    parts, at = ["… " if begin else ""], begin
    for match in pattern.finditer(plain(text), begin, end):
        parts += [escape(text[at : match.start()]), f"<mark>{escape(text[match.start() : match.end()])}</mark>"]
        at = match.end()
    parts += [escape(text[at:end]), " …" if end < len(text) else ""]
    return mark_safe("".join(parts))  # noqa: S308 - each text in it is escaped
