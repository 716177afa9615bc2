"""Turns of a race as questions on pages: driven again, as a puzzle of the day, and driven on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from championship.clubs.models import Club
from championship.games.formula_d import laid, turn_words
from championship.games.formula_d.panel import panel_of
from championship.platform import clock
from championship.puzzles import positions, services
from championship.puzzles.models import DriveOn, Puzzle, TurnAgain
from championship.puzzles.services import driving_on
from engine.formula_d import puzzles
from engine.formula_d.game import game
from engine.formula_d.phases import PASS
from engine.formula_d.turn import SLIP
from tests.championship.runs.factories import all_of
from tests.factories import make_user, signed_in
from tests.games.formula_d.engine.test_phases import behind_bo
from tests.games.formula_d.pages.test_ledger_page import over

pytestmark = pytest.mark.django_db


def form(orders: Mapping[str, Any], key: str = "k") -> dict[str, Any]:
    """The orders as the panel sends them."""
    sent = {"do": orders["do"], "version": 0, "key": key}
    if "path" in orders:
        return {**sent, "plan": laid.to_text(orders)}
    return {**sent, **{name: str(value) for name, value in orders.items() if name in ("gear", "tyres")}}


def test_the_costly_turns_are_asked_and_a_missed_one_comes_back() -> None:
    run, entries = over("Ana", "Bo", "Cem")
    seat, browser, before = str(entries[0].start_number), signed_in(entries[0].driver), all_of(run)
    events = [event for event, _amount in positions.costly_turns(run, seat)]
    assert events
    page = browser.get(f"/puzzles/mine/{run.key}/").content.decode()
    assert " turns together" in page
    for event in events:
        _state, question, prepared = positions.question_at(run, event, seat)
        assert prepared
        address = f"/puzzles/mine/{run.key}/{event}/"
        asked = browser.get(address).content.decode()
        assert "answers-compared" not in asked and "circuit" in asked
        for tells in ("<em>best</em>", "turns worse", "fd-instead"):
            assert tells not in asked, "the panel does not answer the question"
        for other in ("Drive the whole turn in one go", "Retire", "Roll gear"):
            assert other not in asked, "nothing is offered that is no answer"
        assert " of 2" in asked, "how many laps are to drive"
        told = browser.post(f"{address}turn/", form(question.best.orders), follow=True).content.decode()
        assert "Solved." in told and "Nothing given up" in told
    assert not TurnAgain.objects.exists()
    assert question.second is not None
    told = browser.post(f"{address}turn/", form(question.second.orders), follow=True).content.decode()
    assert "Not the fastest." in told and "answers-compared" in told
    assert TurnAgain.objects.get().event == event
    wrong = browser.post(f"{address}turn/", {"do": "gear", "gear": "99", "version": 0, "key": "k"})
    assert wrong.status_code == 422
    assert all_of(run) == before


def test_a_turn_of_a_race_becomes_the_puzzle_of_the_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game(), "puzzle_scale", replace(puzzles.SCALE, share=5, least=3, ways=2), raising=False)
    run, _entries = over("Zerlinde", "Quirin")
    Club.objects.filter(pk=run.special_stage.rally.club_id).update(visibility=Club.Visibility.PUBLIC)
    services.look_for_puzzles(now=clock.now())
    puzzle = Puzzle.objects.get(day=services.today())
    page = Client().get(puzzle.get_absolute_url()).content.decode()
    assert "Zerlinde" not in page and "Quirin" not in page
    for way in (puzzle.best, puzzle.second, puzzle.obvious):
        answer = Client().post(f"{puzzle.get_absolute_url()}turn/", form(way["orders"]), follow=True)
        assert answer.status_code == 200
        told = answer.content.decode()
        assert ("Solved." in told) == (way == puzzle.best)
        assert " turns against the best way" in told or "Nothing given up" in told


def test_who_leaves_the_slipstream_has_no_path_on_the_map() -> None:
    state = behind_bo()
    left = panel_of(game(), state, "ana", turn_words.laid({"do": PASS})).scene
    assert left["path"] == [] and left["targets"] and not any(target.best for target in left["targets"])
    best = puzzles.question(state, "ana").best  # type: ignore[union-attr]
    followed = panel_of(game(), state, "ana", turn_words.laid(best.orders)).scene
    assert best.orders["do"] == SLIP and len(followed["path"]) > 1
    assert any(target.best for target in followed["targets"])


def test_one_drives_on_from_a_turn_of_a_race() -> None:
    run, _entries = over("Ana", "Bo")
    browser, before = signed_in(make_user()), all_of(run)
    last = list(positions.positions(run))[-6]
    assert browser.post(f"/puzzles/on/{run.key}/", {"at": last.event}).status_code == 302
    drive = DriveOn.objects.get()
    assert "Drive on from here" in browser.get(drive.get_absolute_url()).content.decode()
    for number in range(40):
        now = driving_on.driven(drive)
        if driving_on.is_over(drive, now):
            break
        orders = game().autopilot(now.state, drive.seat)
        answer = browser.post(f"{drive.get_absolute_url()}turn/", form(orders, f"k{number}"), follow=True)
        assert answer.status_code == 200, answer.content.decode()[:2000]
        drive.refresh_from_db()
    assert driving_on.is_over(drive, driving_on.driven(drive))
    assert "The end of your drive." in browser.get(drive.get_absolute_url()).content.decode()
    assert all_of(run) == before
