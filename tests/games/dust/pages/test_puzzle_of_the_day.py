"""Turns of the last round as questions on pages: as the puzzle of the day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pytest
from django.test import Client

from championship.clubs.models import Club
from championship.platform import clock
from championship.puzzles import services
from championship.puzzles.models import Puzzle
from engine.dust import draft_text
from engine.dust.game import game
from tests.games.dust.pages.scenes import on_the_road

pytestmark = pytest.mark.django_db


def puzzle_of_today() -> Puzzle:
    """A last round as the puzzle of the day: two cards give the keys that buy end points (P4, B1). With three
    risk dice in the pool no Risk can be taken (A3).
    """
    run, _entries = on_the_road("Zerlinde", "Quirin", options={"cards": "5"})
    Club.objects.filter(pk=run.special_stage.rally.club_id).update(visibility=Club.Visibility.PUBLIC)
    seat = run.state["order"][0]
    me = {"phase": "drive", "dice": ["p2", "p4"], "hand": ["bolts"], "deck": [], "traction": 0, "keys": 1, "risk": 3}
    board = {"4": {"card": "ready", "covered": False, "used": False}}
    drivers = {**run.state["drivers"], seat: {**run.state["drivers"][seat], **me, "board": board}}
    state = {**run.state, "round": 5, "drivers": drivers, "opened": drivers}
    question = game().question(state, seat)
    assert question is not None and question.second is not None and question.obvious is not None
    ways = {name: asdict(getattr(question, name)) for name in ("best", "second", "obvious")}
    return Puzzle.objects.create(
        run=run,
        event=0,
        seat=seat,
        version=game().puzzle_version,
        state=state,
        themes=list(question.themes),
        ways=question.ways,
        gap=100,
        found_at=clock.now(),
        day=services.today(),
        **ways,
    )


def form(orders: Mapping[str, Any]) -> dict[str, Any]:
    """The orders as the panel sends them."""
    return {"do": "steps", "plan": draft_text.join_steps(orders["steps"]), "version": 0, "key": "k"}


def test_a_last_round_is_a_puzzle_of_the_day() -> None:
    puzzle = puzzle_of_today()
    address = puzzle.get_absolute_url()
    page = Client().get(address).content.decode()
    assert "Which plan brings the most points?" in page and "draws nothing" in page
    assert "Zerlinde" not in page and "Quirin" not in page
    told = Client().post(f"{address}turn/", form(puzzle.best["orders"]), follow=True).content.decode()
    assert "Solved." in told and "Nothing given up" in told
    assert told.count("The same as yours.") == 1, "the best plan is written once"
    assert "show=best" not in told and "Ways compared" in told, "without a map there is nothing to look at"
    missed = Client().post(f"{address}turn/", form({"steps": ["end"]}), follow=True).content.decode()
    assert "Not the best plan." in missed and "points against the best plan." in missed
    assert "Use Crew Ready with the player die 4" in missed and "use 4 p" not in missed.split("answers-compared")[1]
    refused = Client().post(f"{address}turn/", form({"steps": ["risk"]}))
    assert refused.status_code == 422 and "draws" in refused.content.decode()
