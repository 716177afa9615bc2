"""The registry of games: the parts of a game, and the error for one that is not installed."""

import importlib
import json
from types import SimpleNamespace
from typing import Any, Protocol

import pytest

from championship import catalogue
from championship.catalogue import DuplicateGame, Game, Later, Part, RulesNameMismatch, UnknownGame
from engine import registry


class Bell(Protocol):
    def ring(self) -> str: ...


BELL: Part[Bell] = Part("a bell")
LAMP: Part[Bell] = Part("a bell")
RULES: Any = SimpleNamespace(name="toy")


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Game:
    """A toy game, registered during the test."""
    monkeypatch.setattr(catalogue, "_GAMES", dict(catalogue._GAMES))
    monkeypatch.setattr(registry, "_added", dict(registry._added))
    toy = Game("toy", engine=RULES, parts=[BELL.by(SimpleNamespace(ring=lambda: "dong"))])
    catalogue.register(toy)
    return toy


def test_a_game_is_found_by_its_name_behind_those_before_it(toy: Game) -> None:
    assert catalogue.get("toy") is toy
    assert catalogue.names()[-1] == "toy"


def test_a_game_without_a_title_is_called_by_its_name(toy: Game) -> None:
    assert str(toy) == "toy"
    assert str(catalogue.get(catalogue.names()[0])) != catalogue.names()[0]


def test_a_part_is_what_the_game_fills_it_with(toy: Game) -> None:
    bell = BELL.of("toy")

    assert bell is not None
    assert bell.ring() == "dong"


def test_a_part_that_a_game_leaves_out_is_none_whatever_it_is_called(toy: Game) -> None:
    assert LAMP.of("toy") is None
    assert catalogue.offers(LAMP) == ()
    assert catalogue.offers(BELL) == ("toy",)


def test_two_games_of_one_name_are_refused_and_the_first_stays(toy: Game) -> None:
    with pytest.raises(DuplicateGame, match="toy"):
        catalogue.register(Game("toy", engine="engine.dirt"))

    assert catalogue.get("toy") is toy


def test_a_name_that_no_game_has_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UnknownGame, match=r"chess.*dirt"):
        catalogue.get("chess")


def test_a_part_of_a_game_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownGame):
        BELL.of("chess")


def test_the_rules_of_a_game_are_found_by_its_name_wherever_they_lie(toy: Game) -> None:
    assert registry.get("toy") is RULES


def test_rules_of_another_name_are_refused() -> None:
    with pytest.raises(RulesNameMismatch, match=r"chess.*dirt"):
        catalogue.register(Game("chess", engine="engine.dirt"))

    assert "chess" not in catalogue.names()


def test_a_part_may_be_a_module_that_is_imported_when_it_is_asked_for(toy: Game) -> None:
    late = Game("late", engine=RULES, parts=[BELL.later("json"), LAMP.later("no_such_module_here")])
    assert late.part(BELL) is json
    with pytest.raises(ModuleNotFoundError, match="no_such_module_here"):
        late.part(LAMP)


def test_every_module_that_a_game_gives_for_later_is_there() -> None:
    given = [filled for name in catalogue.names() for filled in catalogue.get(name).parts]
    later = [filled for filled in given if isinstance(filled.given, Later)]
    assert later
    assert all(importlib.import_module(filled.given.module) for filled in later)
