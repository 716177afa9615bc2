"""The pages of rules contain every rule that code and tests cite. Every rule in them is cited by a test."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.dust.cards import card_set_reading
from engine.formula_d.facts import facts

ROOT = Path(__file__).parents[1]
NUMBER = re.compile(r"\b[A-Z][1-9]\d?\b(?!\.\d)")
BEGINS = re.compile(r"^\*\*([A-Z]\d{1,2})\b", re.MULTILINE)
MARKS = re.compile(r"\*\((?:own|assumed|derived)\b[^)]*\)\*")


@dataclass(frozen=True)
class Game:
    """A game with a page of rules. `things`: texts in its tests that look like rule numbers (spaces, boxes)."""

    name: str
    tests: tuple[Path, ...]
    things: frozenset[str] = frozenset()


def modules_in(game: str) -> tuple[Path, ...]:
    return tuple(sorted((ROOT / "tests/games" / game / "engine").glob("*.py")))


GAMES = (
    Game("dirt", modules_in("dirt")),
    Game("dust", modules_in("dust"), frozenset(card_set_reading.own().spaces)),
    Game("formula_d", modules_in("formula_d"), frozenset({*facts().boxes, "S9"})),
)
EACH = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
NEW = pytest.mark.parametrize("game", GAMES[1:], ids=lambda game: game.name)


def page(game: Game) -> str:
    return (ROOT / "engine" / game.name / "rules.md").read_text("utf-8")


def prose(path: Path) -> Iterator[str]:
    """Yield the docstrings and comments of a module."""
    source = path.read_text("utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def texts(path: Path) -> Iterator[str]:
    """Yield the string literals of a module. They include messages and the rule numbers of refusals."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def numbers(words: Iterable[str]) -> set[str]:
    return {number for text in words for number in NUMBER.findall(text)}


def in_names(path: Path) -> set[str]:
    """Return the rule numbers in names of tests: test_u3_u4_the_start cites U3 and U4."""
    names = re.findall(r"^ *def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    return {number.upper() for name in names for number in re.findall(r"(?<=_)[a-z][1-9]\d?(?=_|$)", name)}


def cited_in_tests(game: Game) -> set[str]:
    """Return the rule numbers that the tests of a game cite: in names, docstrings, comments and expected refusals."""
    found: set[str] = set()
    for path in game.tests:
        rules = {text for text in texts(path) if NUMBER.fullmatch(text)} - game.things
        found |= in_names(path) | numbers(prose(path)) | rules
    return found


@EACH
def test_every_rule_that_the_engine_cites_is_in_its_page(game: Game) -> None:
    cited = set()
    for path in (ROOT / "engine" / game.name).rglob("*.py"):
        cited |= numbers([*prose(path), *texts(path)])
    assert len(cited) > 30
    assert cited <= set(BEGINS.findall(page(game)))


@EACH
def test_every_rule_that_a_test_cites_is_in_its_page(game: Game) -> None:
    assert cited_in_tests(game) <= set(BEGINS.findall(page(game)))


@EACH
def test_every_rule_of_a_page_is_cited_by_a_test(game: Game) -> None:
    assert set(BEGINS.findall(page(game))) <= cited_in_tests(game)


@EACH
def test_each_rule_begins_once_and_in_order_of_its_chapter(game: Game) -> None:
    """Each rule must begin a paragraph, so that the page can give it an anchor."""
    chapters = re.findall(r"^## ([A-Z])\. .*?$(.*?)(?=^## |\Z)", page(game), re.MULTILINE | re.DOTALL)
    found = [number for _, text in chapters for number in BEGINS.findall(text)]
    assert found == [
        f"{letter}{place}" for letter, text in chapters for place in range(1, len(BEGINS.findall(text)) + 1)
    ]
    assert found == BEGINS.findall(page(game))


@NEW
def test_every_rule_that_a_page_cites_is_in_that_page(game: Game) -> None:
    """Names in backticks are ignored: they are spaces, boxes and cards."""
    plain = re.sub(r"`[^`]*`", "", page(game))
    assert numbers([plain]) <= set(BEGINS.findall(page(game)))


@NEW
def test_the_markdown_is_what_a_page_can_render(game: Game) -> None:
    """Headings, paragraphs of 100 columns and tables; no lists, no blocks of code, every mark closed."""
    for block in page(game).strip().split("\n\n"):
        if block.startswith("|"):
            columns = {line.count("|") for line in block.splitlines()}
            assert len(columns) == 1, block
            continue
        assert max(map(len, block.splitlines())) <= 100 or block.count("`") == 2, block
        assert not re.search(r"^(?:[-+>]|```|\d+\. )", block, re.MULTILINE), block
        assert block.count("`") % 2 == 0 and block.count("**") % 2 == 0, block
        assert not re.search(r"\((?:own|assumed|derived)\b", MARKS.sub("", block)), block
