"""The ledger of a stage: it adds up in every kept record, and decisions and dice are told apart."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from statistics import fmean, pstdev

import pytest

from engine import record
from engine.chance import SeededChance
from engine.commands import main
from engine.contract import Event, RunLedger
from engine.dirt import ledger, rally, stage
from engine.dirt.codriver.decisions import orders
from engine.dirt.codriver.value import DATUM, NAMES
from engine.dirt.drive import ALONE
from engine.dirt.facts import facts
from engine.dirt.game import game
from engine.ledger import faults

RECORDS = sorted((Path(__file__).parent / "records").glob("*.json"))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_kept_record_has_a_ledger_that_adds_up(path: Path) -> None:
    document = json.loads(path.read_text("utf-8"))
    rules, setup, events = record.opened(document)
    found = ledger.ledger(setup, events)
    assert faults(found, rules.measure) == []
    told = {
        events[each.event]["kind"] for books in found.seats.values() for each in books.bookings if each.kind == "token"
    }
    assert told <= {"token"}, "a token is booked where it was drawn"
    drivers = record.fold(document)[1]["drivers"]
    assert {name: books.result for name, books in found.seats.items()} == {
        name: 100 * driver["stage_time"] for name, driver in drivers.items()
    }


def driven(codriver: str, number: int) -> RunLedger:
    """Return the ledger of a stage that a codriver drives alone."""
    options = {option.name: option.default for option in facts().options} | dict(ALONE)
    setup = state = stage.setup(game().library()["2/2"], [{"id": "a", "car": rally.new_car(options)}], options)
    chance, events = SeededChance(sha256(f"ledger {number}".encode()).digest()), list[Event]()
    while stage.to_play(state):
        state, told = stage.play(state, "a", orders(state, "a", codriver), chance)
        events += told
    return ledger.ledger(setup, events)


def test_the_datum_gives_up_next_to_nothing_and_a_cautious_driver_much() -> None:
    runs = {name: [driven(name, number).seats["a"] for number in range(8)] for name in (DATUM, "cautious")}
    given_up = {name: fmean(books.total("driving") for books in found) for name, found in runs.items()}
    assert given_up[DATUM] < 100 < 500 < given_up["cautious"]
    dice = [books.total("chance") for found in runs.values() for books in found]
    assert abs(fmean(dice)) < 4 * pstdev(dice) / len(dice) ** 0.5
    assert all(books.start == runs[DATUM][0].start for found in runs.values() for books in found)


def test_the_datum_is_no_codriver_to_choose() -> None:
    assert DATUM not in NAMES
    assert DATUM not in game().manners


def test_the_command_prints_sums_decisions_and_draws(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["analyse", str(RECORDS[0])]) == 0
    told = capsys.readouterr().out
    assert " seconds = " in told and ", driving +" in told and ", chance, card: " in told
    assert main(["analyse", "--whole", str(RECORDS[0])]) == 0
    assert len(capsys.readouterr().out) > 2 * len(told)
    document = json.loads(RECORDS[0].read_text("utf-8"))
    document["turns"].pop()
    (tmp_path / "half.json").write_text(json.dumps(document))
    assert main(["analyse", str(tmp_path / "half.json")]) in (1, 2)
