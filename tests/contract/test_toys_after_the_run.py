"""After a run of a toy: results, replay, proof and record, the archive."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import timedelta
from html import unescape
from io import BytesIO
from pathlib import Path

import pytest
from django.test import Client
from django.utils.translation import override

from championship.archive.services.restoring import restore_club
from championship.rallies.models import Rally
from championship.runs.models import Run, Turn
from championship.runs.play import act_on_deadlines, rebuild
from championship.seasons.records import record_of
from engine import record, registry
from tests.championship.archive.scenes import archived, emptied
from tests.contract.tables import crews, drive, on_the_road, put_back, send, sign_of, waited_for
from tests.factories import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]

GAMES = sorted({"dash", "hush", *registry.outside()})
"""The toys, and all games that a setting installs from outside the tree."""
each_game = pytest.mark.parametrize("game", GAMES)

SECRET_BID = {"do": "bid", "bid": 3}
ROOT = str(Path(__file__).resolve().parents[2])


@pytest.fixture(params=GAMES)
def driven(request: pytest.FixtureRequest) -> Run:
    """A run of a finished rally. One seat of each table has resigned."""

    def built() -> int:
        run, _entries = on_the_road(request.param, *crews(request.param, 3))
        rules, first = registry.get(run.game), next(waited_for(run))
        send(first, run, rules.resign(run.state, str(first.start_number)), asks="sure", sure="yes")
        drive(run)
        return run.pk

    return put_back("toy driven, one has resigned", request.param, built)


def test_results_follow_the_measure_and_the_retired_come_last(driven: Run) -> None:
    rally = driven.special_stage.rally
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED
    result = registry.get(driven.game).result(driven.state)
    assert result is not None
    text = Client().get(f"/rallies/{rally.key}/stages/1/overall/").content.decode()
    finished = [one for one in result.seats if one.measure is not None]
    finished.sort(key=lambda one: sign_of(driven.game) * (one.measure or 0))
    names = {seat.name: seat.entry.crew for seat in driven.seats.select_related("entry")}
    places = [text.index(names[one.seat], text.index("<table")) for one in finished]
    assert places == sorted(places) or len({one.measure for one in finished}) < len(finished)


def test_a_drivers_page_says_why_the_driver_retired(driven: Run) -> None:
    """The name of the event in the game does not matter."""
    rally = driven.special_stage.rally
    first = driven.turns.order_by("pk").select_related("seat__entry__driver")[0].seat.entry.driver
    with override("en"):
        found = [
            (outing.rally, retirement.stage, retirement.reason)
            for outing, retirement in record_of(rally.club, first).retirements
        ]
    assert found == [(rally, 1, "gave up")]


@each_game
def test_a_seat_retired_by_the_clock_has_missed_deadlines_and_not_resigned(game: str) -> None:
    """Nobody posts. The turns driven until then may bring a seat to the finish, or retire it by the rules."""
    run, _entries = on_the_road(game, *crews(game, 3), timekeeping={"retire_after": 2})
    while waiting := list(Turn.objects.filter(run=run, ended_at=None)):
        act_on_deadlines(now=max(turn.deadline for turn in waiting) + timedelta(seconds=1))
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    by_the_clock = set(run.turns.filter(done=Turn.Done.RETIRED).values_list("seat__entry", flat=True))
    missed = run.special_stage.times.filter(retired=True, reason="missed").values_list("entry", flat=True)
    assert by_the_clock == set(missed)
    assert not run.special_stage.times.filter(reason="resigned").exists()


def test_the_replay_tells_every_moment(driven: Run) -> None:
    for at in range(driven.events_told + 1):
        for htmx in ({}, {"HX-Request": "true"}):
            answer = Client().get(f"/runs/{driven.key}/replay/?at={at}", headers=htmx)
            assert answer.status_code == 200


def test_the_proof_holds_and_the_record_verifies(driven: Run) -> None:
    page = Client().get(f"/runs/{driven.key}/proof/")
    assert page.status_code == 200
    answer = Client().get(f"/runs/{driven.key}/record.json")
    document = json.loads(answer.content)
    assert record.verify(document) is None
    salted = [turn for turn in document["turns"] if turn["salt"]]
    assert salted, "a browser's salt is in the record"
    for turn in document["turns"]:
        for draw in turn["draws"]:
            draw["number"] = (draw["number"] + 1) % draw["ends"]
    assert record.verify(document) or not any(turn["draws"] for turn in document["turns"])


def run_printed_command(run: Run, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command that the proof page of a run prints, in a process that knows nothing of Django's settings."""
    page = Client().get(f"/runs/{run.key}/proof/").content.decode()
    fingerprint = re.findall(r'<dd><code class="commitment">(\w{64})</code>', page)[0]
    command = unescape(re.findall(r"<code>(python -m engine [^<]*)</code>", page)[0]).replace(
        "FINGERPRINT", fingerprint
    )
    (folder / "record.json").write_bytes(Client().get(f"/runs/{run.key}/record.json").content)
    env = {"PYTHONPATH": os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")])}
    words = [sys.executable, *command.split()[1:]]
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_the_command_on_the_proof_page_verifies_the_record(driven: Run, tmp_path: Path) -> None:
    """For a game that is not in the engine's folder."""
    ran = run_printed_command(driven, tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "every draw of this record follows from the seal that was promised\n"


def test_a_record_is_looked_at(driven: Run) -> None:
    document = BytesIO(Client().get(f"/runs/{driven.key}/record.json").content)
    document.name = "record.json"
    entry = driven.seats.select_related("entry__driver").first().entry  # type: ignore[union-attr]
    answer = signed_in(entry.driver).post("/records/", {"record": document})
    assert answer.status_code == 200
    assert "What happened" in answer.content.decode()


def test_the_archive_goes_out_and_comes_in(driven: Run) -> None:
    rally = driven.special_stage.rally
    paths = ("stages/1/overall/", "sheet/", "podium/")
    before = {path: Client().get(f"/rallies/{rally.key}/{path}").status_code for path in paths}
    file = archived(rally.club)
    emptied()
    restore_club(by=None, owner=None, file=file)
    run = Run.objects.get(key=driven.key)
    assert rebuild(run=run) == run.state == driven.state
    after = {path: Client().get(f"/rallies/{rally.key}/{path}").status_code for path in before}
    assert after == before == dict.fromkeys(before, 200)
    document = json.loads(Client().get(f"/runs/{run.key}/record.json").content)
    assert record.verify(document) is None
