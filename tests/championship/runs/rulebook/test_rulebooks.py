"""The rulebooks for players: the same structure in each language, every rule number named, every figure played."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from django.conf import settings
from django.utils import translation

from championship import catalogue
from championship.runs.rulebook import figures
from championship.runs.rulebook.book import FIGURE, SIGN, Book, book_of, first_page_of
from championship.runs.rulebook.reference import all_numbers
from engine import registry

GAMES = tuple(name for name in ("dirt", "formula_d", "dust") if catalogue.get(name).rulebook)
LANGUAGES = tuple(code for code, _name in settings.LANGUAGES)
EACH_GAME = pytest.mark.parametrize("game", GAMES)
EACH_FIGURE = pytest.mark.parametrize(
    ("game", "name"), [(game, name) for game in GAMES for name in figures.figures_of(game).figures]
)
MOST_WORDS = 26
"""Words of a sentence that a tired reader takes in on a phone."""


def book(game: str, language: str) -> Book:
    with translation.override(language):
        found = book_of(game)
    assert found is not None
    return found


def structure(of: Book) -> list[tuple[Any, ...]]:
    """Return the shape of a book, without its words."""
    found: list[tuple[Any, ...]] = [("aim", len(of.aim)), ("first", len(of.first)), ("more", len(of.more))]
    for topic in of.topics:
        found.append((topic.ident, topic.is_section))
        found += [
            (block.kind, block.picture, block.rules, len(block.points), [len(row) for row in block.rows])
            for block in topic.blocks
        ]
    return found


@EACH_GAME
def test_the_book_is_written_in_every_language_with_one_structure(game: str) -> None:
    written = [book(game, language) for language in LANGUAGES]
    assert [each.language for each in written] == list(LANGUAGES)
    for each in written[1:]:
        assert structure(each) == structure(written[0])


def first_page(game: str, language: str) -> Book:
    with translation.override(language):
        found = first_page_of(game)
    assert found is not None
    return found


@EACH_GAME
def test_the_page_for_a_first_stage_has_one_structure_and_leads_to_topics_of_the_book(game: str) -> None:
    written = [first_page(game, language) for language in LANGUAGES]
    assert [each.language for each in written] == list(LANGUAGES)
    for each in written:
        assert structure(each) == structure(written[0])
        assert (each.title, each.more) == (book(game, each.language).title, [])
    assert {topic.ident for topic in written[0].topics} <= {topic.ident for topic in book(game, "en").topics}
    assert [block for block in written[0].blocks() if block.kind in (FIGURE, SIGN)] == [], "signs stand in sentences"


@EACH_GAME
def test_every_rule_number_has_a_paragraph_or_a_reason(game: str) -> None:
    named, left_out = book(game, "en").numbers, figures.figures_of(game).left_out
    assert named <= set(all_numbers(game))
    assert set(all_numbers(game)) - named == set(left_out)
    assert all(len(reason.split()) > 2 for reason in left_out.values())


@EACH_GAME
def test_every_figure_is_in_the_book_and_every_term_leads_to_a_paragraph(game: str) -> None:
    shown, known = book(game, "en"), figures.figures_of(game)
    pictures = [block.picture for block in shown.blocks() if block.kind == FIGURE]
    assert sorted(pictures) == sorted(known.figures)
    for term in known.about.values():
        topic = shown.topic(term.topic)
        assert topic is not None, term
        assert any(block.kind == "text" for block in topic.blocks), term


@EACH_GAME
def test_every_option_of_a_rally_is_explained(game: str) -> None:
    shown, explained = book(game, "en"), figures.figures_of(game).options
    assert set(explained) == {option.name for option in registry.get(game).options if not option.scope}
    assert [topic for topic in explained.values() if shown.topic(topic) is None] == []


@EACH_GAME
@pytest.mark.parametrize("language", LANGUAGES)
def test_words_that_players_use_stand_for_topics_of_the_book(game: str, language: str) -> None:
    also, shown = figures.figures_of(game).also, book(game, language)
    assert set(also) <= set(LANGUAGES)
    assert [topic for topic in also.get(language, {}) if shown.topic(topic) is None] == []


@EACH_GAME
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sign_can_be_drawn(game: str, language: str) -> None:
    """Signs within a text are drawn when the book is read."""
    shown, known = book(game, language), figures.figures_of(game)
    names = {block.picture for block in shown.blocks() if block.kind == SIGN}
    names |= {term.sign for term in known.about.values() if term.sign}
    with translation.override(language):
        assert all(figures.sign(game, name) for name in names)


def at(printed: Any, path: str) -> Any:
    """Return the value at a path such as "drivers.1.cards.0" of what the engine prints."""
    for step in path.split("."):
        if isinstance(printed, Mapping):
            assert step in printed, f"{path}: no {step} in {sorted(map(str, printed))}"
            printed = printed[step]
        else:
            assert isinstance(printed, Sequence), path
            printed = printed[int(step)]
    return printed


@EACH_FIGURE
def test_the_engine_plays_each_figure_as_the_book_says(game: str, name: str) -> None:
    figure, scenario = figures.figures_of(game).figures[name], registry.module(game, "scenario")
    assert scenario is not None
    assert figure.says
    printed, legal = scenario.play(figure.scenario)
    assert legal == ("error" not in printed)
    assert {path: at(printed, path) for path in figure.says} == dict(figure.says)


@EACH_FIGURE
def test_each_figure_is_drawn_with_ids_of_its_own(game: str, name: str) -> None:
    pictures = figures.drawn(game, name)
    assert [picture.view for picture in pictures] == list(figures.figures_of(game).figures[name].views)
    idents = [ident for picture in pictures for ident in re.findall(r'\bid="([^"]+)"', picture.drawn)]
    assert len(idents) == len(set(idents))
    assert all(ident.startswith(name) for ident in idents)


@EACH_GAME
@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_are_short(game: str, language: str) -> None:
    books = (book(game, language), first_page(game, language))
    texts = [block.plain for each in books for block in each.blocks() if block.kind == "text"]
    sentences = [sentence for text in texts for sentence in re.split(r"(?<=[.!?:])\s+", text)]
    assert [sentence for sentence in sentences if len(sentence.split()) > MOST_WORDS] == []
