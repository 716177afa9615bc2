"""How documents and docstrings are set: the width of lines, where a docstring says what it raises, and words that a
reader from another country stumbles over.
"""

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WIDTH = 100
FOLDERS = ("docs", "tests", "static", "examples", "deploy", "engine", "championship", ".github")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))])
SOURCES = sorted(path for folder in ("championship", "engine") for path in (ROOT / folder).rglob("*.py"))


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
    told = re.compile(r"Errors:|\S.*[.;] Raises:|\bRaises (?!nothing)\w")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in SOURCES
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if told.search(line)
    ]
    assert not found


def prose_of(path):
    """Comments and docstrings of a module, each with the number of its first line."""
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline):
        stands_alone = before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and stands_alone):
            yield token.start[0], token.string
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type


def test_comments_and_docstrings_are_in_plain_words():
    """Not "whoever drives", "set anew" or "drawn by lot", but "the driver", "set again", "drawn at random"."""
    odd = re.compile(r"\b(whoever|(?<!`)anew(?![`:])|by lot)\b", re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {word.group()}"
        for path in SOURCES
        if "migrations" not in path.parts
        for number, text in prose_of(path)
        for word in odd.finditer(text)
    ]
    assert found == []
