"""The ledger of a stage: it adds up in every kept record and in random games; decisions and draws are told apart."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, cast

import pytest

from engine import record
from engine.contract import Event, RunLedger, State
from engine.dust import codriver, ledger, run_events
from engine.dust.cards import card_set_reading
from engine.dust.codriver.evaluation import Outlook
from engine.dust.codriver.search import Search
from engine.dust.state import Table
from engine.ledger import faults
from tests.benchmarks.dust_random_play import Played, drive
from tests.benchmarks.dust_value import Sample, fitted, samples
from tests.games.dust.engine.luck import Luck
from tests.games.dust.engine.tables import GAME, begun

RECORDS = sorted((Path(__file__).parent / "recorded").glob("*.json.gz"))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name.partition(".")[0])
def test_every_kept_record_has_a_ledger_that_adds_up(path: Path) -> None:
    document: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))["record"]
    _, setup, events = record.opened(document)
    found = GAME.ledger(setup, events)
    assert faults(found, GAME.measure) == []
    result = GAME.result(record.fold(document)[1])
    assert result is not None
    assert {seat: books.result for seat, books in found.seats.items()} == {
        one.seat: 100 * (one.measure or 0) for one in result.seats
    }


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 50))
def test_the_ledgers_of_random_games_add_up(first: int) -> None:
    for seed in range(first, first + 50):
        setup, events = drive(seed, Played())
        assert faults(GAME.ledger(setup, events), GAME.measure) == [], seed


def driven(manner: str, seed: int) -> tuple[State, list[Event]]:
    """Return the set-up and the events of a short stage that one driver drives in this manner."""
    setup = state = begun("ana", "saltwind", cards="5")
    luck, events = Luck(seed), list[Event]()
    while GAME.to_play(state):
        state, told = GAME.play(state, "ana", GAME.autopilot(state, "ana", manner), luck)
        events += told
    return setup, events


def ledger_of(manner: str, seed: int) -> RunLedger:
    """Return the ledger of such a stage."""
    return GAME.ledger(*driven(manner, seed))


def test_a_driver_who_plans_gives_up_less_than_one_who_looks_one_step_ahead() -> None:
    runs = {name: [ledger_of(name, seed).seats["ana"] for seed in range(6)] for name in ("club", "greedy")}
    given_up = {name: -fmean(books.total("driving") for books in found) for name, found in runs.items()}
    assert 0 <= given_up["club"] < given_up["greedy"]
    for found in runs.values():
        dice = [books.total("chance") for books in found]
        assert abs(fmean(dice)) < 4 * pstdev(dice) / len(dice) ** 0.5


def test_the_driver_of_the_values_is_no_codriver_to_choose() -> None:
    assert ledger.DATUM not in codriver.MANNERS


@pytest.mark.parametrize(("seed", "training"), [(4, False), (24, True)])
def test_an_outlook_that_is_shared_estimates_like_a_new_one(seed: int, training: bool) -> None:
    """On the training stage cards change hands within a round (T3)."""
    setup, events = drive(seed, Played())
    assert setup["training"] is training and len(setup["order"]) > 1
    table, shared = cast(Table, setup), dict[str, Outlook]()
    cards = card_set_reading.of_document(table["set"], table["digest"])
    for event in events:
        table = run_events.apply(table, event)
        for seat in [event["seat"]] if "seat" in event else table["order"]:
            search = Search(table, seat, cards, ledger.DATUM, shared.get(seat))
            shared[seat] = search.outlook
            new = Search(table, seat, cards, ledger.DATUM)
            assert search.outlook.estimates(search.root) == new.outlook.estimates(new.root)


def test_the_same_events_give_the_same_ledger_and_its_error_is_told() -> None:
    setup, events = driven("greedy", 3)
    found = GAME.ledger(setup, events)
    assert found == GAME.ledger(setup, events)
    assert 0 < found.error < 200


def test_the_fit_finds_the_differences_that_are_there() -> None:
    found: list[list[Sample]] = [
        [(moment, left, estimate, estimate - 100 * moment - 150 * left) for moment in range(3) for left in range(10)]
        for estimate in (1000, 2500, 4000)
    ]
    added, error, spread = fitted(found)
    assert added == {
        name: [-100 * moment - 150 * left for left in range(10)] for moment, name in enumerate(ledger.MOMENTS)
    }
    assert (error, spread) == (0, 0)


def test_the_ledger_begins_with_the_corrected_estimate() -> None:
    setup, events = driven("greedy", 3)
    found = GAME.ledger(setup, events).seats["ana"]
    between = [
        one for one in samples(setup, events, {"ana": found.result // 100}) if ledger.MOMENTS[one[0]] == ledger.BETWEEN
    ]
    assert len(between) == setup["cards"], "one at the beginning of each round"
    _, left, estimate, points = between[0]
    assert (left, points) == (setup["cards"] - 1, found.result)
    assert found.start == estimate + ledger.corrections()[ledger.BETWEEN][left]
