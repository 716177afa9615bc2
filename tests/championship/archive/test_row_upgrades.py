"""An archive in the first version of the format is restored, and its pages show the same as then.

version_1.zip was written by that version, from the scene of scenes.py, with a retirement whose reason was known.
"""

from __future__ import annotations

import json
import zipfile
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest

from championship.archive.reading import VerifiedArchive
from championship.archive.services.restoring import restore_club
from championship.archive.services.writing import VERSION
from championship.rallies.models import Penalty, Rally, StageTime, TimeByHand, TimeControlCard
from championship.rallies.results.selectors import results_of
from championship.runs.models import Run, Seat, Turn
from championship.runs.watch.proof import record_of
from championship.seasons.models import Championship
from championship.stewards.models import Decision
from engine import record
from tests.championship.archive.scenes import a_club_with_a_past, archived, emptied

pytestmark = pytest.mark.django_db

FIRST = Path(__file__).with_name("version_1.zip")


def overall(rally: Rally) -> list[tuple[object, ...]]:
    """Return place, crew, total, gap, added penalties, reason of retirement, and whether it is excluded."""
    return [
        (line.place, line.entry.crew, line.total, line.to_leader, line.added,
         [each.why for each in line.remarks.retired], line.excluded)
        for line in results_of(rally).overall
    ]  # fmt: skip


def test_it_is_of_the_first_version():
    assert VerifiedArchive(BytesIO(FIRST.read_bytes())).manifest["version"] == 1 < VERSION
    with zipfile.ZipFile(FIRST) as inside:
        row = json.loads(inside.read("tables/rallies.stagetime.jsonl").splitlines()[0])
        turn = json.loads(inside.read("tables/runs.turn.jsonl").splitlines()[0])
        assert inside.getinfo("tables/runs.place.jsonl").file_size and "tables/runs.seat.jsonl" not in inside.namelist()
    assert {"seconds", "cards_seconds"} <= set(row) and "place_id" in turn


def test_results_penalties_and_decisions_are_what_they_were():
    club = restore_club(by=None, owner=None, file=BytesIO(FIRST.read_bytes()))
    found = {rally.name: overall(rally) for rally in club.rallies.all()}
    assert found == {
        "Control": [(1, "Cem", 200, None, 0, [], False), (2, "Dag", 260, 60, 0, ["wrecked"], False)],
        "Finished": [(1, "Ana", 303, None, 3, [], False), (None, "Bo", 87, None, 0, [], True)],
        "On paper": [(1, "Sten", 205, None, 0, [], False), (2, "Zed Nobody", 265, 60, 0, [""], False)],
        "To come": [],
    }
    assert set(Rally.objects.values_list("unit", "better")) == {("seconds", "fewest")}
    assert club.rallies.get(name="Finished").miss_penalty == 40
    assert Championship.objects.get().rally_settings["timekeeping"]["miss_penalty"] == 40
    dag = StageTime.objects.get(reason="wrecked")
    assert (dag.detail, set(dag.car)) == ({"cards_seconds": 200}, {"damage", "spare", "sisu"})
    assert sorted(Penalty.objects.values_list("amount", flat=True)) == [3, 5, 400]
    assert TimeByHand.objects.get().measure == 300
    assert sorted(Decision.objects.exclude(amount=None).values_list("amount", flat=True)) == [3, 300, 400]
    assert all(card.amount == 0 for card in TimeControlCard.objects.all())
    assert Run.objects.exists() and not Run.objects.filter(seats=None).exists()
    for run in Run.objects.all():
        assert run.turns.filter(seat__run=run).count() == run.turns.count() > 0
        assert record.verify(record_of(run)) is None


def test_an_archive_of_the_version_with_places_has_its_seats_and_no_table_of_today():
    """Version 2 called a seat a place, in the name of its table and in two columns."""
    before = archived(a_club_with_a_past().club)
    seats = sorted(Seat.objects.filter(run__status="finished").values_list("name", "position"))
    emptied()
    club = restore_club(by=None, owner=None, file=as_version_2(before))
    assert sorted(Seat.objects.filter(entry__rally__club=club).values_list("name", "position")) == seats != []
    assert all(turn.seat.run_id == turn.run_id for turn in Turn.objects.select_related("seat"))


def as_version_2(archive: BytesIO) -> BytesIO:
    """Return the archive as version 2 would have written it."""
    found = BytesIO()
    with zipfile.ZipFile(archive) as now, zipfile.ZipFile(found, "w") as then:
        manifest = json.loads(now.read("manifest.json"))
        manifest["version"] = 2
        for name in [name for name in now.namelist() if name != "manifest.json"]:
            told = manifest["files"].pop(name)
            text, called = now.read(name), name.replace("runs.seat", "runs.place")
            if name in ("tables/runs.turn.jsonl", "tables/runs.sentahead.jsonl"):
                assert b'"seat_id":' in text or not text
                text = text.replace(b'"seat_id":', b'"place_id":')
            if name == "tables/runs.seat.jsonl":
                assert b'"name":' in text or not text
                text = text.replace(b'"name":', b'"driver":')
            said = {"bytes": len(text), "sha256": sha256(text).hexdigest()}
            manifest["files"][called] = {**told, **said}
            then.writestr(called, text)
        then.writestr("manifest.json", json.dumps(manifest))
    return found


def test_it_leaves_again_in_the_version_of_now():
    club = restore_club(by=None, owner=None, file=BytesIO(FIRST.read_bytes()))
    before = {rally.name: overall(rally) for rally in club.rallies.all()}
    file = archived(club)
    emptied()
    again = restore_club(by=None, owner=None, file=file)
    assert {rally.name: overall(rally) for rally in again.rallies.all()} == before
