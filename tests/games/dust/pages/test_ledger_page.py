"""The pages of decisions and chance of a stage: plans and draws in words, with the names of cards."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.test import Client

from championship.games.dust import ledger_words
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.runs.models import KeptLedger, Run
from championship.runs.play import drive_codrivers, keep_missing_ledgers
from championship.runs.watch.luck import ledgers
from championship.runs.watch.luck.ledgers import Booked
from engine.contract.ledger import DRIVING
from tests.games.dust.pages.scenes import on_the_road

pytestmark = pytest.mark.django_db


def test_plans_are_told_in_words_and_points_are_counted() -> None:
    run, entries = on_the_road("Ana", "Bo", options={"cards": "5"})
    for entry in entries:
        rallies.set_driven_by(by=entry.driver, entry=entry, driven_by=Entry.DrivenBy.CODRIVER, manner="novice")
    while drive_codrivers(run_id=run.pk):
        pass
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert "This is being computed" in Client().get(f"/runs/{run.key}/lines/").content.decode()
    assert keep_missing_ledgers() == 1
    kept = KeptLedger.objects.get()
    assert (kept.unit, kept.better, kept.too_long) == ("", "", False)
    found = ledgers.ledger_of(run, entries[0].driver)
    assert (found.unit, found.worse, found.own_measure) == ("points", -1, False)
    plans = [
        each
        for car in found.cars
        for each in car.bookings
        if each.account == DRIVING and each.kind == "plan" and each.amount
    ]
    assert plans, "a novice gives something up"
    for each in plans:
        said, better = ledger_words.told(run, each, {}, {}), ledger_words.better(run, each)
        assert said and better
        for raw in (*each.facts["chosen"].split("; "), *each.facts["best"].split("; ")):
            if " " in raw:
                assert raw not in said and raw not in better, "no step is shown as the engine writes it"
        if each.facts["chosen"] != each.facts["best"]:
            assert said.split(".")[0] != better.split(".")[0] or len(said) != len(better)
    _assert_turns_stand_side_by_side(run, found)
    page = Client().get(f"/runs/{run.key}/ledger/").content.decode()
    assert "The values of this game are simulated." in page
    assert re.search(r"<em>Better: [A-Z]", page)
    for car in found.cars:
        for turn in car.turns:
            text = Client().get(f"/runs/{run.key}/ledger/{car.seat.name}/{turn.number}/").content.decode()
            figures = re.findall(r'<strong class="figure">([^<]+)</strong>', text)
            assert sum(round(float(figure.replace("−", "-")) * 100) for figure in figures) == round(
                (turn.after - turn.before) * 100
            )


def test_a_card_that_the_plan_itself_lays_is_named_with_its_effects() -> None:
    run, _entries = on_the_road("Ana")
    facts = {
        "chosen": "play ready 5; use 5 p; do 1; done; place 1; do 1",
        "best": "play ready 5; use 5 p; do 2; done; use 4 p; do 1",
    }
    one = Booked(1, 1, DRIVING, Decimal(-2), "plan", facts)
    said = ledger_words.told(run, one, {}, {})
    assert said.startswith("Crew Ready, effect 1: traction +1."), "both plans begin with the same two steps"
    assert said.endswith("stage card 1, effect 1: keys +1.")
    better = ledger_words.better(run, one)
    assert better.startswith("Crew Ready, effect 2: if accelerating: keys +1.")
    assert better.endswith("Uses the card on slot 4 by a player die. Effect 1 of the open card."), "laid before it"


def _assert_turns_stand_side_by_side(run: Run, found: ledgers.Ledger) -> None:
    """All play at once, so two cars stand turn by turn in place of a line on the map: the last row is the result."""
    assert f"/runs/{run.key}/lines/" in Client().get(f"/runs/{run.key}/replay/").content.decode()
    text = Client().get(f"/runs/{run.key}/lines/").content.decode()
    best, second = found.cars
    rows = re.findall(r'<tr><th scope="row" class="num">(\w+)</th>(.*?)</tr>', text)
    assert rows[0][0] == "Start" and len(rows) == 1 + len(best.turns)
    *last, front = re.findall(r">([^<]+)</td>", rows[-1][1])
    leads = f"{best.seat.entry.crew}: {best.result - second.result:.1f}"
    assert [float(cell) for cell in last] == [second.result, best.result], "the second against the winner"
    assert front == leads
    swapped = Client().get(f"/runs/{run.key}/lines/", {"own": best.seat.name, "against": second.seat.name})
    assert f"<td>{leads}</td>" in swapped.content.decode()
    wrong = Client().get(f"/runs/{run.key}/lines/", {"own": best.seat.name, "against": best.seat.name})
    assert "Choose two different cars" in wrong.content.decode()
