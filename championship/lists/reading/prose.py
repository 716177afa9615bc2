"""Results in sentences, as people write them in a forum or a chat: "1. Ana (Fox) 12:34, 2. Bo 12:40. DNF: Cem"."""

from __future__ import annotations

import re
from itertools import pairwise

from championship.lists.reading.words import STATUS_START

LONGEST_LINE = 4000
LEAST_ITEMS = 2
"""How many places a line must name to be read as sentences."""
MOST_ITEMS = 400
ITEM = re.compile(r"(?:^|(?<=[\s(]))(=?\d{1,3})(?:[.)]|(?:st|nd|rd|th|er|e|º|°)\b\.?:?)[ ]{0,2}(?=[^\W\d]|[\"“„*@])")
"""Where a place begins: "1. Ana", "2) Bo", "3rd Cem"."""
JOINED = re.compile(
    r"(?:[\s,;:.–—-]|\b(?:and|then|ahead of|before|followed by|und|dann|vor|gefolgt von|i|oraz|potem|przed|et|puis|"
    r"devant|y|luego|e|poi|davanti a)\b)+$",
    re.IGNORECASE,
)
"""What stands between one place and the next."""
OUT = re.compile(
    rf"(?:^|[.;,!][ ]+|[ ][–—-][ ])(?:(?:did not finish|out|retired|retirements|not finished|ausgefallen|ausfälle|"
    rf"nicht im ziel|nie ukończyli|nie dojechali|wycofali się|abandons|retirados|ritirati)[ ]?:|({STATUS_START}))[ ]*",
    re.IGNORECASE,
)
"""Where those begin who did not finish."""
SENTENCE = re.compile(r"(?:\d|\bpts|\bpoints|\bpunkte|\bpkt|\bp)[)\]]?([.!])[ ]+[^\W\d]", re.IGNORECASE)
"""A sentence that follows the last place."""
RUNNING_WORDS = 14
"""A line with more words than these, and without places, is running text."""


def lines_of_sentences(text: str) -> list[tuple[bool, str]]:
    """Return the places of sentences, a line each, and the titles in front of them (True); [] when the text is no such
    sentences.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not lines or len(lines) > MOST_ITEMS or any("\t" in line or "|" in line for line in lines):
        return []
    cut = [_cut(line) if len(line) <= LONGEST_LINE else [] for line in lines]
    told = sum(len(parts) for parts in cut)
    if not told or any(line.count(",") > 1 or ";" in line for line, parts in zip(lines, cut, strict=True) if not parts):
        return []
    found = [part for line, parts in zip(lines, cut, strict=True) for part in (parts or [(True, line)])]
    return found if len(found) <= MOST_ITEMS and told >= len(lines) - told else []


def is_running_text(text: str) -> bool:
    """Whether most lines are sentences that no list would have, and that `lines_of_sentences` does not understand."""
    lines = [line for line in text[:100_000].split("\n") if line.strip()]
    long = sum(len(line.split()) > RUNNING_WORDS and not re.search(r"[\t|;]|[ ]{3}", line) for line in lines)
    return long > len(lines) / 2 and not lines_of_sentences(text)


def _cut(line: str) -> list[tuple[bool, str]]:
    """Return what is in front of the first place (True), each place, and those who did not finish; [] for another
    line.
    """
    begins = list(ITEM.finditer(line))
    if len(begins) < LEAST_ITEMS or not _counts(begins):
        return []
    ends = [*(each.start() for each in begins[1:]), len(line)]
    bodies = [line[each.end() : end] for each, end in zip(begins, ends, strict=True)]
    bodies[-1], out = _without_rest(bodies[-1])
    bodies = [JOINED.sub("", body) for body in bodies]
    if len({body.casefold() for body in bodies}) < len(bodies) or not all(bodies):
        return []  # "1. Lauf, 2. Lauf" are headings
    title = JOINED.sub("", line[: begins[0].start()])
    items = [f"{each.group(1)}. {body}" for each, body in zip(begins, bodies, strict=True)]
    return [*([(True, title)] if title else []), *((False, item) for item in (*items, *out))]


def _counts(begins: list[re.Match[str]]) -> bool:
    """Whether the places begin with 1 and go up."""
    places = [int(each.group(1).lstrip("=")) for each in begins]
    return places[0] == 1 and all(one <= two <= one + 3 for one, two in pairwise(places))


def _without_rest(body: str) -> tuple[str, list[str]]:
    """Return the last place without what follows it, and a line for each of those who did not finish."""
    found = OUT.search(body)
    out: list[str] = []
    if found:
        status = (found.group(1) or "DNF").strip(" .:")
        rest = re.split(r"[.!][ ]+(?=[^\W\d])", body[found.end() :])[0]
        names = re.split(r"(?:[,;]|\b(?:and|und|i|oraz|et|y|e)\b)(?![^(]{0,200}\))", rest)
        out = [f"{status} {name.strip(' .!')}" for name in names if name.strip(" .!")]
        body = body[: found.start()]
    ends = SENTENCE.search(body)
    return (body[: ends.start(1)] if ends else body), out
