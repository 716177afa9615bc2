"""Turns of the last round as questions on pages: as the puzzle of the day, and driven again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from championship.clubs.models import Club
from championship.games.dust import turn_words
from championship.platform import clock
from championship.puzzles import positions, services
from championship.puzzles.models import Puzzle, TurnAgain
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.runs.models import Run
from championship.runs.play import drive_codrivers
from engine.dust import draft_text, puzzles
from engine.dust.game import game
from tests.championship.runs.factories import all_of
from tests.factories import signed_in
from tests.games.dust.pages.scenes import on_the_road

pytestmark = pytest.mark.django_db


def over() -> tuple[Run, list[Entry]]:
    """A finished run of a short stage, driven by novices."""
    run, entries = on_the_road("Zerlinde", "Quirin", options={"cards": "5"})
    for entry in entries:
        rallies.set_driven_by(by=entry.driver, entry=entry, driven_by=Entry.DrivenBy.CODRIVER, manner="novice")
    while drive_codrivers(run_id=run.pk):
        pass
    run.refresh_from_db()
    return run, list(entries)


def form(orders: Mapping[str, Any]) -> dict[str, Any]:
    """The orders as the panel sends them."""
    return {"do": "steps", "plan": draft_text.join_steps(orders["steps"]), "version": 0, "key": "k"}


def test_a_last_round_is_a_puzzle_and_an_own_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    any_gap = replace(puzzles.SCALE, least=0, ways=2, obvious=0)
    monkeypatch.setattr(game(), "puzzle_scale", any_gap, raising=False)
    run, entries = over()
    before = all_of(run)
    Club.objects.filter(pk=run.special_stage.rally.club_id).update(visibility=Club.Visibility.PUBLIC)
    services.look_for_puzzles(now=clock.now())
    puzzle = Puzzle.objects.get(day=services.today())
    page = Client().get(puzzle.get_absolute_url()).content.decode()
    assert "Which plan brings the most points?" in page and "draws nothing" in page
    assert "Zerlinde" not in page and "Quirin" not in page
    told = Client().post(f"{puzzle.get_absolute_url()}turn/", form(puzzle.best["orders"]), follow=True)
    assert "Solved." in told.content.decode() and "Nothing given up" in told.content.decode()
    missed = Client().post(f"{puzzle.get_absolute_url()}turn/", form({"steps": ["end"]}), follow=True).content.decode()
    assert "Not the best plan." in missed and "points against the best plan." in missed
    assert turn_words.way(puzzle.best["orders"], puzzle.state, puzzle.seat).split(turn_words.BETWEEN)[0] in missed
    for step in puzzle.best["orders"]["steps"]:
        assert " " not in step or f"<span>{step}" not in missed, "no step is shown as the engine writes it"
    refused = Client().post(f"{puzzle.get_absolute_url()}turn/", form({"steps": ["risk"]}))
    assert refused.status_code == 422 and "draws" in refused.content.decode()
    seat = puzzle.seat
    driver = next(entry.driver for entry in entries if str(entry.start_number) == seat)
    asked = positions.costly_turns(run, seat)
    assert len(asked) <= 1, "only the last round is asked"
    browser = signed_in(driver)
    assert "last round" in browser.get(f"/puzzles/mine/{run.key}/").content.decode()
    address = f"/puzzles/mine/{run.key}/{puzzle.event}/"
    assert "draws nothing" in browser.get(address).content.decode()
    assert (
        "Not the best plan." in browser.post(f"{address}turn/", form({"steps": ["end"]}), follow=True).content.decode()
    )
    assert TurnAgain.objects.get().event == puzzle.event
    assert all_of(run) == before
