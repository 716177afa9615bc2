"""Searches a rulebook: which topics have a paragraph with all the words that a reader typed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from championship.runs.rulebook.book import LIST, STEPS, TEXT, Block, Book, Topic

LONGEST_QUERY = 80
MOST_HITS = 30
EXCERPT = 160
"""Characters of a paragraph that a hit shows."""


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


def search(book: Book, query: str) -> Found | None:
    """Return what a book says about words. Each word must begin a word of the paragraph or of its heading; case and
    accents do not matter. None for an empty query.
    """
    query = " ".join(query.replace("\x00", "")[:LONGEST_QUERY].split())
    words = [word for word in re.split(r"\W+", plain(query)) if word]
    if not words:
        return None
    hits, blocks = [], []
    for topic in book.topics:
        found = [block for block in topic.blocks if _has(f"{topic.title} {block.plain}", words)]
        if found:
            told = next((block for block in found if block.kind in (TEXT, LIST, STEPS)), found[0])
            hits.append(Hit(topic, _excerpt(told.plain, words)))
            blocks += found
    return Found(query, hits[:MOST_HITS], blocks)


def plain(text: str) -> str:
    """Return a text of the same length without accents and capitals."""
    return "".join(_plain_letter(letter) for letter in text)


def _plain_letter(letter: str) -> str:
    base = {"ł": "l", "Ł": "l", "ß": "s"}.get(letter) or unicodedata.normalize("NFD", letter)[0]
    lower = base.lower()
    return lower if len(lower) == 1 else base


def _has(text: str, words: Sequence[str]) -> bool:
    text = plain(text)
    return all(re.search(rf"\b{re.escape(word)}", text) for word in words)


def _excerpt(text: str, words: Sequence[str]) -> SafeString:
    """Return the part of a text around the first of the words, as HTML with the words marked."""
    pattern = re.compile("|".join(rf"\b{re.escape(word)}\w*" for word in words))
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
