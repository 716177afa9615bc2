"""Chance that nobody can manipulate: a commitment in advance, phrases of drivers, a check that anyone can repeat."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from championship.platform.refusals import Forbidden, Stale
from championship.rallies import services as rally_services
from championship.rallies.models import Entry, Rally
from championship.runs.models import Phrase, Run, Seal
from championship.runs.play import act_on_deadlines, set_phrase
from engine import chance
from tests.championship.rallies.factories import enter, make_rally, organiser_of, stage_of
from tests.championship.runs.factories import desk_of, on_the_road
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


def driven_by_codrivers(rally: Rally, *names: str) -> list[Run]:
    """The runs of stage 1 of the rally, driven to their end."""
    entries = enter(rally, *names)
    for entry in entries:
        rally_services.set_driven_by(by=organiser_of(rally), entry=entry, driven_by=Entry.DrivenBy.CODRIVER)
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    while Run.objects.filter(special_stage__rally=rally, special_stage__number=1, status="running").exists():
        assert act_on_deadlines(now=timezone.now())
    return list(Run.objects.filter(special_stage__rally=rally, special_stage__number=1))


def one_run(**how: object) -> Run:
    rally = make_rally(stages=("1/1", "1/2"), auto_start=False, **how)
    return driven_by_codrivers(rally, "Ana", "Bo")[0]


def test_the_commitment_to_the_secret_is_public_as_soon_as_the_rally_exists() -> None:
    rally = make_rally(stages=("1/1", "1/2"))
    seals = Seal.objects.filter(special_stage__rally=rally)
    assert seals.count() == 2
    for seal in seals:
        assert seal.commitment == hashlib.sha256(bytes(seal.secret)).hexdigest()
    page = Client().get(f"/rallies/{rally.key}/stages/1/chance/")
    assert seals[0].commitment in page.content.decode()


def test_a_driver_mixes_a_phrase_in_until_the_stage_opens() -> None:
    rally = make_rally(stages=("1/1", "1/2"))
    ana, bo = enter(rally, "Ana", "Bo")
    address = f"/rallies/{rally.key}/stages/1/chance/"
    for text in ("gravel", "gravel & dust"):
        assert desk_of(ana).post(address, {"text": text}).status_code == 302
    assert Phrase.objects.get(entry=ana).text == "gravel & dust"
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    run = Run.objects.get(special_stage__rally=rally)
    assert run.special_stage.seal.phrases == ["gravel & dust"]
    assert run.phrases_sha256 == hashlib.sha256(b'["gravel & dust"]').hexdigest()
    assert run.phrases_sha256 in Client().get(address).content.decode()
    with pytest.raises(Stale):
        set_phrase(by=bo.driver, special_stage=stage_of(rally, 1), text="too late")
    assert desk_of(bo).post(address, {"text": "too late"}).status_code == 409
    assert desk_of(bo).post(f"/rallies/{rally.key}/stages/2/chance/", {"text": "in time"}).status_code == 302


@pytest.mark.parametrize("text", ["", "   ", "x" * 81, "two\nlines", "nul\0"])
def test_a_phrase_is_one_line(text: str) -> None:
    rally = make_rally()
    (ana,) = enter(rally, "Ana")
    answer = desk_of(ana).post(f"/rallies/{rally.key}/stages/1/chance/", {"text": text})
    assert answer.status_code == 422
    assert not Phrase.objects.exists()


def test_only_drivers_of_the_rally_add_a_phrase() -> None:
    rally = make_rally()
    enter(rally, "Ana")
    stranger = make_user("Stranger")
    with pytest.raises(Forbidden):
        set_phrase(by=stranger, special_stage=stage_of(rally, 1), text="me too")
    answer = signed_in(stranger).post(f"/rallies/{rally.key}/stages/1/chance/", {"text": "me too"})
    assert answer.status_code == 403


def test_no_secret_is_shown_before_the_finish() -> None:
    run, _entries = on_the_road("Ana", "Bo")
    secrets = (bytes(run.secret).hex(), bytes(run.special_stage.seal.secret).hex())
    for address in (f"/runs/{run.key}/", f"/runs/{run.key}/proof/", f"/runs/{run.key}/log/"):
        text = Client().get(address).content.decode()
        assert not any(secret in text for secret in secrets)
    assert Client().get(f"/runs/{run.key}/record.json").status_code == 403


def test_after_the_finish_the_page_draws_everything_again() -> None:
    run = one_run()
    page = Client().get(f"/runs/{run.key}/proof/").content.decode()
    assert bytes(run.secret).hex() in page
    assert bytes(run.special_stage.seal.secret).hex() in page
    drawn = sum(len(post.draws) for post in run.posts.all())
    assert f"All {drawn} draws were made again" in page
    assert chance.derive_secret(bytes(run.special_stage.seal.secret), "run 1") == bytes(run.secret)


@pytest.mark.slow
def test_anyone_checks_the_record_on_the_command_line(tmp_path: Path) -> None:
    run = one_run()
    record = Client().get(f"/runs/{run.key}/record.json").json()
    assert verify(record, tmp_path).returncode == 0
    for name, forged in forgeries(record).items():
        answer = verify(forged, tmp_path)
        assert answer.returncode == 1, f"{name}: {answer.stdout}{answer.stderr}"
        assert answer.stdout, name


def forgeries(record: dict) -> dict[str, dict]:
    """Copies of the record with one change each."""

    def changed(change) -> dict:
        copy = json.loads(json.dumps(record))
        change(copy)
        return copy

    def flip(copy: dict) -> None:
        roll = next(e for t in copy["turns"] for e in t["events"] if e["kind"] == "roll")
        roll["faces"] = [not face for face in roll["faces"]]

    def other_card(copy: dict) -> None:
        card = next(e for t in copy["turns"] for e in t["events"] if e["kind"] == "card")
        card["back"] = "spin" if card["back"] != "spin" else "sisu"

    return {
        "a die": changed(flip),
        "a card": changed(other_card),
        "the secret": changed(lambda copy: copy["chance"].update(secret="00" * 32)),
        "the promise": changed(lambda copy: copy["chance"].update(promise="00" * 32)),
        "a phrase": changed(lambda copy: copy["chance"]["phrases"].append("slipped in")),
        "an event left out": changed(lambda copy: copy["turns"][3]["events"].pop()),
        "a turn left out": changed(lambda copy: copy["turns"].pop(0)),
        "the last turn left out": changed(lambda copy: copy["turns"].pop()),
        "an option": changed(lambda copy: copy["options"].update(time_card_6=11, time_card_5=16, time_card_2=41)),
    }


def verify(record: dict, folder: Path) -> subprocess.CompletedProcess[str]:
    path = folder / "record.json"
    path.write_text(json.dumps(record))
    root = Path(__file__).parents[3]
    command = [sys.executable, "-m", "engine", "verify", str(path)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def test_an_uploaded_record_is_checked_and_shown() -> None:
    run = one_run()
    text = Client().get(f"/runs/{run.key}/record.json").content
    answer = signed_in(make_user()).post("/records/", {"record": SimpleUploadedFile("record.json", text)})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "All draws follow" in page
    assert "Over the finish line!" in page


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff\xfe\x00", b"[" * 5000, b'{"record": 1, "game": "chess"}'])
def test_a_damaged_record_is_refused_in_words(text: bytes) -> None:
    answer = signed_in(make_user()).post("/records/", {"record": SimpleUploadedFile("record.json", text)})
    assert answer.status_code == 422


def test_duplicate_dice_give_all_drivers_the_same_luck() -> None:
    rally = make_rally(stages=("1/1", "1/2"), mode="open road", auto_start=False, options={"dice": "duplicate"})
    runs = driven_by_codrivers(rally, "Ana", "Bo", "Cem")
    assert len({bytes(run.common) for run in runs}) == 1
    faces = [list(run.events.filter(kind="roll").values_list("data__faces", flat=True)) for run in runs]
    assert faces[0] == faces[1] == faces[2], "the same careful driver with the same dice drives the same turns"
    assert Client().get(f"/runs/{runs[0].key}/proof/").content.decode().count("draws were made again") == 1


def test_shared_dice_stay_secret_until_the_last_run_is_over() -> None:
    rally = make_rally(stages=("1/1", "1/2"), mode="open road", auto_start=False, options={"dice": "duplicate"})
    ana, _bo = enter(rally, "Ana", "Bo")
    rally_services.set_driven_by(by=organiser_of(rally), entry=ana, driven_by=Entry.DrivenBy.CODRIVER)
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    mine = Run.objects.get(special_stage__rally=rally, seats__entry=ana)
    while mine.status == Run.Status.RUNNING:
        assert act_on_deadlines(now=timezone.now())
        mine.refresh_from_db()
    assert Client().get(f"/runs/{mine.key}/record.json").status_code == 403
    page = Client().get(f"/runs/{mine.key}/proof/").content.decode()
    assert bytes(mine.common).hex() not in page
    assert bytes(mine.secret).hex() not in page
