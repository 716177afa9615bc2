"""Searches a rulebook: which topics have a paragraph with all the words that a reader typed, or at least with most.

A reader types a question as well as words. Small words of a language, as "may I", are left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

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
SHORTEST_ALONE = 3
"""Letters of a word that a paragraph may have without the others."""
SMALL = {
    "en": r"an?|are|at|be|by|can|do(?:es|ne)?|did|for|from|get|ha(?:ppens?|s|ve)|how|i[fnst]?|many|may|much|must|my|of|"
    r"on|or|shall|should|the(?:n|re)?|to|what|when|where|wh(?:ich|o)|why|will|with|you(?:r)?",
    "de": r"am|an|auf|bei|beim|bekomme|bin|d(?:as|em|en|er|es|ie)|darf|ein(?:e[mnrs]?)?|fur|gibt|ha(?:be|t)|ich|ihr|"
    r"im|in|ins|ist|kann|man|mein(?:e[mnrs]?)?|mit|muss|nach|passiert|sind|und|viele?|vo[mnr]|wann|warum|was|welche[nrs]?|"
    r"wenn|wer|werden|wie|wieso|wird|wo|zu[mr]?",
    "pl": r"a|albo|by|co|czy(?:ja|j|je)?|do|dzieje|dla|gdy|gdzie|i|ile|jak(?:a|i|ie)?|jest|kiedy|kto(?:ra|re|ry)?|lub|"
    r"ma|mam|mog[ea]|mozna|musze|musi|na|nad|o|od|po|pod|przy|sa|si[ea]|trzeba|u|w|we|z|za|ze",
}
"""By language: words that say nothing about what is asked, as `plain` gives them."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A topic in which the words were found, and the beginning of the first such paragraph with the words marked."""

    topic: Topic
    excerpt: SafeString


@dataclass(frozen=True, slots=True)
class Found:
    """What was searched for and found. `blocks` are the paragraphs to highlight. `partly`: no paragraph has all the
    words; the hits are the topics with most of them.
    """

    query: str
    hits: Sequence[Hit]
    blocks: Sequence[Block]
    partly: bool = False


def search(book: Book, query: str, *, also: Mapping[str, str] = NOTHING) -> Found | None:
    """Return what a book says about words. Each word must begin a word of the paragraph or of its heading; case and
    accents do not matter. Where no heading has one, it may stand within a word, as in German compounds; then it may end
    otherwise, as "accelerate" in "accelerating". Topics whose heading has the words come first. Where nothing is found,
    the topics with most of the words are. `also`: more words by topic, which are found as if its heading had them. None
    for an empty query.
    """
    query = " ".join(query.replace("\x00", "")[:LONGEST_QUERY].split())
    words = _telling([word for word in re.split(r"\W+", plain(query)) if word], book.language)
    if not words:
        return None
    within = [re.escape(word) if len(word) >= SHORTEST_STEM else rf"\b{word}" for word in words]
    stems = [rf"\b{re.escape(word[: max(SHORTEST_STEM, len(word) - LONGEST_ENDING)])}" for word in words]
    hits: dict[str, tuple[int, Hit]] = {}
    blocks: list[Block] = []
    for patterns in ([rf"\b{re.escape(word)}" for word in words], within, stems):
        for topic in book.topics:
            _add(topic, patterns, also.get(topic.ident, ""), hits, blocks)
        if any(in_heading for in_heading, _one in hits.values()):
            break
    found = sorted(hits.values(), key=lambda each: -each[0])
    if not found:
        either = [f"(?:{one}|{other})" for one, other in zip(within, stems, strict=True)]
        return _nearest(book, query, [each for each, word in zip(either, words, strict=True) if _alone(word)], also)
    return Found(query, [hit for _in_heading, hit in found[:MOST_HITS]], blocks)


def _telling(words: list[str], language: str) -> list[str]:
    """Return the words that say what is asked; all, where there are only small ones."""
    small = re.compile(SMALL.get(language, ""))
    return [word for word in words if not small.fullmatch(word)] or words


def _alone(word: str) -> bool:
    return len(word) >= SHORTEST_ALONE


def _add(
    topic: Topic, patterns: Sequence[str], more: str, hits: dict[str, tuple[int, Hit]], blocks: list[Block]
) -> None:
    """Add a topic that has a paragraph with all words, with how many of them its heading has, and the paragraphs."""
    heading = f"{topic.title} {more}"
    found = [block for block in topic.blocks if _number(f"{heading} {block.plain}", patterns) == len(patterns)]
    if found and topic.ident not in hits:
        hits[topic.ident] = _number(heading, patterns), _hit(topic, found, patterns)
        blocks += found


def _nearest(book: Book, query: str, patterns: Sequence[str], also: Mapping[str, str]) -> Found:
    """Return the topics that have the most of the words, those first that have them in their heading."""
    found = []
    for topic in book.topics:
        heading = f"{topic.title} {also.get(topic.ident, '')}"
        number = _number(" ".join([heading, *(block.plain for block in topic.blocks)]), patterns)
        blocks = [block for block in topic.blocks if _number(f"{heading} {block.plain}", patterns)]
        if number and blocks:
            found.append((number, _number(heading, patterns), topic, blocks))
    most = max((number for number, *_rest in found), default=0)
    nearest = sorted((each for each in found if each[0] == most), key=lambda each: -each[1])[:MOST_HITS]
    return Found(
        query,
        [_hit(topic, blocks, patterns) for _most, _in_heading, topic, blocks in nearest],
        [block for _most, _in_heading, _topic, blocks in nearest for block in blocks],
        partly=True,
    )


def _hit(topic: Topic, found: Sequence[Block], patterns: Sequence[str]) -> Hit:
    told = next((block for block in found if block.kind in (TEXT, LIST, STEPS)), found[0])
    return Hit(topic, _excerpt(_with_what_follows(topic, told), patterns))


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


def _number(text: str, patterns: Sequence[str]) -> int:
    """Return how many of the patterns a text has."""
    text = _kept_plain(text)
    return sum(re.search(pattern, text) is not None for pattern in patterns)


_kept_plain = lru_cache(maxsize=5000)(plain)
"""The paragraphs of all books, plain: a search reads them several times."""


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
