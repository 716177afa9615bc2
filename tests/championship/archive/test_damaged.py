"""Files that are not archives, or damaged ones: refused with a reason, and nothing is changed."""

import hashlib
import io
import json
import zipfile

import pytest
from django.db import transaction

from championship.accounts.models import User
from championship.archive import reading
from championship.archive.services.restoring import restore_club
from championship.archive.services.writing import VERSION
from championship.clubs.models import Club
from championship.platform.refusals import Refused
from championship.rallies.models import Rally
from championship.stages.services import create_design
from tests.championship.archive.scenes import a_club_with_a_past, archived, emptied
from tests.championship.rallies.factories import drive, organiser_of, started

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def small(django_db_setup, django_db_blocker) -> dict[str, bytes]:
    """The files of a small club's archive. The creation of the club is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        rally, (ana, bo) = started("Ana", "Bo", stages=("1/3",))
        drive(rally, 1, {ana: 200, bo: 210})
        with zipfile.ZipFile(archived(rally.club)) as found:
            inside = {name: found.read(name) for name in found.namelist()}
        transaction.set_rollback(True)
    return inside


@pytest.fixture
def files(small) -> dict[str, bytes]:
    """A copy of the same files that a test may damage."""
    return dict(small)


def packed(files: dict[str, bytes], *, agree: bool = True) -> io.BytesIO:
    """Return an archive of these files. Its manifest matches them, or is unchanged."""
    files = dict(files)
    if agree:
        manifest = json.loads(files["manifest.json"])
        manifest["files"] = {
            name: {"rows": content.count(b"\n"), "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in files.items()
            if name != "manifest.json"
        }
        files["manifest.json"] = json.dumps(manifest).encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in files.items():
            written.writestr(name, content)
    file.seek(0)
    return file


def refused(file: io.BytesIO) -> str:
    """Return the message of the refusal, and check that nothing was written."""
    before = (Club.objects.count(), User.objects.count(), Rally.objects.count())
    with pytest.raises(Refused) as refusal:
        restore_club(by=None, owner=None, file=file)
    assert (Club.objects.count(), User.objects.count(), Rally.objects.count()) == before
    assert refusal.value.field == "file"
    return str(refusal.value)


def changed(content: bytes, line: int = 0, **columns: object) -> bytes:
    """Return a table's file with other values in one of its rows."""
    lines = content.splitlines()
    lines[line] = json.dumps(json.loads(lines[line]) | columns).encode()
    return b"\n".join(lines) + b"\n"


def test_files_packed_again_unchanged_are_accepted(files):
    assert restore_club(by=None, owner=None, file=packed(files)).rallies.count() == 1


def test_a_file_that_is_no_zip_or_only_the_beginning_of_one(files):
    whole = packed(files).getvalue()
    for content in (b"", b"PK\x03\x04", b"not a zip", whole[: len(whole) // 2], whole[:-30]):
        assert "not a complete zip file" in refused(io.BytesIO(content))


def test_any_byte_that_is_another_one(files):
    file = packed(files)
    name = "tables/rallies.rally.jsonl"
    begins = zipfile.ZipFile(file).getinfo(name).header_offset + 30 + len(name)
    for position in range(begins, begins + 60, 7):
        whole = bytearray(file.getvalue())
        whole[position] ^= 0x55
        assert "damaged" in refused(io.BytesIO(bytes(whole)))


def test_a_zip_of_something_else(files):
    assert "no manifest" in refused(packed({"README.txt": b"Hello"}, agree=False))
    assert "does not belong" in refused(packed({"photo.jpg": b"Hello"}, agree=False))
    foreign = {**files, "manifest.json": json.dumps({"format": "something else", "version": 1}).encode()}
    assert "not an archive of a club" in refused(packed(foreign, agree=False))


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "tables/../x.jsonl", "tables\\x.jsonl"])
def test_names_that_lead_elsewhere(files, name):
    assert "does not belong" in refused(packed({**files, name: b"x\n"}))


def test_a_file_that_is_there_twice_or_was_taken_out_or_added(files):
    file = packed(files)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(file, "a") as more:
        more.writestr("README.txt", "Another")
    assert "does not belong" in refused(file)
    without = {name: content for name, content in files.items() if name != "tables/rallies.entry.jsonl"}
    assert "rallies.entry" in refused(packed(without, agree=False))
    assert "records/x.json" in refused(packed({**files, "records/x.json": b"{}"}, agree=False))


def test_a_row_that_was_changed_without_its_sum(files):
    files["tables/rallies.stagetime.jsonl"] = changed(files["tables/rallies.stagetime.jsonl"], measure=1)
    assert "not what the manifest says" in refused(packed(files, agree=False))


def test_an_archive_of_a_newer_version(files):
    manifest = json.loads(files["manifest.json"]) | {"version": VERSION + 1}
    newer = {**files, "manifest.json": json.dumps(manifest).encode()}
    table = {**files, "tables/rallies.weather.jsonl": b'{"id": 1}\n'}
    column = {**files, "tables/rallies.rally.jsonl": changed(files["tables/rallies.rally.jsonl"], weather="rain")}
    for file in (packed(newer), packed(table), packed(column)):
        assert "newer version" in refused(file)


def test_more_than_the_service_unpacks(files, monkeypatch):
    bomb = packed({**files, "tables/rallies.rally.jsonl": b" " * 10_000_000})
    assert len(bomb.getvalue()) < 100_000
    monkeypatch.setattr(reading, "MOST_BYTES", 5_000_000)
    assert "too large when it is unpacked" in refused(bomb)


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("rallies.entry", {"driver_id": 999}),
        ("rallies.entry", {"rally_id": 999}),
        ("rallies.entry", {"rally_id": "1"}),
        ("rallies.entry", {"start_number": 10**30}),
        ("rallies.entry", {"start_number": None}),
        ("rallies.entry", {"status": "champion"}),
        ("rallies.entry", {"crew": "x" * 200}),
        ("rallies.entry", {"crew": "\x00"}),
        ("rallies.entry", {"created_at": "yesterday"}),
        ("rallies.entry", {"created_at": "2026-11-20T10:00:00"}),
        ("rallies.rally", {"key": "../x"}),
        ("rallies.stagetime", {"car": {"text": "\x00"}}),
        ("clubs.club", {"slug": "-driving-school"}),
        ("clubs.club", {"slug": "new"}),
        ("clubs.membership", {"roles": ["king"]}),
        ("clubs.membership", {"roles": {"a": 1}}),
        ("people", {"email": "no address"}),
        ("people", {"name": 7, "email": None, "id": "x"}),
    ],
)
def test_values_that_no_column_holds(files, table, columns):
    name = f"tables/{table}.jsonl"
    assert "damaged" in refused(packed({**files, name: changed(files[name], **columns)}))


@pytest.mark.parametrize(
    "content", [b"[" * 100_000 + b"\n", b"{\n", b'{"id": NaN}\n', b"[]\n", b'{"id": 1}\n', b"\xff\n"]
)
def test_lines_that_are_no_rows(files, content):
    assert "damaged" in refused(packed({**files, "tables/rallies.rally.jsonl": content}))


def test_the_same_row_twice_and_two_clubs(files):
    entries, clubs = files["tables/rallies.entry.jsonl"], files["tables/clubs.club.jsonl"]
    assert "damaged" in refused(packed({**files, "tables/rallies.entry.jsonl": entries + entries}))
    second = clubs + changed(clubs, id=77, key="another", slug="another")
    assert "damaged" in refused(packed({**files, "tables/clubs.club.jsonl": second}))


def test_a_stage_or_a_rating_that_would_be_everybodys():
    rally, _entries = started("Ana", "Bo", stages=("1/3",))
    create_design(by=organiser_of(rally), club=rally.club, name="Mine", game="dirt", spec=rally.stages.get().spec)
    with zipfile.ZipFile(archived(rally.club)) as found:
        files = {name: found.read(name) for name in found.namelist()}
    manifest = json.loads(files["manifest.json"])
    files["manifest.json"] = json.dumps(manifest | {"club": {**manifest["club"], "key": "another"}}).encode()
    files["tables/clubs.club.jsonl"] = changed(files["tables/clubs.club.jsonl"], key="another")
    name = "tables/stages.stagedesign.jsonl"
    stage = changed(files[name], club_id=None, created_by_id=None, source="9/9")
    assert "stages.stagedesign" in refused(packed({**files, name: stage}))
    ready = json.loads(files["tables/ready made stages.jsonl"].splitlines()[0])["id"]
    at = "2026-11-20T10:00:00+00:00"
    rating = {"id": 1, "design_id": ready, "seed": 5, "asked_at": at, "rated_at": at, "result": {"median": 1}}
    table = {"tables/stages.rating.jsonl": json.dumps(rating).encode() + b"\n"}
    assert "stages.rating" in refused(packed({**files, **table}))
    assert restore_club(by=None, owner=None, file=packed(files)).key == "another"


def test_a_run_whose_events_do_not_give_its_state():
    past = a_club_with_a_past()
    with zipfile.ZipFile(archived(past.club)) as found:
        files = {name: found.read(name) for name in found.namelist()}
    emptied()
    run = json.loads(files["tables/runs.run.jsonl"])
    run["state"]["drivers"]["1"]["stage_time"] = 1
    files["tables/runs.run.jsonl"] = json.dumps(run).encode() + b"\n"
    assert "runs.run" in refused(packed(files))


@pytest.mark.slow
def test_a_run_of_which_no_record_can_be_written():
    past = a_club_with_a_past()
    with zipfile.ZipFile(archived(past.club)) as found:
        files = {name: found.read(name) for name in found.namelist()}
    emptied()
    run = json.loads(files["tables/runs.run.jsonl"])
    for odd in (0, 3):
        odd_run = json.dumps({**run, "record_format": odd}).encode() + b"\n"
        assert "record_format" in refused(packed({**files, "tables/runs.run.jsonl": odd_run}))
    if run["record_format"] > 1:
        assert "record_format" in refused(packed({**files, "tables/runs.seal.jsonl": b""}))
    assert restore_club(by=None, owner=None, file=packed(files))
