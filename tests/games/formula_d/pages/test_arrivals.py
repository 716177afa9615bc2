"""The finish card of a driver who is in while others race: the place, the points, and how many still race."""

from __future__ import annotations

import re
from html import unescape

import pytest

from championship.rallies.models import Entry
from championship.runs.models import Event, Run
from engine.formula_d.game import game
from tests.games.formula_d.pages.tables import WET_POND, on_the_grid, page_of, playing

pytestmark = pytest.mark.django_db


def home(run: Run, *places: tuple[Entry, int, int]) -> None:
    """Let cars have finished, each with its place and points."""
    for entry, place, points in places:
        car = run.state["cars"][str(entry.start_number)]
        car.update(status="finished", rank=place, points=points, space=None, rounds=7)
        run.state["left"] = [seat for seat in run.state["left"] if seat != str(entry.start_number)]
    run.save(update_fields=["state"])


def card_on(page: str) -> str:
    """The finish card of a page in words; "" when there is none."""
    found = re.search(r'<section class="finish.*?</section>', page, re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", found.group(0))).split()) if found else ""


def test_a_driver_who_is_in_sees_place_points_and_how_many_still_race() -> None:
    run, entries = on_the_grid("Ana", "Bo", "Cem", "Dag", track=WET_POND)
    turn = playing(run)
    ana, bo, dag = (entry for entry in entries if entry != turn)
    assert not card_on(page_of(ana, run)), "all race"
    home(run, (bo, 1, 1000), (ana, 2, 720))
    card = card_on(page_of(ana, run))
    assert card.startswith("You are in. 2 cars still drive. Places can still change.")
    assert "Place so far 2 of 2 Points 720 Points go by the place at the finish" in card and "R3" in card
    assert re.search(rf"Ahead number \d+ {bo.crew} 280 points ahead of you", card)
    assert "Place so far 1 of 2 Points 1000" in card_on(page_of(bo, run))
    assert not card_on(page_of(dag, run)) and not card_on(page_of(turn, run)) and not card_on(page_of(None, run))


def test_the_card_tells_pit_stops_and_the_fastest_lap() -> None:
    run, entries = on_the_grid("Ana", "Bo", "Cem", track=WET_POND)
    turn = playing(run)
    ana, bo = (entry for entry in entries if entry != turn)
    mine, other = str(ana.start_number), str(bo.start_number)
    lap = [("turn", mine), ("turn", other), ("turn", mine)]
    line = [("lap", mine), ("lap", other)]
    number = run.events_told
    for kind, seat in [*lap, *line, *lap, ("box", mine), *lap, *line, *lap, *line]:
        number += 1
        Event.objects.create(
            run=run, number=number, kind=kind, data={"kind": kind, "seat": seat}, post=run.posts.first()
        )
    Run.objects.filter(pk=run.pk).update(events_told=number)
    home(Run.objects.get(pk=run.pk), (bo, 1, 1000), (ana, 2, 720))
    mine_told = card_on(page_of(ana, run))
    assert "1 pit stop Fastest lap: 2 turns" in mine_told and "the fastest" not in mine_told
    assert "0 pit stops Fastest lap: 1 turn · the fastest of all cars" in card_on(page_of(bo, run))


def test_in_a_race_of_teams_no_points_are_told_before_the_end() -> None:
    run, entries = on_the_grid("Ana", "Bo", "Cem", "Dag", track=WET_POND, teams=True)
    turn = playing(run)
    ana = next(entry for entry in entries if entry != turn)
    home(run, (ana, 1, 1000))
    assert game().arrived(run.state) == ()
    card = card_on(page_of(ana, run))
    assert card.startswith("Your drive is over. 3 cars still drive.") and "1000" not in card
