"""How documents and docstrings are set: the width of lines, and where a docstring says what it raises."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WIDTH = 100
DOCUMENTS = sorted(path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
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
