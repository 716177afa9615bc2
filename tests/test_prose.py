"""Checks the form of documents and docstrings: width, place of "Raises:", and words that are not plain English."""

import io
import re
import tokenize
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

ROOT = Path(__file__).parent.parent
WIDTH = 100
FOLDERS = ("docs", "tests", "static", "examples", "deploy", "engine", "championship", ".github")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))])
SOURCES = sorted(
    path
    for folder in ("championship", "engine", "tests", "examples")
    for path in (ROOT / folder).rglob("*.py")
    if "migrations" not in path.parts and path != Path(__file__)
)
ODD_WORDS = re.compile(
    r"\b(whoever|whence|hereby|thereof|lest|reckon\w*|in earnest|by lot|(?<!`)anew(?![`:]))\b", re.IGNORECASE
)
"""Words that a reader from another country stumbles over. `anew` is a field of a form, and an argument."""


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_a_document_is_wrapped(path):
    """Tables, code, and a word that is longer than a line, such as an address, may be wider."""
    code, wide = False, []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        code ^= line.lstrip().startswith("```")
        prose = not code and not line.startswith(("|", "<", "#", ">"))
        if prose and len(line) > WIDTH and " " in line.strip()[:WIDTH].lstrip("-*+0123456789. "):
            wide.append(number)
    assert not wide, f"{path.name}: lines {wide} have more than {WIDTH} characters"


def test_a_docstring_says_what_it_raises_on_a_line_of_its_own():
    misplaced_raises = re.compile(r"Errors:|\S.*[.;] Raises:|\bRaises (?!nothing)\w")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in SOURCES
        if "Errors:" in (text := path.read_text("utf-8")) or "Raises" in text
        for number, line in enumerate(text.splitlines(), start=1)
        if misplaced_raises.search(line)
    ]
    assert not found


def prose_of(path):
    """Yield each comment and docstring of a module with the number of its first line."""
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline):
        stands_alone = before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and stands_alone):
            yield token.start[0], token.string
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type


def msgids():
    """Yield each text of the pages, with the number of its line in the German catalogue."""
    with (ROOT / "locale/de/LC_MESSAGES/django.po").open("rb") as catalogue:
        for message in read_po(catalogue):
            for text in (message.id,) if isinstance(message.id, str) else message.id:
                yield message.lineno, text


def test_comments_and_docstrings_are_in_plain_words():
    """Not "whoever drives", "set anew" or "drawn by lot", but "the driver", "set again", "drawn at random"."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {word.group()}"
        for path in SOURCES
        if ODD_WORDS.search(path.read_text("utf-8"))  # only few files must be taken apart
        for number, text in prose_of(path)
        for word in ODD_WORDS.finditer(text)
    ]
    assert found == []


def test_documents_are_in_plain_words():
    found = [
        f"{path.relative_to(ROOT)}:{number}: {word.group()}"
        for path in DOCUMENTS
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        for word in ODD_WORDS.finditer(line)
    ]
    assert found == []


def test_texts_of_the_pages_are_in_plain_words():
    """Two labels of choices stay: migrations hold them, and a new label would be a new migration."""
    labels = {"for each stage anew", "drawn by lot"}
    found = [
        f"{number}: {word.group()}"
        for number, text in msgids()
        if text not in labels
        for word in ODD_WORDS.finditer(text)
    ]
    assert found == []


def test_an_odd_word_is_found():
    assert ODD_WORDS.search("Whoever drives is drawn by lot.")
    assert not ODD_WORDS.search("The form field `anew` is on the page; a lot of cars drive.")
