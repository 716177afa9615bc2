"""The pages of decisions and chance of a race: in turns, in words, and both ways on the map."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from championship.failures.models import Failure
from championship.failures.services import try_all_again
from championship.games.formula_d import ledger_words
from championship.platform import clock
from championship.rallies import services as rallies
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.runs.models import KeptLedger, Run
from championship.runs.pages.ledger_charts import HEIGHT, WIDTH, expected_lines
from championship.runs.play import drive_codrivers, keep_missing_ledgers
from championship.runs.watch.luck import driver_averages, ledgers, stage_ledgers
from championship.runs.watch.luck.ledgers import Booked
from engine.contract.ledger import CHANCE, DRIVING, Account
from tests.championship.api.factories import program_of
from tests.games.formula_d.pages.tables import POND, on_the_grid

pytestmark = pytest.mark.django_db


def over(*names: str, manner: str = "cautious") -> tuple[Run, list[Entry]]:
    """Return a race of two laps on a short track that codrivers have driven to its end, and its entries."""
    run, entries = on_the_grid(*names, track=POND, laps=2)
    for entry in entries:
        rallies.set_driven_by(by=entry.driver, entry=entry, driven_by=Entry.DrivenBy.CODRIVER, manner=manner)
    while drive_codrivers(run_id=run.pk):
        pass
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    return run, entries


def booked(kind: str, account: Account = DRIVING, amount: str = "0.5", **facts: Any) -> Booked:
    return Booked(1, 1, account, Decimal(amount), kind, facts)


def test_a_race_counts_turns_and_the_fewest_are_best() -> None:
    run, entries = over("Ana", "Bo", "Cem")
    assert keep_missing_ledgers() == 1
    kept = KeptLedger.objects.get()
    assert (kept.unit, kept.better) == ("turns_to_flag", "fewest")
    stage = SpecialStage.objects.select_related("rally").get(pk=run.special_stage_id)
    assert stage.rally.measure.better == "most", "its results are points"
    found = ledgers.ledger_of(run, entries[0].driver)
    assert found.own_measure
    assert (found.unit, found.worse) == ("turns_to_flag", 1)
    assert [car.result for car in found.cars] == sorted(car.result for car in found.cars)
    ticks = re.findall(r'class="tick"[^>]*>([\d.]+)<', expected_lines(found, width=WIDTH, height=HEIGHT))
    assert len(set(ticks)) == 3, "every height of the chart has a number of its own"
    for car in found.cars:
        assert car.driving >= 0
        costly = [each.amount for each in car.costliest(found.worse)]
        assert (
            costly
            == sorted((each.amount for each in car.bookings if each.account == DRIVING), reverse=True)[: len(costly)]
        ), "the costliest decision is the one that adds most turns"
    of_stage = stage_ledgers.stage_ledger(stage, entries[0].driver)
    assert of_stage.unit == "turns_to_flag"
    finished = [car for car in of_stage.cars if car.finished]
    assert min(finished, key=lambda car: car.driving).best_driven == 1
    assert min(finished, key=lambda car: car.even).with_even_luck == 1
    page = Client().get(f"/runs/{run.key}/ledger/").content.decode()
    assert "in turns: the fewest are best" in page
    assert "up right what chance" not in page and "what chance gave (up)" in page
    assert re.search(r'class="sum"><dt>Result</dt><dd>\d+ turns</dd>', page)
    amounts = re.findall(r'<strong class="figure">([^<]+)</strong>', page)
    assert amounts and all(re.fullmatch(r"[+−]?\d+\.\d\d", amount) for amount in amounts), "a turn has fine parts"
    told = program_of(entries[0].driver).get(f"runs/{run.key}/ledger").json()
    assert (told["unit"], told["better"]) == ("turns_to_flag", "fewest")
    assert driver_averages.averages(ledgers.accounts())[0].unit == "turns_to_flag"


def test_the_ideal_drive_is_beside_the_lines_of_the_cars() -> None:
    run, _entries = over("Ana", "Bo")
    page = f"/runs/{run.key}/lines/"
    names = re.compile(r'<li data-line="(\w+)">')
    before = Client().get(page).content.decode()
    assert names.findall(before) == ["own", "other"], "nothing is computed by looking"
    keep_missing_ledgers()
    places = KeptLedger.objects.get().ideal
    text = Client().get(page).content.decode()
    assert names.findall(text) == ["own", "other", "ideal"]
    drawn = re.search(r'<polyline class="ideal" points="([^"]+)"', text)
    assert drawn and len(drawn[1].split()) == len(places)
    assert "every draw gives its middle value" in text
    Rally.objects.update(ledgers=False)
    assert names.findall(Client().get(page).content.decode()) == ["own", "other"]


def test_every_turn_is_told_in_words_and_both_ways_are_on_the_map() -> None:
    run, entries = over("Ana", "Bo")
    keep_missing_ledgers()
    found, drawn = ledgers.ledger_of(run, entries[0].driver), 0
    kinds = set()
    for car in found.cars:
        for turn in car.turns:
            text = Client().get(f"/runs/{run.key}/ledger/{car.seat.name}/{turn.number}/").content.decode()
            figures = re.findall(r'<strong class="figure">([^<]+)</strong>', text)
            assert sum(round(float(figure.replace("−", "-")) * 100) for figure in figures) == round(
                (turn.after - turn.before) * 100
            )
            drawn += 'id="best-way"' in text
            assert ('id="own-way"' in text) == ('id="best-way"' in text)
        kinds |= {(each.account, each.kind) for each in car.bookings}
    apart = [
        each
        for car in found.cars
        for each in car.bookings
        if each.account == DRIVING and each.amount and "best way" in each.facts
    ]
    assert bool(drawn) == bool([each for each in apart if each.facts["path"] != each.facts["best way"].get("path", [])])
    assert {(DRIVING, "gear"), (DRIVING, "move"), (CHANCE, "roll")} <= kinds


def test_decisions_and_dice_have_words() -> None:
    run = Run()

    def told(one: Booked, **event: Any) -> str:
        return ledger_words.told(run, one, {"seat": "1", **event}, {"1": "Ana"})

    gear = booked("gear", chosen="2", best="3")
    assert told(gear, kind="gear", gear=2) == "Shifts into gear 2."
    assert ledger_words.better(run, gear) == "gear 3"
    move = booked("move", chosen="C3.1.4", best="C3.2.0")
    assert told(move, kind="step", space="C3.1.0") == "Drives to corner 3, left 5.", "the end, not the first step"
    assert ledger_words.better(run, move) == "corner 3, middle 1"
    assert (
        ledger_words.better(run, booked("move", chosen="C3.1.4", best="C3.1.4")) == "corner 3, left 5, by another way"
    )
    assert ledger_words.better(run, booked("move", amount="0", chosen="C3.1.4", best="C3.1.4")) == ""
    left = booked("slip", chosen="pass", best="C3.1.4")
    assert told(left, kind="phase", phase="done") == "Leaves the slipstream."
    assert ledger_words.better(run, booked("slip", chosen="C3.1.4", best="pass")) == "leave the slipstream"
    box = booked("pit", chosen="soft, tires 2", best="hard")
    assert told(box, kind="tyres", tyres="soft") == "In the box: soft tyres, tyres +2."
    assert ledger_words.better(run, box) == "hard tyres"
    roll = booked("roll", CHANCE, gear=2, spaces=4, faces=[2, 6])
    said = told(roll, kind="roll", gear=2, spaces=4, strain=False)
    assert said == "The die of gear 2 shows 4 spaces. 2 faces of 6 show that."
    assert told(booked("grid", CHANCE, place=2, of=6), kind="grid", order=["2", "1"]) == "Place 2 of 6 on the grid."
    assert told(booked("collision", CHANCE), kind="collision", die=1, rival="2") == "Ana rolls 1 beside 2."


def test_a_ledger_that_takes_too_long_is_put_off_alone_and_the_page_says_so() -> None:
    slow, _entries = over("Ana", "Bo")
    assert keep_missing_ledgers(seconds=0) == 0
    assert Failure.objects.get().unit == slow.key
    assert KeptLedger.objects.get().too_long
    said = "This takes too long to compute. It is put off, and tried again later."
    assert said in Client().get(f"/runs/{slow.key}/ledger/").content.decode()
    other, _entries = over("Cem", "Dag")
    assert keep_missing_ledgers() == 1, "the other run does not wait for it"
    assert KeptLedger.objects.get(too_long=False).run == other
    try_all_again(now=clock.now())
    assert keep_missing_ledgers(memory=-1) == 0
    assert "stopped at event 1 of " in Failure.objects.get().error
    try_all_again(now=clock.now())
    assert keep_missing_ledgers() == 1
    assert not KeptLedger.objects.filter(too_long=True).exists()
    assert not Failure.objects.exists()
    assert said not in Client().get(f"/runs/{slow.key}/ledger/").content.decode()
